#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the classes of a run's samples with the samples of perf record in the same round.

    perf_shares.py CLASSIFY MODE DOCUMENT PID <perf script --show-task-events --show-mmap-events -F comm,pid,time,ip,sym,dso

PID is the run's; stdin has the samples of one CPU after the other. perf samples CPUs, not the run's tasks: per-task
sampling would add perf's own work at each context switch. perf sees the measured and the sampled round of the mode.
Each has processes of its own; the last sender and receiver belong to the sampled round. An exact test checks
that both counts of a class can come from one share. Overlapping 95 % intervals are no such test: two counts of one
share violate that often, above all in rare classes (the interval of one sample excludes 0, which the other may
have). The test assumes independent samples. Both counts cover the same time, so changes during it affect both
(docs/measurements/perf-all-cpus.md).

A wrong rule affects both counts equally and remains unseen. So perf's stacks whose innermost function copies, called
by a function of a known stage, must have the class of that stage.
"""
import collections
import json
import math
import re
import subprocess
import sys

# Two counts differ if chance makes a difference this large or larger so rarely. In a thousand runs
# with two dozen classes one comparison may fail.
CHANCE = 4e-5
KERNEL = 1 << 63
# Of kernels from 5.10 on, x86 and arm64. Few and simple: both counts use the same rules.
COPIER = re.compile("rep_movs|copy_user|__arch_copy_|_?copy_(from|to)_(user|iter)")
STAGES = {"tcp_sendmsg": "tx_copy", "skb_copy_datagram": "rx_copy"}
HEAD = re.compile(r"\s*(?P<comm>.+?)\s+(?P<pid>\d+)\s+(?P<time>\d+\.\d+):")
FRAME = re.compile(r"\s+(?P<ip>[0-9a-f]+)\s+(?P<sym>.+?)\s+\((?P<dso>.*)\)\s*$")
MMAP = re.compile(r".*PERF_RECORD_MMAP2? (\d+)/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) .*\]: \S+ (.+)$")
FORK = re.compile(r".*PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")
WARM_UP = 0.05  # s, of a sampled round: the run's samples begin after it
MARGIN = 0.01   # s, at both ends of the compared time: the first payload may be sent before its first sample


def family(lines, root):
    """PIDs of root, its children and their children."""
    children = collections.defaultdict(set)
    for fork in filter(None, map(FORK.match, lines)):
        if fork[1] != fork[2]:  # otherwise a thread
            children[fork[2]].add(fork[1])
    ours, new = set(), {root}
    while new:
        ours |= new
        new = set().union(*(children[pid] for pid in new)) - ours
    return ours


def mapped(lines):
    """Executable mappings of each process: a perf of one CPU does not see mappings made on another."""
    maps = collections.defaultdict(list)
    for m in filter(None, map(MMAP.match, lines)):
        start = int(m[2], 16)
        maps[m[1]].append((start, start + int(m[3], 16), m[4]))
    return maps


def samples(lines, root):
    """For each sample: PID, time, kernel functions (outermost first) or the file of user code."""
    head, frames, ours, maps = None, [], family(lines, root), mapped(lines)
    for line in lines:
        if "PERF_RECORD_" in line:
            continue
        if not line.strip():
            if head and head["pid"] in ours:
                yield head["pid"], float(head["time"]), name_of(frames, maps[head["pid"]])
            head, frames = None, []
        elif head is None:
            head = HEAD.match(line)
        elif frame := FRAME.match(line):
            frames.append(frame)


def name_of(frames, maps):
    """frames: innermost first. Files known to perf have file offsets, others process addresses."""
    kernel = [f["sym"] for f in frames if int(f["ip"], 16) & KERNEL]
    if kernel:
        return ";".join(reversed(kernel))
    file = frames[0]["dso"] if frames else "user"
    if file == "[unknown]":
        ip = int(frames[0]["ip"], 16)
        file = next((name for start, end, name in maps if start <= ip < end), file)
    return "[" + file.rsplit("/", 1)[-1] + "]"


def is_payload(stack):
    return "tcp_sendmsg" in stack or "skb_copy_datagram" in stack


def sides(taken, sampled_s):
    """Stacks of the sampled phase by side. The phase begins after the warm-up, which starts with the first payload."""
    by_pid = collections.defaultdict(list)
    for pid, time, stack in sorted(taken):
        by_pid[pid].append((time, stack))
    last = {}
    for _, stacks in sorted(by_pid.items(), key=lambda item: item[1][0][0]):
        sends = sum("tcp_sendmsg" in stack for _, stack in stacks)
        if any(is_payload(stack) for _, stack in stacks):
            last["sender" if sends * 2 > sum(is_payload(stack) for _, stack in stacks) else "receiver"] = stacks
    start = max(next(time for time, stack in stacks if is_payload(stack)) for stacks in last.values()) + WARM_UP
    begin, end = start + MARGIN, start + sampled_s - MARGIN
    return {side: [stack for time, stack in stacks if begin < time < end] for side, stacks in last.items()}


def plainly(stack):
    """The class of a stack whose innermost function copies for a named stage; None: needs the rules."""
    functions = stack.split(";")
    if not COPIER.match(functions[-1]) or "net_rx_action" in functions:
        return None
    callers = [name for f in functions for start, name in STAGES.items() if f.startswith(start)]
    return callers[-1] if callers else None


def classes(classify, mode, stacks):
    """Samples by side and class, and the number whose class differs from the stage that their innermost function names."""
    taken = [(side, stack) for side, all_of in stacks.items() for stack in all_of]
    text = "".join(f"{side};{stack} 1\n" for side, stack in taken)
    out = subprocess.run([classify, mode], input=text, capture_output=True, text=True, check=True).stdout
    counts = {side: collections.Counter() for side in stacks}
    wrong = 0
    for (side, stack), line in zip(taken, out.splitlines(), strict=True):
        name = line.split()[1]
        counts[side][name] += 1
        if plainly(stack) not in (None, name):
            wrong += 1
            print(f"{plainly(stack)}, and {name} by the rules: {stack}")
    return counts, wrong


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def chance(k, n, l, m):
    """Fisher's exact test: probability that k of n and l of m of one share differ this much. Twice the smaller tail."""
    def hypergeometric(i):
        return math.exp(log_choose(n, i) + log_choose(m, k + l - i) - log_choose(n + m, k + l))
    low = sum(hypergeometric(i) for i in range(max(0, k + l - m), k + 1))
    high = sum(hypergeometric(i) for i in range(k, min(n, k + l) + 1))
    return min(1, 2 * low, 2 * high)


