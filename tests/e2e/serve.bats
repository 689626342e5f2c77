#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A receiver with hostile clients, and with too few descriptors: it serves the next real client
# within a second, and its memory does not grow. All on loopback.
# shellcheck disable=SC2030,SC2031

load ../lib

setup() {
	need_tool jq python3
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
}

teardown() {
	local pid

	for pid in ${ATTACK-} ${SERVER-}; do
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# serve [LIMITS]: starts the receiver in the background on $AT; $SERVER is its PID.
serve() {
	mkfifo serve.in
	: >serve.out # see start() of loadgen.bash
	bash -c "${1:-true}; exec \"\$1\" recv --listen 127.0.0.1:0 --forever --control" - "$LOADGEN" \
		<serve.in >serve.out 2>serve.err 3>&- &
	SERVER=$!
	exec {in}>serve.in
	within 3 grep -q '"listening"' serve.out || { cat serve.err; return 1; }
	PORT=$(jq -r .port serve.out)
	AT=127.0.0.1:$PORT
}

# served: a real client is served promptly; docs/reference/loadgen.md promises a second.
served() {
	local client code=0

	"$LOADGEN" send --connect "$AT" --size 4k --messages 23 --threads 2 --verify --json \
		>client.json 3>&- &
	client=$!
	promptly has_ended "$client" || return 1
	wait "$client" || code=$?
	[ "$code" -eq 0 ] || { cat serve.out serve.err; return 1; }
	jq -e '.sender.tx_messages == 23 and .sender.confirmed.rx_messages == 23
		and .sender.confirmed.verify_errors == 0' client.json
}

# served_after SECONDS: a client is served that long after a session of an attack has stood still. A
# busy machine may have received its last bytes later: then 5 s later, the limit for a silent session.
served_after() {
	sleep "$1"
	served || { sleep 5 && served; }
}

# attack PYTHON: runs PYTHON with hello(), frame(), dial() and AT until the test ends; returns once
# it has printed "there".
attack() {
	cat >attack.py <<-PYTHON
		import os, socket, struct, sys, time
		AT = ('127.0.0.1', $PORT)
		def dial():
		    return socket.create_connection(AT)
		def hello(kind, index=0, connections=1, size=64, threads=1, token=bytes(16), flags=0):
		    return b'NIOH' + struct.pack('>HH', 2, kind) + token + bytes(16) + \\
		        struct.pack('>IIIHHQ', index, connections, size, flags, threads, 0)
		def frame(type, index=0, phase=0, messages=0, bytes=0):
		    return b'NIOF' + struct.pack('>HHIIQQ', 2, type, index, phase, messages, bytes)
		def answer(c):
		    data = b''
		    while len(data) < 32:
		        more = c.recv(32 - len(data))
		        if not more:
		            return 0
		        data += more
		    return struct.unpack('>H', data[6:8])[0]
		def session(**args):
		    c = dial()
		    c.sendall(hello(1, **args))
		    assert answer(c) == 1
		    d = dial()
		    d.sendall(hello(2, **args))
		    assert answer(c) == 2
		    return c, d
	PYTHON
	printf '%s\nprint("there", flush=True)\ntime.sleep(100)\n' "$1" >>attack.py
	: >attack.out
	python3 attack.py >attack.out 2>attack.err 3>&- &
	ATTACK=$!
	within "${2:-20}" grep -q there attack.out || { cat attack.err; return 1; }
}

memory_kib() {
	awk '/^VmRSS/ { print $2 }' "/proc/$SERVER/status"
}

cpu_ticks() {
	awk '{ print $14 + $15 }' "/proc/$SERVER/stat"
}

# bats test_tags=address,thread
@test "serve: stalled handshakes do not delay other clients" {
	serve
	attack 'c = [dial() for i in range(3)]
[x.sendall(hello(1, connections=200, threads=200, token=os.urandom(16))) for x in c]
assert [answer(x) for x in c] == [1, 1, 1]'
	served
	served
}

# bats test_tags=address,thread
@test "serve: 2^63 bytes requested in hellos and in totals are refused; the next client is served" {
	serve
	attack 'c, d = session()
c.sendall(frame(3, 1, 1))
assert answer(c) == 4
c.sendall(frame(5, 0, 1, 1 << 57, 1 << 63))
x = dial(); x.sendall(hello(1, size=0xffffffff)); assert not x.recv(1)
x = dial(); x.sendall(hello(1, connections=0xffffffff)); assert not x.recv(1)'
	within 2 grep -q 'does not keep to the protocol' serve.out
	served
}

@test "serve: an idle session is replaced by the next sender after 5 s" {
	serve
	attack 'c, d = session()'
	# An immediate request is refused: the session may be about to begin.
	run "$LOADGEN" send --connect "$AT" --messages 1
	[ "$status" -eq 1 ]
	[[ $output == *busy* ]]
	served_after 5.2
	grep -q 'stood still for too long' serve.out
}

@test "serve: a session whose replies are not read is replaced as a silent one is" {
	serve
	served
	before=$(memory_kib)
	# Sends many messages and reads no reply until both directions are blocked.
	attack 'c, d = session(size=65536, flags=2)
c.sendall(frame(3, 1, 1))
assert answer(c) == 4
d.setblocking(False)
end = time.time() + 20
quiet = time.time()
while time.time() < end and time.time() - quiet < 0.5:
    try:
        d.send(bytes(65536)); quiet = time.time()
    except BlockingIOError:
        time.sleep(0.01)'
	# serve checks once a second for new bytes; the session ends 5 s after the last.
	served_after 6.5
	after=$(memory_kib)
	echo "memory $before KiB before, $after KiB after"
	[ "$after" -lt $((before + 2048)) ]
	grep -q 'stood still for too long' serve.out
}

@test "serve: 10 000 connections of garbage, silence and partial hellos take bounded time and no memory" {
	serve
	served
	before=$(memory_kib)
	attack 'quiet = []
for i in range(10000):
    c = dial()
    if i % 4 == 0:
        c.sendall(os.urandom(64)); c.close()
    elif i % 4 == 1:
        c.sendall(hello(1)[:40]); c.close()
    elif i % 4 == 2:
        c.sendall(hello(2)); c.close()
    else:
        quiet.append(c)
        if len(quiet) > 900:
            quiet.pop(0).close()' 60
	served
	after=$(memory_kib)
	echo "memory $before KiB before, $after KiB after"
	# Only the threads and buffers of one session are allocated and freed.
	[ "$after" -lt $((before + 2048)) ]
	grep -c '"error"' serve.out && return 1
	true
}

@test "serve: a client that aborts session after session does not fill the log" {
	serve
	# A busy machine takes longer for 20 sessions than 3 s.
	attack 'begin = time.time()
n = 0
while time.time() < begin + 3 or n < 20:
    c, d = session(token=os.urandom(16))
    c.close(); d.close()
    n += 1
open("took", "w").write("%d" % (time.time() - begin))' 60
	served
	# At most one message a second: during the attack, and in the last second.
	[ "$(grep -c '"event":"error"' serve.out)" -le $(($(<took) + 2)) ]
	grep -q 'more errors were not reported' serve.out
}

# bats test_tags=address,thread
@test "serve: hundreds of unrelated connections do not keep out a sender" {
	serve
	attack 'end = time.time() + 2
quiet = []
print("there", flush=True)
while time.time() < end:
    quiet.append(dial())
    if len(quiet) > 800:
        quiet.pop(0).close()'
	served
	served
	served
}

@test "a receiver with too few descriptors says so, uses no CPU and stops on command" {
	local start code=0

	"$LOADGEN" recv --help | grep -q connections
	serve 'ulimit -n 40'
	run "$LOADGEN" send --connect "$AT" --threads 64 --messages 64
	[ "$status" -eq 1 ]
	[[ $output == *"ulimit -n"* ]]
	# The other clients wait in the listen backlog, which costs no CPU time.
	attack 'quiet = [dial() for i in range(60)]'
	start=$(cpu_ticks)
	sleep 1
	echo "ticks: $(($(cpu_ticks) - start))"
	[ "$(($(cpu_ticks) - start))" -lt 10 ]
	kill "$ATTACK"
	wait "$ATTACK" || true
	echo stop >&"$in"
	wait "$SERVER" || code=$?
	[ "$code" -eq 0 ]
}

# bats test_tags=address,thread
@test "netio-loadgen recv keeps no capability and cannot regain one" {
	need_root
	serve
	cat "/proc/$SERVER/status" >status
	grep -qE '^NoNewPrivs:\s1$' status
	for set in CapInh CapPrm CapEff CapBnd CapAmb; do
		grep -qE "^$set:\s0+\$" status || { grep Cap status; return 1; }
	done
	grep -qE '^Max core file size +0 +0 ' "/proc/$SERVER/limits"
}

@test "netio-loadgen recv of an ordinary user drops its ambient capabilities" {
	need_root
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=+net_raw --ambient-caps=+net_raw \
		grep -qE '^CapAmb:\s0+2000$' /proc/self/status || skip "setpriv here gives no ambient capabilities"
	mkfifo serve.in
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=+net_raw --ambient-caps=+net_raw \
		"$LOADGEN" recv --listen 127.0.0.1:0 --control <serve.in >serve.out 2>serve.err 3>&- &
	SERVER=$!
	exec {in}>serve.in
	within 3 grep -q '"listening"' serve.out
	grep -E '^(NoNewPrivs|Cap)' "/proc/$SERVER/status" >status
	grep -qE '^NoNewPrivs:\s1$' status
	# Emptying the bounding set needs a capability that this process does not have.
	for set in CapInh CapPrm CapEff CapAmb; do
		grep -qE "^$set:\s0+\$" status || { cat status; return 1; }
	done
}

@test "netio-loadgen runs as root of a user namespace without other UIDs" {
	need_root
	setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Ur true ||
		skip "no user namespaces for ordinary users here"
	setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Ur \
		"$LOADGEN" --messages 23 --verify --json >out
	jq -e '.sender.tx_messages == 23 and .receiver.rx_messages == 23' out
}

@test "the load generator has no controlling terminal" {
	need_root
	need_tool script ps
	script -qec "exec '$NETIOTRACE' -q --backend none --mode onecopy --duration 2s --warmup 0" \
		/dev/null </dev/null >script.out 2>&1 3>&- &
	ATTACK=$!
	# Waits until both children have no terminal and are leaders of their sessions.
	apart() {
		ps -o tty=,sid=,pid= --ppid "$(pgrep -P "$ATTACK")" >children 2>&1 &&
			awk '$1 != "?" || $2 != $3 { bad = 1 } END { exit bad || NR != 2 }' children
	}
	within 3 apart || { cat children && return 1; }
	wait "$ATTACK" || true
}
