#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""protocol_token.py HOST PORT TOKEN: senders that ask netiotrace serve --token for its half, with proofs computed
here. Each asks in a session of its own; prints what is wrong, and exits with 1."""
import hashlib
import hmac
import socket
import struct
import sys
import time

from protocol_peer import PHASE, PHASE_OK, READY, REFUSE, WELCOME, frame, hello, read_frame

PROOF = 12
NO_HALF, COMES, REFUSED = range(3)
host, port, token = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()


def ask(make_proof, first=hello(1)):
    """The promise of PHASE_OK, and the proof that was sent; make_proof: of the challenge."""
    # Until serve has noticed the end of the session before, it is busy.
    for _ in range(100):
        control = socket.create_connection((host, port))
        control.sendall(first)
        kind, index, _, messages, size = read_frame(control)
        if kind != REFUSE:
            break
        time.sleep(0.05)
    assert (kind, index) == (WELCOME, 1)
    data = socket.create_connection((host, port))
    data.sendall(hello(2))
    assert read_frame(control)[0] == READY
    proof = make_proof((first + struct.pack(">QQ", messages, size)).hex())
    for one in proof:
        control.sendall(frame(PROOF, messages=int.from_bytes(one[:8], "big"), size=int.from_bytes(one[8:], "big")))
    control.sendall(frame(PHASE, index=1, phase=1, messages=5))
    try:
        answer = control.recv(32)
    except ConnectionResetError:
        answer = b""
    control.close()
    data.close()
    return (struct.unpack(">HI", answer[6:12]) if len(answer) == 32 else None), proof


def right(challenge, purpose=b"netiotrace receiver's half 1\0", key=token):
    return [hmac.new(key, purpose + challenge.encode(), hashlib.sha256).digest()[:16]]


taken, old = ask(right)
cases = {
    "the right proof": (taken, (PHASE_OK, COMES)),
    "no proof": (ask(lambda _: [])[0], (PHASE_OK, REFUSED)),
    "an old proof": (ask(lambda _: old)[0], (PHASE_OK, REFUSED)),
    "zeros": (ask(lambda _: [bytes(16)])[0], (PHASE_OK, REFUSED)),
    "another key": (ask(lambda c: right(c, key=token + b"x"))[0], (PHASE_OK, REFUSED)),
    "another purpose": (ask(lambda c: right(c, purpose=b""))[0], (PHASE_OK, REFUSED)),
    "one bit less": (ask(lambda c: [right(c)[0][:15] + bytes([right(c)[0][15] ^ 1])])[0], (PHASE_OK, REFUSED)),
    "two proofs": (ask(lambda c: [bytes(16)] + right(c))[0], None),
    "the right proof again": (ask(right)[0], (PHASE_OK, COMES)),
}
wrong = [f"{name}: {got}, not {expected}" for name, (got, expected) in cases.items() if got != expected]
print("\n".join(wrong) or f"{len(cases)} cases")
sys.exit(bool(wrong))
