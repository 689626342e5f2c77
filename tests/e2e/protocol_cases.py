#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The cases of protocol.bats, in parallel: protocol_cases.py clients|servers|signals|children.

NETIOTRACE and LOADGEN name the programs. Prints a line for each case that fails; the last line has the number of
cases. Exit 1 if one failed. PROTOCOL_CASE=WORDS: only cases with these words in their name."""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NETIOTRACE, LOADGEN = os.environ["NETIOTRACE"], os.environ["LOADGEN"]
SHORT = {**os.environ, "NETIO_LIMITS_DIVISOR": "10"}
# No limit is this long: a process that still runs then hangs.
HANG_S = 60
# A signal ends every wait earlier than this; without it a wait for the peer lasts 30 s.
SIGNAL_S = 20
PYTHON = sys.executable


class Failed(Exception):
    pass


def peer(*words):
    return subprocess.Popen([sys.executable, HERE + "/protocol_peer.py", *words], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)


def end(*processes):
    for p in processes:
        p.kill()
        p.wait()


def check(holds, what, *more):
    if not holds:
        raise Failed("; ".join([what, *(str(m).strip() for m in more)]))


def start(argv, directory, env):
    return subprocess.Popen(argv, cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def finish(p, seconds=HANG_S):
    """Exit code, stdout and stderr; kills the process if it does not end."""
    try:
        out, err = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        raise Failed("it hangs") from None
    return p.returncode, out, err


def client(port, directory, env, *more, mode="onecopy"):
    return start([NETIOTRACE, "-q", "--backend", "none", "--mode", mode, "--messages", "230",
                  "--warmup", "20ms", "--json", "out.json", *more, "--connect", f"127.0.0.1:{port}"],
                 directory, env)


# LeakSanitizer says this in a load generator that is killed while it looks for leaks at its exit: its threads are gone.
OF_SANITIZER = re.compile(r"==\d+==Unable to get registers from thread \d+\.$")


def one_sentence(directory, code, out, err, pattern=""):
    check(code == 1, f"exit {code}, not 1", err, out)
    lines = [line for line in err.splitlines() if not OF_SANITIZER.match(line)]
    check(len(lines) == 1 and re.match(r"netiotrace: .*\.$", lines[0]), "not one sentence", err)
    check(re.search(pattern, err), f"no '{pattern}'", err)
    check(not out and not os.listdir(directory), "something is left", out, os.listdir(directory))


# --- a client with a faulty receiver ---

CLIENT_STATES = ["accepted", "greeted", "welcomed", "connected", "warm-up asked", "warm-up sending",
                 "warm-up totals", "measured asked", "measured sending", "measured totals", "measured confirmed"]
CLIENT_LIES = [
    ("greeted", "garbage", "not a netiotrace receiver"),
    ("greeted", "half a frame", ""),
    ("greeted", "another version", "another version"),
    ("greeted", "unknown type", ""),
    ("greeted", "refuse for reason 99", "reason 99"),
    ("greeted", "refuse for reason 5", "reason 5"),
    ("greeted", "READY", "sent READY before WELCOME"),
    ("connected", "CONFIRM", "sent CONFIRM before READY"),
    ("connected", "PHASE", "sent PHASE before READY"),
    ("warm-up asked", "PHASE_OK of another phase", "PHASE_OK"),
    ("warm-up asked", "refuse for reason 99", "sent REFUSE before PHASE_OK"),
    ("measured sending", "STOP twice", "sent STOP"),
    ("measured sending", "CONFIRM", "sent CONFIRM"),
    ("warm-up totals", "elapsed 1 ns", "cannot be"),
    ("warm-up totals", "a byte more", "totals differ"),
    ("measured totals", "elapsed unsaid", "how long"),
    ("measured totals", "elapsed 0", "cannot be"),
    ("measured totals", "elapsed 1 ns", "cannot be"),
    ("measured totals", "elapsed an hour", "cannot be"),
    ("measured totals", "elapsed 2^64-1", "cannot be"),
    ("measured totals", "elapsed twice", "sent ELAPSED"),
    ("measured totals", "a byte more", "totals differ"),
    ("measured totals", "2^63 bytes", "totals differ"),
    ("measured totals", "a message less", "totals differ"),
    ("measured totals", "more errors than messages", "totals differ"),
    ("measured totals", "more read than sent", "read more than was sent"),
    ("warm-up asked", "a half not asked for", "is not a netiotrace receiver"),
    ("measured asked", "half 7", "is not a netiotrace receiver"),
    ("measured confirmed", "half of no bytes", "is not what its machine measured"),
    ("measured confirmed", "half too long", "is not what its machine measured"),
    ("measured confirmed", "half of 2^64-1 bytes", "is not what its machine measured"),
    ("measured confirmed", "half cut", "does not send what its machine measured"),
    ("measured confirmed", "half with a line break", "is not what its machine measured"),
    ("measured confirmed", "half with a NUL", "is not what its machine measured"),
    ("measured confirmed", "half too deep", "too long or too deep"),
    ("measured confirmed", "half no JSON", "not a document of this kind"),
    ("measured confirmed", "half of another kind", "not a document of this kind"),
    ("measured confirmed", "half of other bytes", "other bytes than it confirmed"),
    ("measured confirmed", "half of more CPU time than passed", "more CPU time than has passed"),
    ("measured confirmed", "half below 0", "app.rx_messages"),
    ("measured confirmed", "CONFIRM", "is not what its machine measured"),
]


def wrong_receiver(state, deed, pattern="", more=(), mode="onecopy"):
    """On a busy machine the peer may lie only after the short limits: then tries another."""
    give_up = time.monotonic() + HANG_S
    while True:
        with tempfile.TemporaryDirectory() as directory:
            p = peer("receiver", state, deed)
            try:
                c = client(p.stdout.readline().strip(), directory, SHORT, *more, mode=mode)
                code, out, err = finish(c)
            finally:
                end(p)
            late = not re.search(pattern, err) and re.search("timed out|does not answer", err)
            late = late and time.monotonic() < give_up
            one_sentence(directory, code, out, err, "" if late else pattern)
            if not late:
                return


def refusing_receiver(deed):
    """The errno in REFUSE is the receiver's: the sender does not take it for an end of its own wait."""
    p = peer("receiver", "greeted", deed)
    try:
        s = start([LOADGEN, "send", "--connect", "127.0.0.1:" + p.stdout.readline().strip(), "--receive", "mmap",
                   "--messages", "9999"], ".", dict(os.environ))
        code, _, err = finish(s)
    finally:
        end(p)
    check(code == 1 and len(err.splitlines()) == 1, f"exit {code}, not 1 with a sentence", err)
    check("--receive mmap cannot work on the receiver's machine" in err, "another sentence", err)


