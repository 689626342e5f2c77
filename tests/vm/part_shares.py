#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the parts of a send call from samples with those from exact times of the same run.

    part_shares.py DOCUMENT

Prints for each mode the shares of the time for which send calls were on a CPU. Samples: stacks of the sender inside
tcp_sendmsg. Exact times: path_ns without sleep (wait) and time of other tasks (preempted), which have no samples. The
two come from different rounds: a part's share differs between rounds, as the range of the timed rounds shows, and
samples are few, as Wilson's interval shows. Exit 1 if they differ. Started by hand on rounds in a guest whose clock
counts instructions (results: docs/measurements/send-call-parts.md):

    scripts/vm/run -i -o OUT -t 1800 6.12 /bin/bash -c 'build/netiotrace -q --mode onecopy --size 64k --backend fentry
        --rounds 8 --duration 1s --warmup 100ms --json "$VM_OUT/onecopy.json"'
"""
import collections
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from analysis.report.stack_rules import call_part  # noqa: E402

PARTS = ("lock", "copy", "pin", "transmit", "inline_receive", "release", "other")
# 95 % probability that none of the 21 comparisons of a run of three modes fails by chance.
Z = 3.03


def sampled(runs):
    count = collections.Counter()
    for run in runs:
        for stack in run["cpu"]["stacks"]:
            side, _, rest = stack.partition(";")
            frames, _, n = rest.rpartition(" ")
            part = call_part(frames)
            if side == "sender" and part and part.key in PARTS:
                count[part.key] += int(n)
    return count


def wilson(k, n):
    p, z2 = k / n, Z * Z / n
    half = Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n))
    return (p + z2 / 2 - half) / (1 + z2), (p + z2 / 2 + half) / (1 + z2)


def exact(run):
    """Shares of one timed round."""
    ns = {part: run["path_ns"][part] for part in PARTS}
    return {part: value / sum(ns.values()) for part, value in ns.items()}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        runs = json.load(f)["runs"]
    wrong = 0
    for mode in dict.fromkeys(run["mode"] for run in runs):
        own = [run for run in runs if run["mode"] == mode]
        count, rounds = sampled(own), [exact(run) for run in own]
        n = sum(count.values())
        print(f"{mode}: {n} samples in send calls, {len(rounds)} timed rounds")
        for part in PARTS:
            low, high = wilson(count[part], n)
            least, most = min(r[part] for r in rounds), max(r[part] for r in rounds)
            apart = most < low or least > high
            wrong += apart
            print(f"  {part:15} samples {count[part] / n:6.1%} ({low:6.1%} - {high:6.1%})  "
                  f"exact {least:6.1%} - {most:6.1%}{'  APART' if apart else ''}")
    return wrong != 0


sys.exit(main())
