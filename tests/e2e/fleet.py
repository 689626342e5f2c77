#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Clients that count their own bytes, and helpers of the tests of export.

    fleet.py http PORT REQUESTS        GETs over 4 keep-alive connections
    fleet.py redis PORT REQUESTS       SET and GET
    fleet.py zerocopy PORT SENDS       64 KiB sends with MSG_ZEROCOPY
    fleet.py fastopen PORT             one MSG_ZEROCOPY send that makes the connection, which cannot pin:
                                       {"sent": N, "copied": what its notification says}
    fleet.py sink FILE                 reads all it gets; FILE has its port
    fleet.py activate PID PORT COMMAND...
                                       runs COMMAND in the network namespace of PID; descriptor 3 listens
                                       on PORT of this one, as a service manager passes it (LISTEN_FDS)
    fleet.py hostile PORT FILE         100 connections that send a byte a second; FILE appears when they have begun
    fleet.py runtimes FILE             the kernel counts run times of BPF programs until it ends; FILE appears then
    fleet.py samples URL QUERY         sums a counter over its restarts: last values before each reset

A client prints {"sent": N, "received": N}: what send() and recv() returned."""
import ctypes
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import urllib.parse
import urllib.request

SO_ZEROCOPY, MSG_ZEROCOPY, MSG_ERRQUEUE, MSG_FASTOPEN = 60, 0x4000000, 0x2000, 0x20000000


class Counted:
    """A connection that counts its bytes."""

    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sent = self.received = 0
        self.buffer = b""

    def send(self, data, flags=0):
        while data:
            n = self.sock.send(data, flags)
            self.sent += n
            data = data[n:]

    def more(self):
        data = self.sock.recv(1 << 20)
        self.received += len(data)
        self.buffer += data
        return data

    def until(self, end):
        while end not in self.buffer:
            if not self.more():
                sys.exit("the server closed the connection")
        head, _, self.buffer = self.buffer.partition(end)
        return head

    def skip(self, n):
        while len(self.buffer) < n:
            if not self.more():
                sys.exit("the server closed the connection")
        self.buffer = self.buffer[n:]


def http(port, requests):
    conns = [Counted(port) for _ in range(4)]
    for i in range(requests):
        c = conns[i % 4]
        c.send(b"GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
        head = c.until(b"\r\n\r\n").lower()
        c.skip(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
    return conns


def redis(port, requests):
    c = Counted(port)
    value = b"v" * 1000
    for _ in range(requests):
        c.send(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000\r\n" + value + b"\r\n")
        c.until(b"+OK\r\n")
        c.send(b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n")
        c.until(b"$1000\r\n")
        c.skip(1002)
    return [c]


def zerocopy(port, sends):
    c = Counted(port)
    c.sock.setsockopt(socket.SOL_SOCKET, SO_ZEROCOPY, 1)
    data = bytes(65536)
    for _ in range(sends):
        c.send(data, MSG_ZEROCOPY)
        while select.select([], [], [c.sock], 0)[2]:
            try:
                c.sock.recvmsg(0, 256, MSG_ERRQUEUE | socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
    c.sock.shutdown(socket.SHUT_WR)
    while c.more():
        pass
    return [c]


def fastopen(port):
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, SO_ZEROCOPY, 1)
    sent = sock.sendto(bytes(60000), MSG_ZEROCOPY | MSG_FASTOPEN, ("127.0.0.1", port))
    poll = select.poll()
    poll.register(sock, 0)
    poll.poll(20000)
    error = sock.recvmsg(0, 256, MSG_ERRQUEUE)[1][0][2]
    sock.shutdown(socket.SHUT_WR)
    while sock.recv(65536):
        pass
    # ee_code of struct sock_extended_err: SO_EE_CODE_ZEROCOPY_COPIED
    print(json.dumps({"sent": sent, "copied": error[6] == 1}))


def sink(path):
    server = socket.create_server(("127.0.0.1", 0))
    with open(path + ".new", "w", encoding="ascii") as f:
        print(server.getsockname()[1], file=f)
    os.rename(path + ".new", path)

    def serve(conn):
        while conn.recv(1 << 20):
            pass
        conn.close()

    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


def hostile(port, path):
    slow = []
    for _ in range(100):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", port))
        slow.append(s)
    while True:
        for s in slow:
            try:
                s.send(b"G")
            except OSError:
                pass
        with open(path, "w", encoding="ascii") as f:
            f.write("x")
        time.sleep(1)


def activate(pid, port, command):
    """Acts as a service manager: the socket belongs to the caller's namespace, the program runs in that of pid."""
    server = socket.create_server(("127.0.0.1", port))
    os.dup2(server.fileno(), 3)
    os.set_inheritable(3, True)
    fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    if hasattr(os, "setns"):
        os.setns(fd, 0x40000000)
    else:
        if ctypes.CDLL(None, use_errno=True).setns(fd, 0x40000000):
            sys.exit("setns failed")
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
    os.execvp(command[0], command)


def runtimes(path):
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
    enable_stats, kind = 32, ctypes.c_uint32(0)
    if libc.syscall(number, enable_stats, ctypes.byref(kind), 4) < 0:
        sys.exit(f"BPF_ENABLE_STATS: {os.strerror(ctypes.get_errno())}")
    with open(path, "w", encoding="ascii") as f:
        f.write("x")
    signal.pause()


def samples(url, query):
    data = urllib.parse.urlencode({"query": query}).encode()
    with urllib.request.urlopen(url + "/api/v1/query", data) as answer:
        total = 0
        for series in json.load(answer)["data"]["result"]:
            values = [float(v) for _, v in series["values"]]
            total += sum(a for a, b in zip(values, values[1:]) if b < a) + values[-1]
    print(int(total))


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "sink":
        sink(args[0])
    elif what == "fastopen":
        fastopen(int(args[0]))
    elif what == "activate":
        activate(args[0], int(args[1]), args[2:])
    elif what == "hostile":
        hostile(int(args[0]), args[1])
    elif what == "runtimes":
        runtimes(args[0])
    elif what == "samples":
        samples(*args)
    else:
        conns = {"http": http, "redis": redis, "zerocopy": zerocopy}[what](int(args[0]), int(args[1]))
        for c in conns:
            c.sock.close()
        print(json.dumps({"sent": sum(c.sent for c in conns),
                          "received": sum(c.received for c in conns)}))


main()
