#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs netiotrace with `perf stat -p` on the same two processes over the same time.

    perf_witness.py NETIOTRACE OUT.json PERF.csv EVENTS ARGS...

perf is attached in the warm-up with disabled events (-D -1). netiotrace -v prints a line on stderr when the measured
phase begins and when it ends; at these lines this script enables and disables perf through its control pipe. Exit
77: perf cannot do this on this machine; prints the reason.
"""
import os
import re
import select
import subprocess
import sys
import time


def skip(reason):
    print(reason)
    sys.exit(77)


def load_generators(parent, deadline):
    """The two children of netiotrace, once both have their threads."""
    while time.monotonic() < deadline:
        pids = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                    ppid = int(f.read().rsplit(")", 1)[1].split()[1])
                if ppid == parent and len(os.listdir(f"/proc/{pid}/task")) > 1:
                    pids.append(pid)
            except (OSError, IndexError):
                continue
        if len(pids) == 2:
            return pids
        time.sleep(0.02)
    sys.exit("the load generator does not start")


class Perf:
    def __init__(self, pids, events, out):
        control, self.control = os.pipe()
        self.ack, ack = os.pipe()
        self.process = subprocess.Popen(
            ["perf", "stat", "-x", ",", "-o", out, "-e", events, "-D", "-1",
             "--control", f"fd:{control},{ack}", "-p", ",".join(pids)],
            pass_fds=(control, ack), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        os.close(control)
        os.close(ack)

    def tell(self, command):
        os.write(self.control, command.encode() + b"\n")
        if not select.select([self.ack], [], [], 5)[0] or not os.read(self.ack, 16):
            self.process.kill()
            skip("perf stat does not obey its control pipe: " + self.process.stderr.read())

    def end(self):
        self.process.send_signal(2)
        self.process.wait(10)


def main():
    netiotrace, out_json, out_perf, events = sys.argv[1:5]
    if not os.geteuid():
        os.nice(-15)  # so that perf gets commands within a millisecond, even on a busy machine
    run = subprocess.Popen([netiotrace, "-v", "--json", out_json, *sys.argv[5:]],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True, bufsize=1,
                           preexec_fn=lambda: os.nice(15) if not os.geteuid() else None)
    perf = Perf(load_generators(run.pid, time.monotonic() + 10), events, out_perf)
    perf.tell("disable")  # answered once the events are open
    for line in run.stderr:
        if re.search(r"round \d+: measuring$", line):
            perf.tell("enable")
        elif re.search(r"round \d+: measured$", line):
            perf.tell("disable")
    run.wait()
    perf.end()
    sys.exit(run.returncode)


main()
