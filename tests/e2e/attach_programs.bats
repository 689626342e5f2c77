#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach on common servers, compared for each connection with the TCP_INFO of the client's socket
# when it was closed (tests/e2e/tcp_info.c, loaded into the client), and with the bytes that the
# client reports.
# shellcheck disable=SC2030,SC2031 # each test has a PORT of its own

bats_require_minimum_version 1.5.0
load ../lib
load attach

WITNESS=$BUILD_DIR/tests/e2e/tcp_info.so

# told COMMAND...: runs it; the TCP_INFO of its closed connections is in the file `told`.
told() {
	TCP_INFO_FILE=$PWD/told LD_PRELOAD=$WITNESS "$@"
}

need_witness() {
	[ -e "$WITNESS" ] || skip "the test programs are not built: make test-programs"
}

# Enters the network namespace of a test that has its own.
INSIDE=()

is_quiet() {
	[ -z "$("${INSIDE[@]}" ss -Htn "sport = :$PORT")" ]
}

listens() {
	"${INSIDE[@]}" ss -Hltn "sport = :$PORT" | grep -q .
}

# A server may read the client's last bytes after the client has ended.
end_watch() {
	within 20 is_quiet
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
}

# agrees SIDE: the client's address is SIDE (local, remote) in attach's rows. Each connection has
# the bytes of the client's TCP_INFO, and neither list lacks one, also of those without a byte.
agrees() {
	awk -v server="$PORT" '$2 == server { port[$5] = $1; sent[$5] = $3; received[$5] = $4 }
		END { for (c in port) print port[c], sent[c], received[c] }' told | sort >ends.told
	jq -r --arg side "$1" '.connections[] | (.[$side] | split(":") | last) as $port | .socket
		| [.tx_bytes, .rx_bytes] | if $side == "remote" then reverse else . end | "\($port) \(.[0]) \(.[1])"' out.json |
		sort >ends.attach
	diff ends.told ends.attach | head -n 20 | tee difference
	[ ! -s difference ]
	echo "$(wc -l <ends.told) connections agree"
}

@test "attach counts redis-server's bytes of each redis-benchmark connection as the client's TCP_INFO does" {
	need_tool redis-server redis-benchmark
	need_witness
	PORT=$(free_port)
	background redis-server --port "$PORT" --bind 127.0.0.1 --save '' --dir "$PWD"
	within 20 redis-cli -p "$PORT" ping
	watch --pid "$STARTED" --top 1000
	told redis-benchmark -p "$PORT" -n 10000 -c 50 -d 1000 -t set,get,lrange_100 -q >benchmark
	end_watch
	exact
	agrees remote
	# Each GET is answered by a length line and 1000 bytes, each with a line end.
	[ "$(json out.json .total.connections)" -ge 150 ]
	jq -e '.total.socket.rx_bytes > 10000 * 1000 and .total.socket.tx_bytes > 10000 * 1007
		and (.health.coverage == 1 or .health.missed > 0)' out.json
}

@test "attach counts nginx's bytes of 64 parallel connections as the clients' TCP_INFO does, by sendfile and by copies" {
	local sendfile pid

	need_tool nginx ab unshare nsenter ip sysctl
	need_witness
	mkdir -p logs www
	head -c 200000 /dev/urandom >www/file
	chmod -R a+rX . && chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	# Each client has 128 ports and uses each for several connections, one after another.
	background unshare --net sh -ec 'ip link set lo up; sysctl -qw net.ipv4.ip_local_port_range="40000 40255"; touch ready; exec sleep 600'
	within 20 test -e ready
	INSIDE=(nsenter --net="/proc/$STARTED/ns/net")
	PORT=8080
	for sendfile in on off; do
		cat >nginx.conf <<-END
			worker_processes 2; daemon off; pid $PWD/pid; error_log $PWD/logs/error;
			events {}
			http { access_log off; sendfile $sendfile;
			server { listen 127.0.0.1:$PORT; root $PWD/www; }
			client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f;
			uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s; }
		END
		background "${INSIDE[@]}" nginx -c "$PWD/nginx.conf" -e "$PWD/logs/error"
		pid=$STARTED
		within 20 test -s pid
		within 20 listens
		watch --comm nginx --port "$PORT" --top 1000
		rm -f told
		# First keep-alive connections with many requests each, then one connection for each
		# request.
		told "${INSIDE[@]}" ab -q -k -n 1500 -c 64 "http://127.0.0.1:$PORT/file" >ab.kept
		told "${INSIDE[@]}" ab -q -n 500 -c 64 "http://127.0.0.1:$PORT/file" >ab.single
		end_watch
		# At least one port was used twice.
		[ "$(cut -d ' ' -f 1 told | sort -u | wc -l)" -lt 500 ]
		exact
		agrees remote
		awk '/^Total transferred:/ { sum += $3 } END { print sum }' ab.kept ab.single >transferred
		[ "$(json out.json .total.socket.tx_bytes)" -eq "$(<transferred)" ]
		[ $sendfile = off ] || [ "$(json out.json .total.ledger.tx_splice.bytes)" -eq $((2000 * 200000)) ] ||
			json out.json .total.ledger.tx_copy.reason | grep -q 'upper bound'
		[ $sendfile = on ] || [ "$(json out.json '.total.ledger.tx_splice.bytes + 1')" -eq 1 ]
		kill "$pid"
		wait "$pid" || true
	done
}

