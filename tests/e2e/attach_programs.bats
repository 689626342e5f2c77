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
		watch --pid "$pid" --children --top 1000
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

# web_server BYTES [DIRECTIVES]: nginx with a file of BYTES, with sendfile at $PORT and without at $PLAIN.
web_server() {
	PORT=$(free_port) PLAIN=$(free_port)
	mkdir -p logs www
	head -c "$1" /dev/urandom >www/file
	chmod -R a+rX . && chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	cat >nginx.conf <<-END
		worker_processes 1; daemon off; pid $PWD/pid; error_log $PWD/logs/error;
		events {}
		http { ${2:-access_log off;} root $PWD/www;
		server { listen 127.0.0.1:$PORT; sendfile on; }
		server { listen 127.0.0.1:$PLAIN; sendfile off; }
		client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f;
		uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s; }
	END
	background nginx -c "$PWD/nginx.conf" -e "$PWD/logs/error"
	within 20 test -s pid
	within 20 listens
}

@test "attach on nginx with sendfile on for one port and off for another: verdict and advice name the port" {
	local seconds

	need_tool nginx ab
	web_server 1000000 'access_log off; keepalive_requests 1000000;'
	# An advice needs samples that prove its cost. On a busy machine nginx gets little CPU time: then
	# again, for longer.
	for seconds in 4 15 60; do
		watch --pid "$(<pid)" --children --by port
		background ab -q -k -t $seconds -n 1000000 -c 4 "http://127.0.0.1:$PORT/file"
		ab -q -k -t $seconds -n 1000000 -c 4 "http://127.0.0.1:$PLAIN/file" >ab.out
		within 20 is_quiet
		end_watch
		jq -c '.total.cpu.samples, .total.cpu.share' out.json
		[[ $(json out.json .total.verdict.advice) != "Port $PLAIN: "* ]] || break
	done
	[[ $(json out.json .total.verdict.text) == *"ort $PORT: "*" sent by reference (sendfile or splice)"* ]]
	[[ $(json out.json .total.verdict.text) == *"ort $PLAIN: "*" copied"* ]]
	[[ $(json out.json .total.verdict.advice) == "Port $PLAIN: "*"sendfile (of a file)"* ]]
	[[ $(json out.json .total.verdict.advice) != *"ort $PORT"* ]]
	[[ $(of_port "$PLAIN" advice) == *"% of the CPU time"* ]]
	[ -z "$(of_port "$PORT" advice)" ]
}

@test "attach begins with the answer, whose share of bytes without a copy holds what curl counted" {
	local bytes=0 share port

	need_tool nginx curl
	web_server 3000000
	watch --pid "$(<pid)" --children
	# Three in four of the bytes by sendfile; the headers are under 0.1 %.
	for _ in 1 2 3 4 5; do
		for port in $PORT $PORT $PORT $PLAIN; do
			bytes=$((bytes + $(curl -s -o got -w '%{size_download}' "http://127.0.0.1:$port/file")))
		done
	done
	[ "$bytes" -eq 60000000 ]
	end_watch
	cat text
	sed -n '/^netiotrace/,$p' text >result
	sed -n 3p result | grep -q '^answer  *nginx'
	share=$(tr -s '\n ' ' ' <result | sed -En 's/.* sends ([0-9.]+)% without a copy .*/\1/p')
	# All calls were watched: the answer is one figure.
	jq -en --argjson share "$share" '$share > 74.8 and $share < 75.1'
	[ "$(sed -n 1,8p result | grep -c '^process ')" -eq 1 ]
}

# logging_server: a web_server whose log has port, bytes sent and of bodies.
logging_server() {
	web_server 30000 "log_format sums '\$server_port \$bytes_sent \$body_bytes_sent'; access_log $PWD/logs/access sums;"
}

# downloads REQUESTS OPTION...: attach with OPTIONs on nginx while each port answers REQUESTS, a connection for each.
downloads() {
	local requests=$1
	shift

	: >logs/access
	rm -f log
	"$NETIOTRACE" attach -v --pid "$(<pid)" --children --json out.json "$@" >text 2>log 3>&- &
	COLLECTOR=$!
	PEERS+=($!)
	within 60 grep -q watching log
	background ab -q -n "$requests" -c 2 "http://127.0.0.1:$PORT/file" >/dev/null
	ab -q -n "$requests" -c 2 "http://127.0.0.1:$PLAIN/file" >/dev/null
	wait "$STARTED"
	within 20 is_quiet
	end_watch
}

# Of each port, the bytes are those of the log, and the intervals contain what the log says of the kinds.
intervals_hold() {
	awk '{ sent[$1] += $2; body[$1] += $3 }
		END { for (port in sent) print "{\"port\":" port ",\"sent\":" sent[port] ",\"body\":" body[port] "}" }' OFMT=%.0f CONVFMT=%.0f logs/access | tee truth
	jq -c '.events, .health, (.ports[] | [.port, .connections, .socket.tx_bytes, .ledger.tx_copy,
		.ledger.tx_splice, .uncovered]), .total.connections, .total.verdict.text' out.json
	jq -e --slurpfile truth truth --argjson plain "$PLAIN" '. as $d | $truth | length == 2 and all(.[]; . as $t
		| (if .port == $plain then 0 else .body end) as $spliced
		| [$d.ports[] | select(.port == $t.port)] | length == 1 and (.[0] | .socket.tx_bytes == $t.sent
		and .ledger.tx_splice.bytes_at_least <= $spliced and $spliced <= .ledger.tx_splice.bytes_at_most
		and .ledger.tx_copy.bytes_at_least <= $t.sent - $spliced and $t.sent - $spliced <= .ledger.tx_copy.bytes_at_most
		and .ledger.unaccounted_tx == 0))' out.json
}

@test "attach with its default options: how nginx sends at two ports, a connection for each request" {
	need_tool nginx ab
	logging_server
	downloads 3000
	intervals_hold
	# On a machine that is too busy for the budget, an interval may be of no use.
	[[ $(json out.json .total.verdict.text) == *"ort $PORT: "*"ort $PLAIN: "* || $(json out.json .total.verdict.text) == *"ort $PLAIN: "*"ort $PORT: "* ]]
	jq -e '.events | .cpu_share > 0 and .cpu_share < 0.2' out.json
	grep -q 'of a CPU (estimated' <(tr -s ' \n' ' ' <text)
	[ "$(json out.json .events.quality)" = sampled ] || jq -e '.health.coverage == 1 or .health.missed > 0' out.json
}

@test "attach in windows: how nginx sends at two ports, though most connections have no call that was seen" {
	local noise requests budget=0.4

	need_tool nginx ab iperf3
	logging_server
	noise=$(free_port)
	background iperf3 -s -p "$noise" >/dev/null
	within 10 sh -c "ss -Hltn sport = $noise | grep -q ."
	background iperf3 -c 127.0.0.1 -p "$noise" -N -l 64 -t 600 >/dev/null
	# A busy machine opens few windows in this time: then again, for longer, with more of them.
	for requests in 10000 30000 90000; do
		downloads $requests --budget $budget
		budget=3
		intervals_hold
		! jq -e '.events.quality == "sampled" and all(.ports[]; .uncovered == [] and .socket.tx_bytes > 0)' out.json || break
	done
	jq -e --argjson port "$PORT" '.events.quality == "sampled" and .health.coverage < 0.9
		and all(.ports[]; .uncovered == [] and .ledger.tx_copy.bytes + .ledger.tx_splice.bytes == .socket.tx_bytes
		and (.ledger.tx_splice.bytes > .socket.tx_bytes / 2) == (.port == $port))' out.json
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
