# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# The cells of the kernel matrix, for the guest, which runs them, and the host, which checks them.

MATRIX_MESSAGES=23
MATRIX_BACKENDS='fentry kprobe tracepoint'
MATRIX_PATHS='loopback veth'
MATRIX_MODES='twocopy onecopy zerocopy' # what --mode all runs
# Message size in KiB, threads: one load a path, since each program of the guest loads its BPF programs,
# which takes 5 to 20 s of an emulated processor.
declare -gA PATH_LOADS=([loopback]='16:1' [veth]='64:2')
# Kernels with a doctor for each backend: it tries every hook, which takes minutes on slow ones. The
# doctor of all backends runs on each kernel.
MATRIX_DOCTORED='6.12'
# Remote paths: the guest's device and its features, the network of both ends, the host's address.
MATRIX_REMOTES='tap user'
declare -gA REMOTE_LOADS=([tap]='16:1' [user]='1:1 16:1')
declare -gA REMOTE_DEVICE=([tap]=eth0 [user]=eth1)
declare -gA REMOTE_GUEST=([tap]=198.18.77.2/24 [user]=10.0.2.15/24)
declare -gA REMOTE_HOST=([tap]=198.18.77.1 [user]=10.0.2.2)
# The receivers: netiotrace serve, which measures the host's side, and the load generator alone.
declare -gA REMOTE_PORT=([tap]=5201 [user]=5203)
MATRIX_SINK_PORT=5202
# Kernels and backends without a hook for sends in attach (sock_send_length needs Linux 6.3).
ATTACH_REFUSED='5.10:tracepoint 6.1:tracepoint'
# Definitions for attach's document, in jq. $unseen: bytes whose calls or copies no program saw; kinds
# of bytes are exact to within these. fewer(GOT; ALL): some are missing, and the kernel refused runs.
# It does not count refused kprobes before Linux 6.7 (missed is null): these are rare, so nine tenths
# must be there.
# shellcheck disable=SC2016 # jq's variables, not the shell's
ATTACH_JQ='.health as $health | ((1 - .health.coverage) * (.total.socket.tx_bytes + .total.socket.rx_bytes) | round) as $unseen
	| def fewer($got; $all): $got > 0 and $got < $all and ($health.missed > 0 or ($health.missed == null and $got >= 0.9 * $all)); '
export ATTACH_REFUSED ATTACH_JQ MATRIX_MESSAGES MATRIX_BACKENDS MATRIX_PATHS MATRIX_MODES MATRIX_DOCTORED MATRIX_REMOTES MATRIX_SINK_PORT
export PATH_LOADS REMOTE_LOADS REMOTE_DEVICE REMOTE_GUEST REMOTE_HOST REMOTE_PORT
