#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""stopped_fuse.py DIRECTORY FILE: mounts a file system that shows FILE as DIRECTORY/file. On SIGUSR1 it no longer
answers, as a network file system whose server stopped, and prints who waits. Ends when it is unmounted or killed.
Needs root.

Messages: struct fuse_in_header, fuse_out_header and the bodies of include/uapi/linux/fuse.h."""

import ctypes
import os
import signal
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, GETXATTR, FLUSH, INIT, OPENDIR, BATCH_FORGET = (
    1, 2, 3, 14, 15, 17, 18, 22, 25, 26, 27, 42)
ENOENT, ENOSYS = 2, 38
ROOT, FILE = 1, 2
KEEP_CACHE = 2  # FOPEN_KEEP_CACHE: pages that were read once are not asked for again

directory, content = sys.argv[1], open(sys.argv[2], "rb").read()
fuse = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"stopped", directory.encode(), b"fuse", 0,
              b"fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other" % fuse):
    sys.exit("mount: " + os.strerror(ctypes.get_errno()))
stopped = []
signal.signal(signal.SIGUSR1, lambda *_: stopped.append(True))


def attributes(node):
    size = len(content) if node == FILE else 0
    mode = 0o100755 if node == FILE else 0o40755
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(op, node, body):
    """The body of the answer, or an error number."""
    if op == INIT:
        return struct.pack("<4I2H2I2HI28x", 7, 31, 65536, 0, 12, 10, 65536, 1, 0, 0, 0)
    if op == LOOKUP:
        return struct.pack("<4Q2I", FILE, 0, 3600, 3600, 0, 0) + attributes(FILE) if body == b"file\0" else ENOENT
    if op == GETATTR:
        return struct.pack("<Q2I", 0, 0, 0) + attributes(node)
    if op in (OPEN, OPENDIR):
        return struct.pack("<Q2I", 1, KEEP_CACHE, 0)
    if op == READ:
        offset, size = struct.unpack("<8xQI", body[:20])
        return content[offset:offset + size]
    return b"" if op in (RELEASE, FLUSH) else ENOSYS


print("mounted", flush=True)
while True:
    try:
        request = os.read(fuse, 1 << 17)
    except OSError:
        break
    op, unique, node, pid = struct.unpack("<4xIQQ8xI", request[:36])
    # A request that was read and is not answered cannot be interrupted, not even by SIGKILL.
    if stopped:
        print("waits", pid, flush=True)
    if stopped or op in (FORGET, BATCH_FORGET):
        continue
    reply = answer(op, node, request[40:])
    error, reply = (-reply, b"") if isinstance(reply, int) else (0, reply)
    os.write(fuse, struct.pack("<IiQ", 16 + len(reply), error, unique) + reply)
