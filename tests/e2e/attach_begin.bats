#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Which processes attach watches, from when on, and how others observe that: targets, --ready-file,
# systemd.
# shellcheck disable=SC2030,SC2031

load ../lib
load attach

@test "attach --cgroup walks a tree of 2000 cgroups and watches a process in the deepest" {
	local root

	need_tool findmnt python3
	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -w "$root" ] || skip "no cgroup2 file system to write to"
	cat >deep.py <<-'PYTHON'
		import os, subprocess, sys
		root, depth = sys.argv[1], 2000
		made = 0
		os.mkdir(root)
		os.chdir(root)
		try:
		    for made in range(1, depth + 1):
		        os.mkdir('d')
		        os.chdir('d')
		    with open('cgroup.procs', 'w') as f:
		        f.write(sys.argv[2])
		    code = subprocess.call(sys.argv[3:], cwd='/')
		    with open(os.path.dirname(root) + '/cgroup.procs', 'w') as f:
		        f.write(sys.argv[2])
		finally:
		    for i in range(made):
		        os.chdir('..')
		        os.rmdir('d')
		    os.rmdir(root)
		sys.exit(code)
	PYTHON
	background sleep 600
	python3 deep.py "$root/netiotrace-deep-$$" "$STARTED" \
		"$NETIOTRACE" attach -q --cgroup "$root/netiotrace-deep-$$" --duration 100ms --json "$PWD/out.json"
	jq -e --argjson pid "$STARTED" '[.processes[].pid] | index($pid) != null' out.json
}

# bats test_tags=address
@test "attach --cgroup refuses a cgroup v1 directory and names the cgroup2 mount" {
	local root

	need_tool findmnt
	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	run -1 "$NETIOTRACE" attach --cgroup /proc
	[[ $output == *"is not the directory of a cgroup (v2)"* ]]
	[ -z "$root" ] || [[ $output == *"$root"* ]]
}

# bats test_tags=address
@test "attach --by cgroup without a cgroup2 mount says why names are unknown" {
	# shellcheck disable=SC2016 # the inner shell expands
	run -0 unshare -m sh -c 'umount -a -l -t cgroup2 && exec "$1" attach --by cgroup --duration 50ms --pid $$' - "$NETIOTRACE"
	[[ $output == *"mount -t cgroup2"* ]]
}

# bats test_tags=address
@test "attach --children watches children and grandchildren that already run" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	# The grandchild exists before attach starts, and sends on command.
	mkfifo go
	# shellcheck disable=SC2016
	background sh -c 'sh -c '\''"$1" churn 127.0.0.1 "$2" 5 <go; touch over; sleep 60'\'' - "$1" "$2" & wait' - ./later "$PORT"
	MASTER=$STARTED
	cat >later <<-END
		#!/bin/sh
		read -r word
		exec "$PROGRAM" "\$@"
	END
	chmod +x later
	within 20 pgrep -P "$MASTER"
	watch --pid "$MASTER" --children
	echo now >go
	within 60 test -e over
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	exact
	jq -e '.total.connections == 5 and .total.socket.tx_bytes == 5 * 23' out.json
}

@test "attach --pid --children beside a command watches children that already run" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	# shellcheck disable=SC2016
	background sh -c '"$@" & wait' - "$PROGRAM" waiting go 127.0.0.1 "$PORT" 5
	within 20 test -e waiting
	"$NETIOTRACE" attach --count-calls -q --pid "$STARTED" --children --json out.json -- sh -c "touch go; tail --pid=$STARTED -f /dev/null"
	exact
	jq -e '.total.connections == 5 and .total.socket.tx_bytes == 5 * 23' out.json
}

