#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netiotrace export in Kubernetes: the manifests, and the labels of pods, with a tree of logs as the kubelet and
# containerd make it. The witnesses are the clients' counts (fleet.py) and a real Prometheus.

bats_require_minimum_version 1.5.0
load ../lib
load attach
load export

MANIFESTS=$REPO/packaging/kubernetes

# pod NAMESPACE POD UID CONTAINER ID SENDS: zero-copy sends of 64 KiB from a container.
pod() {
	mkdir -p "logs/var/log/pods/$1_$2_$3/$4" logs/var/log/containers
	: >"logs/var/log/pods/$1_$2_$3/$4/0.log"
	ln -s "/var/log/pods/$1_$2_$3/$4/0.log" "logs/var/log/containers/$2_$1_$4-$5.log"
	in_cgroup "$(slice "$3")/cri-containerd-$5.scope" "$FLEET" zerocopy "$(<sink)" "$6" >/dev/null
}

slice() { # UID
	echo "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${1//-/_}.slice"
}

# remove_pod UID: its logs and cgroups are gone, as after `kubectl delete pod`.
remove_pod() {
	local target

	find logs/var/log/containers -lname "/var/log/pods/*_$1/*" -delete
	rm -r logs/var/log/pods/*_"$1"
	while IFS= read -r -d '' target; do
		within 10 rmdir "$target"
	done < <(find "$CGROUPS/$(slice "$1")" -depth -type d -print0)
}

# pod_uid N, container_id N: of pods and containers of this test alone.
pod_uid() { printf '%08x-%04x-2222-3333-444455556666' $$ "$1"; }
container_id() { printf '%032x%032x' $$ "$1"; }

# series NAMESPACE POD UID CONTAINER: the labels of its samples.
series() {
	echo "{group=\"pod-$3/$4\",namespace=\"$1\",pod=\"$2\",container=\"$4\"}"
}

# sent NAMESPACE POD UID CONTAINER SENDS: the page says so.
sent() {
	counts "$PORT" tcp_sent_bytes_total "$(series "${@:1:4}")" $(($5 * 65536))
}

# pods_exporter OPTION...: an exporter that has groups of this test's pods only.
pods_exporter() {
	need_tool curl
	need_cgroups
	PORT=$(free_port)
	NETIO_LOGS_ROOT=$PWD/logs exporter one --listen "127.0.0.1:$PORT" \
		--filter "pod-$(printf '%08x' $$)-*" --filter "host-$$.service" "$@"
	background "$FLEET" sink sink
	within 20 test -s sink
}

# Two whole snapshots that began after this.
two_snapshots() {
	local before i

	for i in 1 2; do
		before=$(page "$PORT" | grep '^netiotrace_snapshot_timestamp_seconds')
		newer() { [ "$(page "$PORT" | grep '^netiotrace_snapshot_timestamp_seconds')" != "$before" ]; }
		within 20 newer
	done
}

@test "kubernetes: the published schemas accept the manifests, and reject a misspelt one" {
	python3 -c 'import kubernetes_validate' || skip "kubernetes-validate (PyPI) is not installed"
	validate() { python3 -m kubernetes_validate --strict "$@" 2>&1; }
	# It has no schema for these three; a test below checks them.
	for file in "$MANIFESTS"/*.yaml; do
		run -0 validate "$file"
		case "$file" in
			*/servicemonitor.yaml | */prometheusrule.yaml | */kustomization.yaml) [[ $output == *"Couldn't find schema"* ]] ;;
			*) [[ $output == *"passed for resource"* ]] ;;
		esac
	done
	sed 's/readOnlyRootFilesystem/readOnlyRoot/' "$MANIFESTS/daemonset.yaml" >bad.yaml
	run ! validate bad.yaml
}

@test "kubernetes: the PrometheusRule has each group of rules and alerts" {
	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	sh "$REPO/contrib/prometheus/prometheusrule.sh" >rule.yaml
	# The kustomization's is the same.
	diff rule.yaml "$MANIFESTS/prometheusrule.yaml"
	RUNBOOK_URL=https://runbooks.example/netiotrace sh "$REPO/contrib/prometheus/prometheusrule.sh" >named.yaml
	[ "$(grep -c 'runbook_url: https://runbooks.example/netiotrace#netiotrace' named.yaml)" -eq "$(grep -c 'alert:' rule.yaml)" ]
	python3 - "$REPO/contrib/prometheus" <<-'END'
		import sys, yaml
		load = lambda name: yaml.safe_load(open(name))
		rule = load("rule.yaml")
		assert (rule["apiVersion"], rule["kind"]) == ("monitoring.coreos.com/v1", "PrometheusRule")
		assert rule["spec"] == {"groups": sum((load(f"{sys.argv[1]}/{name}.yml")["groups"] for name in ("rules", "alerts")), [])}
	END
}