def interval(k, n):
    """Wilson's interval at 95 %."""
    p, z2 = k / n, 1.96 ** 2
    half = 1.96 * (p * (1 - p) / n + z2 / (4 * n * n)) ** 0.5
    return f"{max(0, p + z2 / (2 * n) - half) / (1 + z2 / n):5.1%} to {(p + z2 / (2 * n) + half) / (1 + z2 / n):5.1%}"


def compare(side, ours, perfs):
    n, m = sum(ours.values()), sum(perfs.values())
    print(f"{side}: {n} samples of the run, {m} of perf")
    apart = 0
    for name in sorted(set(ours) | set(perfs), key=lambda c: -perfs[c]):
        p = chance(ours[name], n, perfs[name], m)
        apart += p < CHANCE
        print(f"  {name:14} {ours[name] / n:6.1%} ({interval(ours[name], n)})   perf {perfs[name] / m:6.1%} "
              f"({interval(perfs[name], m)})   p {p:.2g}{'   APART' if p < CHANCE else ''}")
    return apart


def main():
    classify, mode, document, root = sys.argv[1:]
    with open(document, encoding="utf-8") as f:
        run = json.load(f)["runs"][-1]
    seen, apart = classes(classify, mode, sides(samples(list(sys.stdin), root), run["cpu"]["sampled_s"]))
    for side in ("sender", "receiver"):
        cpu = run["cpu"][side]
        ours = collections.Counter()
        for name, ns in cpu["ns"].items():
            if ns:
                ours[name] = round(cpu["samples"] * ns / cpu["cpu_ns"])
        apart += compare(side, ours, seen[side])
    sys.exit(1 if apart else 0)


if __name__ == "__main__":
    main()