# While attach starts, the accepted socket is in no file table: its descriptor is in a message.
@test "attach counts an earlier connection that no process has open from its first use on" {
	cat >passed.py <<-'END'
		import os, socket, sys, time
		def wait(name):
		    while not os.path.exists(name):
		        time.sleep(0.01)
		listener = socket.create_server(("127.0.0.1", 0))
		client = socket.create_connection(listener.getsockname())
		server = listener.accept()[0]
		def move(n):
		    for _ in range(n):
		        client.sendall(bytes(10000))
		        server.recv(10000, socket.MSG_WAITALL)
		        server.sendall(bytes(100))
		        client.recv(100, socket.MSG_WAITALL)
		move(500)
		here, there = socket.socketpair()
		socket.send_fds(here, [b"x"], [server.fileno()])
		server.close()
		open("passed", "w")
		wait("go")
		server = socket.socket(fileno=socket.recv_fds(there, 1, 1)[1][0])
		move(50)
		client.close()
		server.close()
	END
	background python3 passed.py
	within 20 test -e passed
	watch --pid "$STARTED"
	touch go
	within 60 has_ended "$STARTED"
	# attach ends with the last process that it watches.
	wait "$COLLECTOR"
	exact
	jq -c '.total.socket, .total.uncovered, .health' out.json
	jq -e '.total | .connections == 2 and .socket.tx_bytes == 50 * 10100 and .socket.rx_bytes == 50 * 10100
		and .ledger.copies_per_byte == 1 and .uncovered == []' out.json
}

@test "attach --assert exits with 5 if nothing was watched" {
	local unused

	unused=$(free_port)
	run -5 "$NETIOTRACE" attach -q --comm no-such-name --wait --duration 50ms --assert 'ledger.tx_copy.bytes == 0'
	[[ $output == *"nothing was watched: no process"* ]]
	run -5 "$NETIOTRACE" attach -q --port "$unused" --duration 50ms --assert 'copied_fraction == 0' --assert 'health.missed == 0'
	# A port without a connection is a valid result.
	"$NETIOTRACE" attach -q --port "$unused" --duration 50ms --assert 'connections == 0'
	# With --wait it is a warning: the program may not have been started yet.
	run -0 "$NETIOTRACE" attach --comm no-such-name --wait --duration 50ms
	[[ $output == *"nothing was watched: no process"* ]]
	"$NETIOTRACE" attach --help | tr -s ' \n' ' ' | grep -q 'nothing was watched, which is a warning without --assert'
	# A command that makes no connection is a valid result.
	"$NETIOTRACE" attach -q --assert 'ledger.tx_copy.bytes == 0' -- true
}

# bats test_tags=address
@test "attach --json - -- COMMAND: stdout has only the document; the command's stdout goes to stderr" {
	"$NETIOTRACE" attach -q --json - -- echo "of the command" >document 2>errors
	jq -e '.total.connections == 0' document
	grep -qx "of the command" errors
	"$NETIOTRACE" attach -q --csv - -- echo "of the command" >document 2>errors
	run -1 grep "of the command" document
	# Without --json - stdout belongs to the command.
	[ "$("$NETIOTRACE" attach -q --json out.json -- echo "of the command" 2>/dev/null)" = "of the command" ]
}

# bats test_tags=address
@test "attach --comm matches a name longer than 15 bytes by its first 15 and says so" {
	local name=$$-name-of-twenty-bytes

	cp "$(type -P sleep)" "$name"
	background "./$name" 60
	within 20 grep -qx "${name:0:15}" "/proc/$STARTED/comm"
	"$NETIOTRACE" attach --comm "$name" --duration 50ms --json out.json >text 2>log
	grep -q "'${name:0:15}'" log
	jq -e --argjson pid "$STARTED" '[.processes[].pid] == [$pid]' out.json
	"$NETIOTRACE" attach --comm "${name:0:15}" --duration 50ms >text 2>log
	run -1 grep "15 bytes" log
}

# bats test_tags=address
@test "attach --ready-file exists from the first counted byte until the end" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	"$NETIOTRACE" attach -q --port "$PORT" --ready-file ready --json out.json 2>log 3>&- &
	COLLECTOR=$!
	PEERS+=($!)
	within 60 test -e ready
	# The file appears complete, with the PID of attach.
	[ "$(<ready)" = "netiotrace $COLLECTOR" ]
	"$PROGRAM" churn 127.0.0.1 "$PORT" 5
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	[ ! -e ready ]
	jq -e '.total.connections == 10' out.json
}

