#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""One session of a program without halves, as netio-loadgen and versions before them are.

protocol_old.py receiver     prints its port, and at the end the messages and bytes that it has read
protocol_old.py sender PORT  prints the messages and bytes that it has sent; exits with 1 if the receiver sends a
                             frame, or a value in a frame, that such a sender does not know"""
import socket
import sys

from protocol_peer import CONFIRM, ELAPSED, MOVING, PHASE_OK, SIZE, Receiver, Sender


class OldSender(Sender):
    HALF = 0


def receiver():
    old = Receiver("", "")
    try:
        old.run()
    except SystemExit:  # The sender has closed its connection.
        pass
    print(*old.sent)


def sender(port):
    old = OldSender("", "")
    old.run(port)
    begun, *after = old.answers
    *moving, (kind, *confirmed) = after
    assert begun == (PHASE_OK, 0, old.phase, 0, 0), begun
    assert {one[0] for one in moving} <= {MOVING, ELAPSED}, moving
    assert [kind, *confirmed] == [CONFIRM, 0, old.phase, 1, SIZE], after
    old.control.shutdown(socket.SHUT_WR)
    assert old.control.recv(1) == b""
    print(1, SIZE)


if __name__ == "__main__":
    receiver() if sys.argv[1] == "receiver" else sender(int(sys.argv[2]))
