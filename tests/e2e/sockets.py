#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs with known byte counts for attach to watch: sockets.py WHAT [ARGUMENT...].

  sink ADDRESS FILE [PORT]   writes its port to FILE, reads all data of each connection, until killed
  echo ADDRESS FILE COUNT    the same for COUNT connections, and sends everything back
  worker ADDRESS FILE        echo of one connection, in a thread with a name of its own, until killed
  exchange ADDRESS PORT N    sends N bytes and reads them back
  pass ADDRESS PORT N        sends N bytes, passes the socket to a child that sends N, then execs a third
  hand ADDRESS PORT N        sends N bytes, passes the socket by SCM_RIGHTS to a child that sends N
  giver ADDRESS PORT N FILE  sends N bytes, passes the socket to the receiver that listens at FILE
  receiver FILE              takes one socket and sends 4000 bytes on it
  waiting FILE ADDRESS PORT N  churn, once FILE exists
  name ADDRESS PORT          takes a process name with control characters and sends 23 bytes
  peek ADDRESS PORT N        exchange, with MSG_PEEK before each read
  splice ADDRESS PORT N      sends N bytes and takes them back by splice
  first ADDRESS N            an accepted socket whose first receive is a splice and first send a sendfile, of N bytes
  churn ADDRESS PORT N       N connections, one after another, of 23 bytes each
  copy ADDRESS PORT SECONDS  copies in its own memory for SECONDS of CPU time, and sends 23 bytes now and then
  tail ADDRESS PORT HOW      sends 100 bytes whenever all are acknowledged: with MSG_MORE (more), TCP_CORK (cork) or
                             neither (plain), or paced, so that they wait for that (paced); or (full) as much as
                             a peer takes that never reads; until killed
  hold ADDRESS PORT N FILE   N connections at once, 23 bytes each, then creates FILE, until killed