def slow_receiver():
    """It claims progress for ever, 8 KiB at a time: the bytes in flight have a limit in all, 5 minutes / 30."""
    env = {**os.environ, "NETIO_LIMITS_DIVISOR": "30"}
    give_up = time.monotonic() + HANG_S
    while True:
        p = peer("receiver", "measured totals", "creeps 8192")
        try:
            s = start([LOADGEN, "send", "--connect", "127.0.0.1:" + p.stdout.readline().strip(), "--messages", "9999",
                       "--warmup", "20ms"], ".", env)
            reached = p.stdout.readline()
            code, _, err = finish(s)
        finally:
            end(p)
        if reached:
            check(code == 1 and len(err.splitlines()) == 1, f"exit {code}, not 1 with a sentence", err)
            return
        check(time.monotonic() < give_up, "the peer does not come so far")


def late_receiver(deed):
    """After all messages are confirmed, a faulty receiver has no effect."""
    with tempfile.TemporaryDirectory() as directory:
        p = peer("receiver", "done", deed)
        try:
            code, out, err = finish(client(p.stdout.readline().strip(), directory, os.environ))
        finally:
            end(p)
        check(code == 0 and not out and not err, f"exit {code}, not 0", err)
        check(os.listdir(directory) == ["out.json"], "files", os.listdir(directory))