# of_port PORT KEY: KEY of the verdict of this port.
of_port() {
	jq -r --argjson port "$1" --arg key "$2" '.ports[] | select(.port == $port) | .verdict[$key]' out.json
}

@test "attach on nginx with sendfile on for one port and off for another: verdict and advice name the port" {
	local plain

	need_tool nginx ab
	PORT=$(free_port) plain=$(free_port)
	mkdir -p logs www
	head -c 1000000 /dev/urandom >www/file
	chmod -R a+rX . && chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	cat >nginx.conf <<-END
		worker_processes 1; daemon off; pid $PWD/pid; error_log $PWD/logs/error;
		events {}
		http { access_log off; root $PWD/www; keepalive_requests 1000000;
		server { listen 127.0.0.1:$PORT; sendfile on; }
		server { listen 127.0.0.1:$plain; sendfile off; }
		client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f;
		uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s; }
	END
	background nginx -c "$PWD/nginx.conf" -e "$PWD/logs/error"
	within 20 test -s pid
	within 20 listens
	# An advice needs samples that prove its cost. On a busy machine nginx gets little CPU time: then
	# again, for longer.
	for seconds in 4 15 60; do
		watch --pid "$(<pid)" --children --by port
		background ab -q -k -t $seconds -n 1000000 -c 4 "http://127.0.0.1:$PORT/file"
		ab -q -k -t $seconds -n 1000000 -c 4 "http://127.0.0.1:$plain/file" >ab.out
		within 20 is_quiet
		end_watch
		jq -c '.total.cpu.samples, .total.cpu.share' out.json
		[[ $(json out.json .total.verdict.advice) != "Port $plain: "* ]] || break
	done
	[[ $(json out.json .total.verdict.text) == *"ort $PORT: "*" sent by reference (sendfile or splice)"* ]]
	[[ $(json out.json .total.verdict.text) == *"ort $plain: "*" copied"* ]]
	[[ $(json out.json .total.verdict.advice) == "Port $plain: "*"sendfile spares"* ]]
	[[ $(json out.json .total.verdict.advice) != *"ort $PORT"* ]]
	[[ $(of_port "$plain" advice) == *"% of the CPU time"* ]]
	[ -z "$(of_port "$PORT" advice)" ]
}

# Uses dropbear, whose package starts no server. The accepted keys are in the home of root. The
# client is scp -O: the package of sftp-server may start an sshd.
start_ssh_server() {
	ssh-keygen -q -t ed25519 -N '' -f key
	dropbearkey -t ed25519 -f host_key >/dev/null
	mkdir -m 700 .ssh
	cp key.pub .ssh/authorized_keys
	awk -F: -v OFS=: -v home="$PWD" '$3 == 0 { $6 = home } { print }' /etc/passwd >passwd
	# shellcheck disable=SC2016 # that shell's
	background unshare --mount sh -c 'mount --bind passwd /etc/passwd && exec "$@" 2>dropbear.log' \
		sh dropbear -F -E -s -j -k -r host_key -P "$PWD/dropbear.pid" -p "127.0.0.1:$PORT"
	within 20 listens
}

@test "attach on scp: both sides have the bytes of ssh's TCP_INFO, and the file arrives complete" {
	PATH=$PATH:/usr/sbin
	need_tool dropbear dropbearkey scp ssh-keygen unshare
	need_witness
	PORT=$(free_port)
	start_ssh_server
	head -c 20000000 /dev/urandom >file
	cat >ssh_config <<-END
		Host *
		IdentityFile $PWD/key
		IdentitiesOnly yes
		StrictHostKeyChecking no
		UserKnownHostsFile $PWD/known
		LogLevel ERROR
	END
	watch --port "$PORT"
	told scp -O -q -F ssh_config -P "$PORT" file "127.0.0.1:$PWD/sent"
	end_watch
	exact
	cmp file sent
	jq -c '.connections[] | [.comm, .local, .remote, .socket.tx_bytes, .socket.rx_bytes]' out.json
	jq -e --arg port ":$PORT" '(.connections | length) == 2
		and (.connections | map(.comm) | sort) == ["dropbear", "ssh"]
		and (.connections[0].socket.tx_bytes == .connections[1].socket.rx_bytes)
		and (.connections[1].socket.tx_bytes == .connections[0].socket.rx_bytes)
		and (.connections[] | select(.comm == "ssh") | .socket.tx_bytes) > 20000000' out.json
	jq --arg port ":$PORT" '.connections |= map(select(.remote | endswith($port)))' out.json >ssh.json
	mv ssh.json out.json
	agrees local
}