@test "kubernetes: manifests fit one another, have published fields only and no more rights than listed" {
	local file change word

	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	python3 "$REPO/tests/e2e/manifests.py" "$MANIFESTS"
	while IFS='|' read -r file change word; do
		rm -rf bad && cp -r "$MANIFESTS" bad
		sed -i "$change" "bad/$file.yaml"
		run -1 python3 "$REPO/tests/e2e/manifests.py" bad
		[[ $output == *"$word"* ]] || { echo "$file $change: $output" && return 1; }
	done <<-'END'
		servicemonitor|s/honorLabels/honourLabels/|no such field
		servicemonitor|s/honorLabels: true/honorLabels: "true"/|of another type
		servicemonitor|s/port: metrics/port: http/|port http is not the Service's
		servicemonitor|s/name: netiotrace$/name: other/|fits nothing
		service|s/targetPort: metrics/targetPort: 9753/|is not the container's
		daemonset|s/add: \[BPF,/add: [BPF, SYS_ADMIN,/|capabilities
		daemonset|s/readOnly: true/readOnly: false/|the mount
		daemonset|s/hostPID: true/hostNetwork: true/|network
		namespace|s/name: netiotrace/name: other/|no such Namespace
		prometheusrule|s/ expr:/ expression:/|no such field
		prometheusrule|s/namespace: netiotrace/namespace: other/|another namespace
		networkpolicy|s/port: metrics/port: 80/|is not the container's
		networkpolicy|s/egress: .*/egress: [{}]/|the NetworkPolicy
		networkpolicy|s/name: netiotrace$/name: other/|fits nothing
		priorityclass|s/name: netiotrace$/name: other/|no such PriorityClass
	END
	cp "$MANIFESTS/service.yaml" bad/forgotten.yaml
	run -1 python3 "$REPO/tests/e2e/manifests.py" bad
	[[ $output == *'does not list each file'* ]]
}

@test "kubernetes: export starts with the DaemonSet's capabilities, and fails if one to load programs or to change the user is missing" {
	local caps cap bound

	need_tool setpriv
	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	caps=$(python3 -c 'import sys, yaml
pod = yaml.safe_load(open(sys.argv[1]))["spec"]["template"]["spec"]
print(*pod["containers"][0]["securityContext"]["capabilities"]["add"])' "$MANIFESTS/daemonset.yaml")
	# A container's root has the capabilities of its bounding set.
	once() {
		bound=$(printf -- ',+%s' "$@")
		setpriv --bounding-set="-all${bound,,}" --inh-caps=-all --ambient-caps=-all --no-new-privs \
			"$NETIOTRACE" export --once --interval 100ms
	}
	# shellcheck disable=SC2086 # words
	once $caps >page.txt
	grep -q '^netiotrace_build_info' page.txt
	for cap in BPF PERFMON SETUID SETGID; do
		# shellcheck disable=SC2046 # words
		run -4 once $(tr ' ' '\n' <<<"$caps" | grep -vx "$cap")
	done
}

@test "kubernetes: a container of a pod has its group and labels, and a restart continues its series" {
	pods_exporter
	pod shop web-0 "$(pod_uid 1)" nginx "$(container_id 1)" 1
	pod shop web-0 "$(pod_uid 1)" sidecar "$(container_id 2)" 2
	within 20 sent shop web-0 "$(pod_uid 1)" nginx 1
	within 20 sent shop web-0 "$(pod_uid 1)" sidecar 2
	# It starts again: another id and another cgroup.
	pod shop web-0 "$(pod_uid 1)" nginx "$(container_id 3)" 3
	within 20 sent shop web-0 "$(pod_uid 1)" nginx 4
	page "$PORT" >page.txt
	[ "$(grep -c "^netiotrace_tcp_sent_bytes_total{.*$(pod_uid 1)" page.txt)" -eq 2 ]
	! type -P promtool >/dev/null || promtool check metrics <page.txt
}

# The kubelet starts a container and then links its log. A program can connect in between.
@test "kubernetes: a connection that is older than the link of its container's log is in the container's group" {
	pods_exporter
	mkdir -p "logs/var/log/pods/shop_web-0_$(pod_uid 1)/nginx" logs/var/log/containers
	: >"logs/var/log/pods/shop_web-0_$(pod_uid 1)/nginx/0.log"
	cat >early.py <<-'END'
		import os, socket, sys, time
		s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		s.sendall(bytes(65536))
		while not os.path.exists("linked"):
		    time.sleep(0.05)
		s.sendall(bytes(2 * 65536))
		time.sleep(600)
	END
	in_cgroup "$(slice "$(pod_uid 1)")/cri-containerd-$(container_id 1).scope" python3 early.py "$(<sink)" 3>&- &
	PEERS+=($!)
	waiting() { [ "$(page "$PORT" | value tcp_connections_without_group)" -ge 1 ]; }
	within 20 waiting
	ln -s "/var/log/pods/shop_web-0_$(pod_uid 1)/nginx/0.log" \
		"logs/var/log/containers/web-0_shop_nginx-$(container_id 1).log"
	touch linked
	within 20 sent shop web-0 "$(pod_uid 1)" nginx 3
	run ! has "$(container_id 1)" page "$PORT"
}

@test "kubernetes: pods come and go, with equal names in two namespaces, without leftovers" {
	local i total

	pods_exporter --groups 2
	pod shop web-0 "$(pod_uid 1)" nginx "$(container_id 1)" 1
	pod lab web-0 "$(pod_uid 2)" nginx "$(container_id 2)" 2
	within 20 sent shop web-0 "$(pod_uid 1)" nginx 1
	within 20 sent lab web-0 "$(pod_uid 2)" nginx 2
	total=3
	# A pod of a StatefulSet starts again: the same names, another UID. There are two places at most.
	for i in 3 4 5 6; do
		remove_pod "$(pod_uid $((i == 3 ? 1 : i - 1)))"
		two_snapshots
		pod shop web-0 "$(pod_uid $i)" nginx "$(container_id $i)" $i
		within 20 sent shop web-0 "$(pod_uid $i)" nginx $i
		total=$((total + i))
	done
	page "$PORT" >page.txt
	sent lab web-0 "$(pod_uid 2)" nginx 2
	# Only the pods that live have series.
	for i in 1 3 4 5; do
		run ! grep "$(pod_uid $i)" page.txt
	done
	[ "$(grep -c '^netiotrace_tcp_sent_bytes_total{.*pod="web-0"' page.txt)" -eq 2 ]
	# No byte is lost: `other` has those of the pods that are gone, and of all that is no pod of this test.
	[ "$(value tcp_sent_bytes_total 'group="other"' <page.txt)" -ge $(((total - 8) * 65536)) ]
	! type -P promtool >/dev/null || promtool check metrics <page.txt
}

query_value() { # EXPR
	query "$1" | jq -r '.data.result[0].value[1]'
}

@test "kubernetes: Prometheus with the ServiceMonitor's relabelling has the labels of the watched pods only" {
	need_tool prometheus promtool
	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	pods_exporter --count-calls --groups 4
	python3 "$REPO/tests/e2e/servicemonitor.py" "$MANIFESTS" "127.0.0.1:$PORT" node-1 netiotrace-x7k2p >prometheus.yml
	promtool check config prometheus.yml
	PROMETHEUS_PORT=$(free_port)
	PROMETHEUS=http://127.0.0.1:$PROMETHEUS_PORT
	background prometheus --config.file prometheus.yml --storage.tsdb.path data \
		--web.listen-address "127.0.0.1:$PROMETHEUS_PORT" --log.level warn 2>prometheus.log
	equals() { [ "$(query_value "$1")" = "$2" ]; }
	within 60 equals 'up{instance="node-1",exporter_pod="netiotrace-x7k2p"}' 1

	pod shop web-0 "$(pod_uid 1)" nginx "$(container_id 1)" 1
	pod lab web-0 "$(pod_uid 2)" nginx "$(container_id 2)" 2
	in_cgroup "host-$$.service" "$FLEET" zerocopy "$(<sink)" 4 >/dev/null
	# Namespaces tell pods of equal names apart. A service of the host is of no pod, and not of the exporter's.
	within 30 equals 'netiotrace_tcp_sent_bytes_total{namespace="shop",pod="web-0",container="nginx"}' 65536
	within 30 equals 'netiotrace_tcp_sent_bytes_total{namespace="lab",pod="web-0",container="nginx"}' 131072
	within 30 equals "netiotrace_tcp_sent_bytes_total{group=\"host-$$.service\",namespace=\"\",pod=\"\",container=\"\"}" 262144
	# Each series has the node and the exporter's pod; none has lost a label to another of its name.
	equals 'count({job="netiotrace",instance!="node-1"})' null
	equals 'count({job="netiotrace",exporter_pod!="netiotrace-x7k2p"})' null
	equals 'count({job="netiotrace",namespace="netiotrace"} or {job="netiotrace",container="netiotrace"})' null
	query 'group by (__name__) ({job="netiotrace"})' | jq -e '.data.result | length > 20'
	curl -sS --max-time 20 "$PROMETHEUS/api/v1/labels" >labels
	jq -e '.data | index("pod") and index("namespace") and index("container") and (map(select(startswith("exported_"))) == [])' labels
	# The pod starts again. Its old series ends with its place, and the new one has the same names.
	remove_pod "$(pod_uid 1)"
	two_snapshots
	pod shop web-0 "$(pod_uid 3)" nginx "$(container_id 3)" 3
	pod shop web-1 "$(pod_uid 4)" nginx "$(container_id 4)" 5
	within 30 equals 'netiotrace_tcp_sent_bytes_total{namespace="shop",pod="web-0"}' 196608
	within 30 equals 'count(netiotrace_tcp_sent_bytes_total{pod="web-0"})' 2
	# Sizes have a sum where each call was watched.
	within 30 equals 'netiotrace_send_size_bytes_sum{namespace="shop",pod="web-1"}' 327680
	curl -sS --max-time 20 "$PROMETHEUS/metrics" |
		awk '/^prometheus_target_scrapes_sample_(duplicate_timestamp|out_of_order|out_of_bounds)_total/ { n++; bad += $2 } END { exit !(n == 3 && !bad) }'
	run ! grep -iE 'error|warn' prometheus.log
}