def clients():
    for state in CLIENT_STATES:
        for deed in ["killed", "stopped", "silent", "flood MOVING", "flood STOP", "drip MOVING"]:
            unknown = state in ("accepted", "greeted") and " " not in deed
            yield f"receiver, {state}: {deed}", wrong_receiver, (
                state, deed, "is not a netiotrace receiver" if unknown else "")
    for state, deed, pattern in CLIENT_LIES:
        yield f"receiver, {state}: {deed}", wrong_receiver, (state, deed, pattern)
    yield "receiver, measured totals: creeps 1", wrong_receiver, ("measured totals", "creeps 1")
    yield "receiver, measured totals: creeps 8192", slow_receiver, ()
    for deed in ("refuse for EINTR", "refuse for ETIME"):
        yield f"receiver, greeted: {deed}", refusing_receiver, (deed,)
    # Each way of sending waits in its own code.
    for mode, more in [("twocopy", ("--rate", "100000/s")), ("onecopy", ("--request-response",)), ("zerocopy", ()),
                       ("onecopy", ("--request-response", "--rate", "1000/s")), ("zerocopy", ("--rate", "100000/s"))]:
        # The faulty receiver sends no replies.
        state = "warm-up sending" if "--request-response" in more else "measured sending"
        for deed in ["killed", "silent"]:
            yield f"receiver, {state}: {deed}, {mode} {more}", wrong_receiver, (state, deed, "", more, mode)
    for deed in ["killed", "stopped", "silent", "flood MOVING"]:
        yield f"receiver, done: {deed}", late_receiver, (deed,)


# --- signals to a client, a sender and a receiver alone with a silent peer; limits are not divided
# here ---

def signalled_client(state, signo):
    with tempfile.TemporaryDirectory() as directory:
        p = peer("receiver", state, "silent")
        try:
            c = client(p.stdout.readline().strip(), directory, os.environ)
            p.stdout.readline()
            c.send_signal(signo)
            code, out, err = finish(c, SIGNAL_S)
        finally:
            end(p)
        check(code == 128 + signo and not err, f"exit {code}, not {128 + signo}", err)
        with open(directory + "/out.json", encoding="utf-8") as f:
            d = json.load(f)
        check(d["interrupted"] and all(r["interrupted"] for r in d["runs"]), "not interrupted")


def signalled_sender(state, signo):
    with tempfile.TemporaryDirectory() as directory:
        p = peer("receiver", state, "silent")
        try:
            s = start([LOADGEN, "send", "--mode", "zerocopy", "--connect", "127.0.0.1:" + p.stdout.readline().strip(),
                       "--messages", "230", "--warmup", "20ms", "--json"], directory, os.environ)
            p.stdout.readline()
            s.send_signal(signo)
            code, out, err = finish(s, SIGNAL_S)
        finally:
            end(p)
        check(code == 1 and len(err.splitlines()) == 1, f"exit {code}, not 1 with a sentence", err)
        check(not state.startswith("measured s") or json.loads(out)["sender"]["interrupted"], "no results", out)


def signalled_receiver(state, signo):
    with tempfile.TemporaryDirectory() as directory:
        r = start([LOADGEN, "recv", "--listen", "127.0.0.1:0", "--json"], directory, os.environ)
        p = peer("sender", r.stderr.readline().strip().rpartition(":")[2], state, "silent")
        try:
            p.stdout.readline()
            r.send_signal(signo)
            code, out, err = finish(r, SIGNAL_S)
        finally:
            end(p)
        begun = state not in ("connected", "welcomed", "done")
        check(code == begun and len(err.splitlines()) == begun, f"exit {code}", err)
        check(not state.startswith("measured") or json.loads(out)["receiver"]["interrupted"], "no results", out)


def signals():
    for signo in (signal.SIGINT, signal.SIGTERM):
        for state in CLIENT_STATES:
            yield f"{signo.name}, client, {state}", signalled_client, (state, signo)
    for state in CLIENT_STATES[1:-1]:
        yield f"SIGINT, netio-loadgen send, {state}", signalled_sender, (state, signal.SIGINT)
    for state in SERVER_STATES:
        if state not in ("measured over", "done"):
            yield f"SIGTERM, netio-loadgen recv, {state}", signalled_receiver, (state, signal.SIGTERM)