"""
import fcntl
import os
import selectors
import socket
import struct
import sys
import threading
import time


def listen(address, file, port=0):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family)
    sock.bind((address, int(port)))
    sock.listen(1024)
    with open(file + ".new", "w") as f:
        f.write(str(sock.getsockname()[1]))
    os.rename(file + ".new", file)
    return sock


def connect(address, port):
    return socket.create_connection((address, int(port)))


def read_exactly(sock, n, peek=False):
    while n:
        if peek:
            sock.recv(min(n, 1 << 16), socket.MSG_PEEK)
        got = len(sock.recv(min(n, 1 << 16)))
        if not got:
            sys.exit("the connection ended early")
        n -= got


def sink(address, file, port=0):
    selector = selectors.DefaultSelector()
    listener = listen(address, file, port)
    listener.setblocking(False)
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                try:
                    selector.register(listener.accept()[0], selectors.EVENT_READ)
                except BlockingIOError:
                    pass
            elif not key.fileobj.recv(1 << 18):
                selector.unregister(key.fileobj)
                key.fileobj.close()


def echo(address, file, count):
    listener = listen(address, file)
    for _ in range(int(count)):
        sock = listener.accept()[0]
        while data := sock.recv(1 << 16):
            sock.sendall(data)
        sock.close()


def worker(address, file):
    def work():
        with open("/proc/thread-self/comm", "w") as f:
            f.write("worker")
        echo(address, file, 1)

    threading.Thread(target=work).start()
    time.sleep(600)


def exchange(address, port, n, peek=False):
    sock = connect(address, port)
    left = int(n)
    while left:
        part = min(left, 30000)
        sock.sendall(b"x" * part)
        read_exactly(sock, part, peek)
        left -= part


def pass_on(address, port, n):
    sock = connect(address, port)
    sock.sendall(b"x" * int(n))
    if os.fork() == 0:
        sock.sendall(b"y" * int(n))
        os._exit(0)
    os.wait()
    os.set_inheritable(sock.fileno(), True)
    code = "import os, sys; os.write(%d, b'z' * %d)" % (sock.fileno(), int(n))
    os.execv(sys.executable, [sys.executable, "-c", code])


def hand(address, port, n):
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        fd = socket.recv_fds(theirs, 1, 1)[1][0]
        socket.socket(fileno=fd).sendall(b"y" * int(n))
        os._exit(0)
    sock = connect(address, port)
    sock.sendall(b"x" * int(n))
    socket.send_fds(ours, [b"x"], [sock.fileno()])
    sock.close()
    os.wait()


def giver(address, port, n, file):
    sock = connect(address, port)
    sock.sendall(b"x" * int(n))
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(file)
        socket.send_fds(channel, [b"x"], [sock.fileno()])
        sock.close()


def receiver(file):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(file)
    listener.listen()
    channel = listener.accept()[0]
    fd = socket.recv_fds(channel, 1, 1)[1][0]
    channel.recv(1)  # the giver has closed it, and does not end the connection
    socket.socket(fileno=fd).sendall(b"y" * 4000)


def waiting(file, address, port, n):
    open("waiting", "w").close()
    while not os.path.exists(file):
        time.sleep(0.02)
    churn(address, port, n)


def name(address, port):
    sock = connect(address, port)
    with open("/proc/self/comm", "w") as f:
        f.write("\x1b[31m\nx\x07")
    sock.sendall(b"x" * 23)


def take_by_splice(address, port, n):
    sock = connect(address, port)
    out, pipe = os.pipe()
    left = int(n)
    while left:
        part = min(left, 30000)
        sock.sendall(b"x" * part)
        left -= part
        while part:
            got = os.splice(sock.fileno(), pipe, part)
            part -= len(os.read(out, got))


def first(address, n):
    listener = listen(address, "first.port")
    peer = socket.create_connection(listener.getsockname())
    peer.sendall(b"x" * int(n))
    sock, _ = listener.accept()
    reader, writer = os.pipe()
    left = int(n)
    while left:
        left -= os.splice(sock.fileno(), writer, left)
        os.read(reader, int(n))
    with open("first.bytes", "w+b") as file:
        file.write(b"y" * int(n))
        file.flush()
        while left < int(n):
            left += os.sendfile(sock.fileno(), file.fileno(), left, int(n) - left)
    while left:
        left -= len(peer.recv(left))


def churn(address, port, n):
    for _ in range(int(n)):
        with connect(address, port) as sock:
            sock.sendall(b"x" * 23)
            # Until the other side has closed as well: otherwise sockets wait for it after the
            # program's end.
            sock.shutdown(socket.SHUT_WR)
            sock.recv(1)


def copy(address, port, seconds):
    sock = connect(address, port)
    source, target = bytes(1 << 16), memoryview(bytearray(1 << 16))
    while time.process_time() < float(seconds):
        for _ in range(1000):
            target[:] = source
        sock.sendall(b"x" * 23)


def tail(address, port, how):
    sock = connect(address, port)

    # With bytes in flight, an ACK sends the last ones.
    def send(flags=0, acknowledged=True):
        sock.send(b"x" * 100, flags)
        while acknowledged and struct.unpack("i", fcntl.ioctl(sock, 0x5411, bytes(4)))[0]:  # SIOCOUTQ
            time.sleep(0.005)

    if how == "full":
        listener = socket.create_server((address, 0))
        sock = connect(*listener.getsockname())
        sock.setblocking(False)
        try:
            while True:
                send(socket.MSG_MORE, False)
        except BlockingIOError:
            time.sleep(600)
    if how == "cork":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    if how == "paced":
        sock.setsockopt(socket.SOL_SOCKET, 47, 1000)  # SO_MAX_PACING_RATE, bytes/s
        for _ in range(12):  # the kernel does not pace the first ten packets
            send()
    while True:
        if how == "paced":
            send(acknowledged=False)
        send(socket.MSG_MORE if how in ("more", "paced") else 0)
        if how == "plain":
            time.sleep(0.005)


def hold(address, port, n, file):
    socks = [connect(address, port) for _ in range(int(n))]
    for sock in socks:
        sock.sendall(b"x" * 23)
    open(file, "w").close()
    time.sleep(600)


if __name__ == "__main__":
    what = {"sink": sink, "echo": echo, "exchange": exchange, "pass": pass_on, "name": name,
            "peek": lambda a, p, n: exchange(a, p, n, True), "splice": take_by_splice, "churn": churn, "copy": copy,
            "first": first, "worker": worker, "tail": tail,
            "hold": hold, "hand": hand, "giver": giver, "receiver": receiver, "waiting": waiting}
    what[sys.argv[1]](*sys.argv[2:])
