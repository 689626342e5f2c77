#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A faulty peer for protocol.bats (docs/reference/loadgen.md, "On the network").

protocol_peer.py receiver STATE DEED    a receiver for one session; prints its port, then "reached"
protocol_peer.py sender PORT STATE DEED a sender of one session; prints "reached"

Each follows the protocol until STATE, prints "reached" and does DEED instead of the next step:
killed, stopped, silent, flood TYPE, drip TYPE, holds HOW, creeps BYTES, or a lie, which is a key of the dictionaries below."""
import errno
import json
import os
import signal
import socket
import struct
import sys
import time

WELCOME, READY, PHASE, PHASE_OK, TOTAL, CONFIRM, STOP, REFUSE, MOVING, ELAPSED, HALF = range(1, 12)
HALF_MAX = 500 << 10
SIZE = 65536
SLOW = 100  # connections of a sender that is slow to send its totals


def frame(kind, index=0, phase=0, messages=0, size=0, version=2):
    return b"NIOF" + struct.pack(">HHIIQQ", version, kind, index, phase, messages, size)


def hello(kind, **changes):
    h = {"index": 0, "connections": 1, "size": SIZE, "flags": 0, "threads": 1, "version": 2, **changes}
    return b"NIOH" + struct.pack(">HH", h["version"], kind) + bytes(range(16)) + bytes(16) + struct.pack(
        ">IIIHHQ", h["index"], h["connections"], h["size"], h["flags"], h["threads"], 0)


def exactly(c, n):
    data = b""
    while len(data) < n:
        more = c.recv(n - len(data))
        if not more:
            sys.exit("the other side ended")
        data += more
    return data


def read_frame(c):
    return struct.unpack(">HIIQQ", exactly(c, 32)[6:])  # type, index, phase, messages, bytes


class Peer:
    """Shared by receiver and sender: runs the deed at the given state."""

    def __init__(self, state, deed):
        self.state, self.deed = state, deed
        self.control, self.data, self.sent = None, None, (0, 0)
        self.phase = 0

    def at(self, state):
        if state != self.state:
            return
        print("reached", flush=True)
        deed, _, kind = self.deed.partition(" ")
        if deed == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if deed == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        if deed == "flood":
            self.flood(globals()[kind])
        if deed == "drip":
            self.drip(globals()[kind])
        if deed == "holds":
            self.hold(kind)
        if deed == "creeps":
            self.creep(int(kind))
        if deed != "silent":
            self.say(self.LIES[self.deed](self))
        signal.pause()

    def say(self, what):
        try:
            self.control.sendall(what)
        except OSError:
            pass

    def frame(self, kind, **more):
        return frame(kind, **{"phase": self.phase, **more})

    def flood(self, kind):
        many = self.frame(kind) * 64
        while True:
            try:
                self.control.sendall(many)
            except OSError:
                signal.pause()

    def drip(self, kind):
        while True:
            self.say(self.frame(kind))
            time.sleep(0.1)


    def creep(self, step):
        """Claims that step more bytes were read, over and over."""
        for size in range(0, self.sent[1], step):
            self.say(self.frame(MOVING, size=size))
            time.sleep(0.1)


class Receiver(Peer):
    LIES = {
        "garbage": lambda p: b"SSH-2.0-OpenSSH\r\n" * 4,
        "half a frame": lambda p: p.frame(WELCOME)[:16],
        "another version": lambda p: p.frame(WELCOME, version=3),
        "unknown type": lambda p: p.frame(99),
        "refuse for reason 99": lambda p: p.frame(REFUSE, index=99),
        "refuse for reason 5": lambda p: p.frame(REFUSE, index=5),
        "refuse for EINTR": lambda p: p.frame(REFUSE, index=5, messages=errno.EINTR),
        "refuse for ETIME": lambda p: p.frame(REFUSE, index=5, messages=errno.ETIME),
        "READY": lambda p: p.frame(READY),
        "CONFIRM": lambda p: p.frame(CONFIRM),
        "PHASE": lambda p: p.frame(PHASE),
        "PHASE_OK of another phase": lambda p: frame(PHASE_OK, phase=p.phase + 1),
        "STOP twice": lambda p: p.frame(STOP) * 2,
        "elapsed unsaid": lambda p: p.confirm(),
        "elapsed 0": lambda p: p.elapsed(0) + p.confirm(),
        "elapsed 1 ns": lambda p: p.elapsed(1) + p.confirm(),
        "elapsed an hour": lambda p: p.elapsed(3600 * 10**9) + p.confirm(),
        "elapsed 2^64-1": lambda p: p.elapsed(2**64 - 1) + p.confirm(),
        "elapsed twice": lambda p: p.elapsed(10**7) * 2 + p.confirm(),
        "a byte more": lambda p: p.elapsed(10**7) + p.confirm(size=p.sent[1] + 1),
        "2^63 bytes": lambda p: p.elapsed(10**7) + p.confirm(size=2**63),
        "a message less": lambda p: p.elapsed(10**7) + p.confirm(messages=p.sent[0] - 1),
        "more errors than messages": lambda p: p.elapsed(10**7) + p.confirm(index=p.sent[0] + 1),
        "more read than sent": lambda p: p.frame(MOVING, size=p.sent[1] + 1),
        "a half not asked for": lambda p: p.frame(PHASE_OK, index=1),
        "half 7": lambda p: p.frame(PHASE_OK, index=7),
        "half of no bytes": lambda p: p.frame(HALF),
        "half too long": lambda p: p.frame(HALF, size=HALF_MAX + 1) + b" " * (HALF_MAX + 1),
        "half of 2^64-1 bytes": lambda p: p.frame(HALF, size=2**64 - 1),
        "half cut": lambda p: p.frame(HALF, size=1000) + b"{" * 999,
        "half with a line break": lambda p: p.half(b'"}\n{"event":"half","document":"{}"}'),
        "half with a NUL": lambda p: p.half(b"{}\0"),
        "half too deep": lambda p: p.half(b"[" * HALF_MAX),
        "half no JSON": lambda p: p.half(b"SSH-2.0"),
        "half of another kind": lambda p: p.half(b'{"schema":"netiotrace.result/1","runs":[]}'),
        "half of other bytes": lambda p: p.half(p.document(rx_bytes=p.sent[1] - 1)),
        "half of more CPU time than passed": lambda p: p.half(p.document(cpu_s={"receiver": 1e5})),
        "half below 0": lambda p: p.half(p.document(rx_messages=-1)),
    }

    def half(self, text):
        return self.frame(HALF, size=len(text)) + text

    def document(self, **app):
        unknown = {"quality": "unavailable"}
        return json.dumps({"schema": "netiotrace.half/1", "run": {
            "app": {"rx_bytes": self.sent[1], "rx_messages": self.sent[0], **app},
            "ledger": {"rx_copy": unknown, "other_copy": unknown}}}).encode()

    def confirm(self, **changes):
        return self.frame(CONFIRM, **{"messages": self.sent[0], "size": self.sent[1], **changes})

    def elapsed(self, ns):
        return self.frame(ELAPSED, size=ns)

    def run(self):
        s = socket.socket()
        if self.state.endswith("sending"):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.bind(("127.0.0.1", 0))
        s.listen()
        print(s.getsockname()[1], flush=True)
        self.control = s.accept()[0]
        self.at("accepted")
        exactly(self.control, 64)
        self.at("greeted")
        self.say(self.frame(WELCOME))
        self.at("welcomed")
        self.data = s.accept()[0]
        exactly(self.data, 64)
        self.at("connected")
        self.say(self.frame(READY))
        self.take_phase("warm-up")
        self.take_phase("measured")
        self.at("done")
        exactly(self.control, 1)

    def take_phase(self, name):
        kind, _, self.phase, asked, _ = read_frame(self.control)
        assert kind == PHASE
        self.at(name + " asked")
        begin = time.monotonic_ns()
        self.say(self.frame(PHASE_OK, index=int(asked and self.state == "measured confirmed")))
        self.at(name + " sending")
        self.read_messages()
        took = time.monotonic_ns() - begin
        self.at(name + " totals")
        self.say(self.elapsed(took if self.sent[1] else 0) + self.confirm())
        self.at(name + " confirmed")

    def read_messages(self):
        read, total = 0, None
        self.control.setblocking(False)
        self.data.settimeout(0.01)
        while total is None or read < total:
            try:
                read += len(self.data.recv(1 << 20))
            except TimeoutError:
                pass
            if total is None:
                try:
                    head = self.control.recv(1)
                except BlockingIOError:
                    continue
                self.control.setblocking(True)
                kind, _, _, messages, total = struct.unpack(
                    ">HIIQQ", (head + exactly(self.control, 31))[6:])
                assert kind == TOTAL
                self.sent = (messages, total)


class Sender(Peer):
    HALF = 5  # asks for the receiver's half: the load generator's counts
    LIES = {
        "garbage": lambda p: os.urandom(64),
        "half a hello": lambda p: hello(1)[:40],
        "another version": lambda p: hello(1, version=3),
        "2^32-1 connections": lambda p: hello(1, connections=2**32 - 1),
        "size 2^32-1": lambda p: hello(1, size=2**32 - 1),
        "WELCOME": lambda p: p.frame(WELCOME),
        "CONFIRM": lambda p: p.frame(CONFIRM),
        "TOTAL too early": lambda p: p.frame(TOTAL, messages=1, size=SIZE),
        "phase 7": lambda p: frame(PHASE, index=1, phase=7),
        "another PHASE": lambda p: frame(PHASE, index=0, phase=p.phase + 1),
        "a second warm-up": lambda p: frame(PHASE, index=0, phase=2),
        "TOTAL of connection 9": lambda p: p.frame(TOTAL, index=9, messages=1, size=SIZE),
        "TOTAL of 2^63 bytes": lambda p: p.frame(TOTAL, messages=2**47, size=2**63),
        "TOTAL of half a message": lambda p: p.frame(TOTAL, messages=1, size=SIZE // 2),
        "TOTAL of less than was sent": lambda p: p.frame(TOTAL),
        "TOTAL of more than was sent": lambda p: p.frame(TOTAL, messages=9, size=9 * SIZE),
        "half 16": lambda p: frame(PHASE, index=1, phase=p.phase + 1, messages=16),
        "half 2^63": lambda p: frame(PHASE, index=1, phase=p.phase + 1, messages=2**63),
        "HALF": lambda p: p.frame(HALF, size=2) + b"{}",
    }

    def hold(self, how):
        """Keeps the session alive by frames without progress."""
        if how == "by phases":
            while True:
                self.phase += 1
                self.say(self.frame(PHASE))
                self.say(self.frame(TOTAL))
                while read_frame(self.control)[0] != CONFIRM:
                    pass
        if how == "by single bytes":
            while True:
                self.data.sendall(b"x")
                time.sleep(0.1)
        for i in range(SLOW):
            self.say(self.frame(TOTAL, index=i))
            time.sleep(1)

    def dial(self, port):
        return socket.create_connection(("127.0.0.1", port))

    def run(self, port):
        self.control = self.dial(port)
        self.at("connected")
        many = SLOW if self.deed == "holds by slow totals" else 1
        self.say(hello(1, connections=many))
        assert read_frame(self.control)[0] == WELCOME
        self.at("welcomed")
        data = [self.dial(port) for _ in range(many)]
        for i, c in enumerate(data):
            c.sendall(hello(2, index=i, connections=many))
        self.data = data[0]
        assert read_frame(self.control)[0] == READY
        self.at("ready")
        self.make_phase("warm-up", 0)
        self.make_phase("measured", 1)
        self.at("done")

    def make_phase(self, name, measured):
        self.phase += 1
        self.say(self.frame(PHASE, index=measured, messages=self.HALF * measured))
        self.at(name + " asked")
        self.answers = [read_frame(self.control)]
        assert self.answers[0][0] == PHASE_OK
        self.at(name + " begun")
        self.data.sendall(struct.pack("<Q", measured) + bytes(SIZE // 2 - 8))  # the sequence number
        self.at(name + " in a message")
        self.data.sendall(bytes(SIZE // 2))
        self.at(name + " sent")
        self.say(self.frame(TOTAL, messages=1, size=SIZE))
        while self.answers[-1][0] != CONFIRM:
            self.answers.append(read_frame(self.control))
        self.at(name + " over")


if __name__ == "__main__":
    if sys.argv[1] == "receiver":
        Receiver(*sys.argv[2:4]).run()
    else:
        Sender(*sys.argv[3:5]).run(int(sys.argv[2]))