# bats test_tags=address
@test "attach --ready-file removes a ready file that a killed run left, and refuses any other file" {
	echo "netiotrace 1" >ready
	run -1 "$NETIOTRACE" attach -q --pid 4194303 --ready-file ready
	[ ! -e ready ]
	echo "of another" >ready
	run -2 "$NETIOTRACE" attach -q --pid $$ --duration 50ms --ready-file ready
	[ "$(<ready)" = "of another" ]
	run -1 "$NETIOTRACE" attach -q --pid $$ --duration 50ms --ready-file nowhere/ready
	[[ $output == *"nowhere/ready cannot be written"* ]]
}

@test "attach sends READY=1 to the service manager when it watches and STOPPING=1 at the end" {
	need_tool python3
	cat >manager.py <<-'PYTHON'
		import os, socket, subprocess, sys
		for name in ('notify', '@netiotrace-test-%d' % os.getpid()):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		    s.bind(name.replace('@', '\0'))
		    s.settimeout(60)
		    where = name if name[0] == '@' else os.path.abspath(name)
		    p = subprocess.Popen(sys.argv[1:], env=dict(os.environ, NOTIFY_SOCKET=where))
		    assert s.recv(100) == b'READY=1'
		    assert p.poll() is None
		    p.send_signal(2)
		    assert s.recv(100) == b'STOPPING=1'
		    assert p.wait(60) == 130
		    s.close()
	PYTHON
	python3 manager.py "$NETIOTRACE" attach -q --pid $$
	# A missing notify socket is a warning; attach goes on.
	NOTIFY_SOCKET=$PWD/absent run -0 "$NETIOTRACE" attach --pid $$ --duration 50ms
	[[ $output == *"cannot notify the service manager at NOTIFY_SOCKET=$PWD/absent"* ]]
}

# bats test_tags=address
@test "attach says on stderr that it watches, except with --quiet" {
	"$NETIOTRACE" attach --pid $$ --duration 50ms >text 2>log
	[ "$(grep -c "^netiotrace: watching 1 process\.$" log)" = 1 ]
	"$NETIOTRACE" attach -q --pid $$ --duration 50ms 2>log
	[ ! -s log ]
}

# bats test_tags=address
@test "serve --ready-file contains the address while serve listens" {
	"$NETIOTRACE" serve --listen 127.0.0.1:0 --ready-file ready >text 3>&- &
	PEERS+=($!)
	within 60 test -e ready
	[ "$(<ready)" = "netiotrace $! $(sed -n 's/^ready: listening on //p' text)" ]
	kill -INT $!
	wait $! || true
	[ ! -e ready ]
}

@test "attach --follow-result cites copies of a program of this name, and refuses other files before the command starts" {
	local estimate='"followed":40,"unknown":0,"per_byte":4,"low":3.9,"high":4.1,"sites":[]'

	echo '{"schema":"netiotrace.follow/1","comm":"planted_copies","received":{X},"sent":{X}}' |
		sed "s/X/$estimate/g" >copies
	background "$BUILD_DIR/tests/e2e/planted_copies" 4 bytes 65536 1 1 plain >relay
	within 20 test -s relay
	# The samples of CPU time have to be enough for a useful interval.
	for seconds in 3 10 30; do
		"$NETIOTRACE" attach -q --pid "$STARTED" --duration ${seconds}s --follow-result copies --json out.json
		[[ $(json out.json .total.verdict.advice) != *itself* ]] || break
	done
	json out.json .total.verdict.advice
	[[ $(json out.json .total.verdict.advice) == *"planted_copies itself makes on average 4.00 (3.90 to 4.10) copies of each byte that it sends, and 4.00 (3.90 to 4.10) copies of each byte that it receives: part of the "*" % of the CPU time that it takes outside the kernel (measured by follow, copies)."* ]]
	"$NETIOTRACE" attach -q --json out.json --follow-result copies -- true
	[[ $(json out.json .total.verdict.advice) == "copies is a result of follow on planted_copies, which was not watched." ]]
	head -c 100 copies >truncated
	sed 's/4.1/"4.1"/' copies >mistyped
	echo '{"schema":"netiotrace.result/1"}' >other
	mkfifo pipe
	for file in truncated mistyped other pipe . missing /dev/zero; do
		run -2 "$NETIOTRACE" attach --follow-result $file -- touch started
		[[ $output == *"--follow-result $file: "* ]]
		[ ! -e started ]
	done
}
