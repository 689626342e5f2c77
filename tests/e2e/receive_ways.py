#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Receives without a copy, and says how much by the returns of its own calls: receive_ways.py WAY...

Each WAY receives one connection over loopback, from its first byte to its end: recv, trunc (MSG_TRUNC),
splice, mmap (TCP_ZEROCOPY_RECEIVE; what it does not map is read, as tcp_mmap of the kernel's selftests does),
copybuf (the same, through its copy buffer), mixed (by turns). The sender uses MSG_ZEROCOPY: on loopback the
kernel copies its pages late, into whole pages, which can be mapped. Prints "STAGE BYTES" of what was received.
"""
import ctypes
import os
import select
import socket
import struct
import sys
import threading

CHUNK = 65536
SENT = 20 * CHUNK + 4321
TCP_ZEROCOPY_RECEIVE = 35
SO_ZEROCOPY, MSG_ZEROCOPY = 60, 0x4000000
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]

counts = dict.fromkeys(("rx_copy", "rx_map", "rx_discard", "rx_splice"), 0)


class Receiver:
    def __init__(self, conn):
        self.conn = conn
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, CHUNK)
        self.at = LIBC.mmap(None, CHUNK, 1, 1, conn.fileno(), 0)
        self.copybuf = ctypes.create_string_buffer(4096)
        self.pipe = os.pipe()
        self.sink = os.open("/dev/null", os.O_WRONLY)

    def recv(self, most=CHUNK):
        n = len(self.conn.recv(most))
        counts["rx_copy"] += n
        return n

    def trunc(self):
        n = self.conn.recv_into(bytearray(CHUNK), CHUNK, socket.MSG_TRUNC)
        counts["rx_discard"] += n
        return n

    def splice(self):
        n = os.splice(self.conn.fileno(), self.pipe[1], CHUNK)
        counts["rx_splice"] += n
        left = n
        while left:
            left -= os.splice(self.pipe[0], self.sink, left)
        return n

    def zerocopy(self, copybuf_len):
        buf = ctypes.addressof(self.copybuf) if copybuf_len else 0
        request = ctypes.create_string_buffer(
            struct.pack("=QIIIiQiI", self.at, CHUNK, 0, 0, 0, buf, copybuf_len, 0))
        length = ctypes.c_uint(len(request) - 1)
        if LIBC.getsockopt(self.conn.fileno(), 6, TCP_ZEROCOPY_RECEIVE, request, ctypes.byref(length)):
            return 0  # EIO: the end
        _, mapped, hint, _, _, _, copied, _ = struct.unpack("=QIIIiQiI", request.raw[:40])
        copied = copied if copybuf_len else 0
        counts["rx_map"] += mapped
        counts["rx_copy"] += copied
        return mapped + copied + (self.recv(hint) if hint else 0) or self.recv()

    def mmap(self):
        return self.zerocopy(0)

    def mixed(self):
        taken = 0
        for way in (self.mmap, self.recv, self.copybuf_way, self.trunc, self.mmap, self.splice):
            taken += way()
        return taken

    def copybuf_way(self):
        return self.zerocopy(len(self.copybuf))


def send(address):
    with socket.create_connection(address) as s:
        s.setsockopt(socket.SOL_SOCKET, SO_ZEROCOPY, 1)
        data = memoryview(bytearray(SENT))
        sent = 0
        while sent < SENT:
            sent += s.send(data[sent:sent + CHUNK], MSG_ZEROCOPY)
        s.shutdown(socket.SHUT_WR)
        s.recv(1)


def main():
    for way in sys.argv[1:]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            sender = threading.Thread(target=send, args=(server.getsockname(),))
            sender.start()
            conn, _ = server.accept()
        receiver = Receiver(conn)
        take = receiver.copybuf_way if way == "copybuf" else getattr(receiver, way)
        while select.select([conn], [], []) and take():
            pass
        LIBC.munmap(ctypes.c_void_p(receiver.at), ctypes.c_size_t(CHUNK))
        conn.close()
        sender.join()
    assert sum(counts.values()) == SENT * len(sys.argv[1:]), counts
    for stage, n in counts.items():
        print(stage, n)


if __name__ == "__main__":
    main()