# --- a server with a faulty sender ---

SERVER_STATES = ["connected", "welcomed", "ready", "warm-up begun", "warm-up in a message", "warm-up sent",
                 "warm-up over", "measured asked", "measured begun", "measured in a message", "measured sent", "measured over"]
SERVER_LIES = [
    ("connected", "garbage"), ("connected", "half a hello"), ("connected", "another version"),
    ("connected", "2^32-1 connections"), ("connected", "size 2^32-1"), ("welcomed", "WELCOME"),
    ("ready", "CONFIRM"), ("ready", "TOTAL too early"), ("ready", "phase 7"),
    ("warm-up begun", "another PHASE"), ("warm-up begun", "CONFIRM"), ("warm-up over", "a second warm-up"),
    ("warm-up over", "TOTAL too early"), ("measured sent", "TOTAL of connection 9"),
    ("measured sent", "TOTAL of 2^63 bytes"), ("measured sent", "TOTAL of half a message"),
    ("measured sent", "TOTAL of less than was sent"), ("measured sent", "TOTAL of more than was sent"),
    ("measured over", "phase 7"), ("warm-up over", "half 16"), ("warm-up over", "half 2^63"),
    ("measured over", "HALF"), ("measured asked", "HALF"),
]


def served(port, directory):
    """A correct client, which may have to retry while the faulty sender has its session."""
    give_up = time.monotonic() + HANG_S
    while True:
        code, out, err = finish(start([LOADGEN, "send", "--connect", f"127.0.0.1:{port}", "--size", "4k", "--messages",
                                       "23", "--threads", "2", "--verify", "--json"], directory, os.environ))
        if code == 0:
            sent = json.loads(out)["sender"]
            check(sent["confirmed"]["rx_messages"] == 23 and sent["confirmed"]["verify_errors"] == 0, "not served")
            return
        check("busy" in err, "the next client is not served", err)
        check(time.monotonic() < give_up, "the next client is never served")
        time.sleep(0.1)


def reach(port, state, deed):
    """Starts a peer and waits for its state. On a busy machine the peer may miss the short limits: then tries another."""
    give_up = time.monotonic() + HANG_S
    while True:
        p = peer("sender", port, state, deed)
        if p.stdout.readline():
            return p
        end(p)
        check(time.monotonic() < give_up, "the peer does not come so far")


def wrong_sender(state, deed):
    with tempfile.TemporaryDirectory() as directory:
        s = start([NETIOTRACE, "serve", "--listen", "127.0.0.1:0"], directory, SHORT)
        port = s.stdout.readline().strip().rpartition(":")[2]
        p = reach(port, state, deed)
        try:
            served(port, directory)
            s.send_signal(signal.SIGINT)
            code, _, err = finish(s)
        finally:
            end(p, s)
        check(code == 0, f"serve: exit {code}, not 0", err)
        check(all("a session failed: " in line for line in err.splitlines()), "serve says", err)
        check(not os.listdir(directory), "files are left")


def servers():
    for state in SERVER_STATES:
        for deed in ["killed", "stopped", "silent", "flood TOTAL", "drip TOTAL"]:
            yield f"sender, {state}: {deed}", wrong_sender, (state, deed)
    yield "sender, ready: holds by phases", wrong_sender, ("ready", "holds by phases")
    yield "sender, warm-up begun: holds by single bytes", wrong_sender, ("warm-up begun", "holds by single bytes")
    yield "sender, warm-up begun: holds by slow totals", wrong_sender, ("warm-up begun", "holds by slow totals")
    for state, deed in SERVER_LIES:
        yield f"sender, {state}: {deed}", wrong_sender, (state, deed)


# --- netiotrace with a faulty load generator: netio-loadgen relays the real one ---

