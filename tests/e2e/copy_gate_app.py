#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs that lose a way of sending without copies, as projects did.

relay spliced|wrapped: passes 8 MiB from one connection to another by splice, or by recv and send. zerocopy
enabled|disabled: sends 8 MiB with MSG_ZEROCOPY, with or without SO_ZEROCOPY; without it the kernel copies in
silence. idle: no connection.
"""
import os
import socket
import sys
import threading

TOTAL = 8 << 20
PIECE = 64 << 10
SO_ZEROCOPY = 60
MSG_ZEROCOPY = 0x4000000


def pair():
    listener = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listener.getsockname())
    server, _ = listener.accept()
    listener.close()
    return client, server


def drain(sock):
    buffer = bytearray(PIECE)
    count = 0
    while True:
        n = sock.recv_into(buffer)
        if not n:
            return count
        count += n


def feed(sock):
    piece = bytes(range(256)) * (PIECE // 256)
    for _ in range(TOTAL // PIECE):
        sock.sendall(piece)
    sock.close()


def splice(source, sink):
    ends = os.pipe()
    while True:
        n = os.splice(source.fileno(), ends[1], PIECE)
        if not n:
            return
        while n:
            n -= os.splice(ends[0], sink.fileno(), n)


def relay(how):
    peer, source = pair()
    sink, end = pair()
    feeder = threading.Thread(target=feed, args=(peer,))
    counts = []
    reader = threading.Thread(target=lambda: counts.append(drain(end)))
    feeder.start()
    reader.start()
    if how == "spliced":
        splice(source, sink)
    else:
        while True:
            piece = source.recv(PIECE)
            if not piece:
                break
            sink.sendall(piece)
    sink.close()
    reader.join()
    assert counts == [TOTAL]


def zerocopy(how):
    sender, end = pair()
    counts = []
    reader = threading.Thread(target=lambda: counts.append(drain(end)))
    reader.start()
    if how == "enabled":
        sender.setsockopt(socket.SOL_SOCKET, SO_ZEROCOPY, 1)
    piece = bytes(range(256)) * (PIECE // 256)
    for _ in range(TOTAL // PIECE):
        left = memoryview(piece)
        while left:
            left = left[sender.send(left, MSG_ZEROCOPY):]
        try:  # read a completion, so that the option memory does not run out
            sender.recvmsg(0, 256, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass
    sender.shutdown(socket.SHUT_WR)
    reader.join()
    assert counts == [TOTAL]


if __name__ == "__main__":
    if sys.argv[1] != "idle":
        {"relay": relay, "zerocopy": zerocopy}[sys.argv[1]](sys.argv[2])