RELAY = """#!{python}
import os, signal, subprocess, sys, threading
side, state, deed = {side!r}, {state!r}, {deed!r}
real = subprocess.Popen([{loadgen!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def commands():
    try:
        for line in sys.stdin.buffer:
            real.stdin.write(line)
            real.stdin.flush()
    except BrokenPipeError:  # the real one was killed, and this one has not stopped yet
        return
    real.kill()
    os._exit(0)
threading.Thread(target=commands, daemon=True).start()
def say(line):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
for line in real.stdout:
    if sys.argv[1] != side or b'"event":"' + state.encode() + b'"' not in line:
        say(line)
    elif deed == "killed":
        real.kill()
        os.kill(os.getpid(), signal.SIGKILL)
    elif deed == "stopped":
        real.kill()
        os.kill(os.getpid(), signal.SIGSTOP)
    elif deed == "twice":
        say(line + line)
    elif deed == "garbage":
        say(b"\\x1b[2J\\xff\\n")
    elif deed == "endless line":
        while True:
            say(b"x" * 65536)
    elif deed == "flood":
        while True:
            say(line)
    else:
        say(eval(deed)(line))
os._exit(real.wait())
"""
CHILD_STATES = [("recv", "listening"), ("recv", "ready"), ("recv", "done"),
                ("send", "ready"), ("send", "quiesced"), ("send", "done")]
CHILD_LIES = [
    ("recv", "listening", "lambda l: l.replace(b'\"port\":', b'\"port\":9')"),
    ("recv", "ready", "lambda l: b'{\"event\":\"ready\",\"connections\":[]}\\n'"),
    ("send", "quiesced", "lambda l: b'{\"event\":\"error\",\"message\":\"\\\\u001b[2J\"}\\n'"),
    ("send", "done", "lambda l: l.replace(b'\"elapsed_ns\":', b'\"elapsed_ns\":99999999999')"),
    ("recv", "done", "lambda l: l.replace(b'\"rx_bytes\":', b'\"rx_bytes\":-')"),
    ("recv", "done", "lambda l: l.replace(b'\"count\":', b'\"count\":1')"),
    ("recv", "done", "lambda l: l.replace(b'\"sum\":', b'\"sum\":9999999')"),
    ("recv", "done", "lambda l: l.replace(b'\"elapsed_ns\":', b'\"elapsed_ns\":0,\"x\":')"),
]


def python_for_all():
    """A Python that the load generator's user may run: not one in root's home directory."""
    unprivileged = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", ""], check=False, cwd="/", **unprivileged).returncode == 0:
                return python
        except OSError:
            pass
    sys.exit("no python3 here that every user may run")


def wrong_child(side, state, deed):
    with tempfile.TemporaryDirectory() as programs, tempfile.TemporaryDirectory() as directory:
        os.chmod(programs, 0o755)
        subprocess.run(["cp", NETIOTRACE, programs], check=True)
        with open(programs + "/netio-loadgen", "w", encoding="utf-8") as f:
            f.write(RELAY.format(python=PYTHON, loadgen=LOADGEN, side=side, state=state, deed=deed))
        os.chmod(programs + "/netio-loadgen", 0o755)
        p = start([programs + "/netiotrace", "-q", "--backend", "none", "--mode", "onecopy", "--messages", "230",
                   "--warmup", "20ms", "--json", "out.json"], directory, SHORT)
        one_sentence(directory, *finish(p))


def children():
    global PYTHON  # pylint: disable=global-statement
    PYTHON = python_for_all()
    for side, state in CHILD_STATES:
        for deed in ["killed", "stopped", "twice", "garbage", "endless line", "flood"]:
            # Netiotrace does not read past the last event.
            if state != "done" or deed not in ("twice", "flood"):
                yield f"{side}, {state}: {deed}", wrong_child, (side, state, deed)
    for side, state, deed in CHILD_LIES:
        yield f"{side}, {state}: {deed}", wrong_child, (side, state, deed)


def main():
    failed, words = 0, os.environ.get("PROTOCOL_CASE", "")
    cases = [c for c in globals()[sys.argv[1]]() if words in c[0]]
    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
        started = [(name, pool.submit(run, *args)) for name, run, args in cases]
        for name, future in started:
            try:
                future.result()
            except Exception as e:
                failed += 1
                print(f"{name}: {e}" if isinstance(e, Failed) else f"{name}: {e!r}", flush=True)
    print(f"{len(cases)} cases, {failed} failed")
    sys.exit(failed > 0)


main()
