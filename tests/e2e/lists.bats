#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Lists that must agree: the build fails if a stage, part of a send call or counter lacks its
# metric. The tests take the generated lists out of a copy of metric.h and write them by hand:
# without a row, or with two rows in the wrong order.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p user bpf common
	cp "$REPO"/bpf/*.h bpf
	cp "$REPO"/common/*.h common
	cp -r "$REPO/user/model" "$REPO/user/base" "$REPO/user/study" "$REPO/user/probes" user
}

# Replaces the METRIC_$1 rows generated from $2 by rows written by hand.
write_by_hand() {
	local rows='' id
	for id in "${@:3}"; do rows+="X($id) "; done
	sed -i "/#define X(id, \.\.\.) METRIC_$1##id,/{n;s/$2(X)/$rows/}" user/study/metric.h
	grep -q "X($3) " user/study/metric.h
}

compile() {
	${CC:-cc} -std=gnu11 -fsyntax-only -D_GNU_SOURCE -Iuser -I. user/study/metric.c
}

stages=(USER_GATHER TX_COPY TX_PIN TX_SPLICE DEFERRED_COPY RX_COPY RX_MAP RX_DISCARD RX_SPLICE OTHER_COPY TLS_COPY)
parts=(LOCK COPY PIN WAIT TRANSMIT INLINE_RECEIVE RELEASE PREEMPTED OTHER)

@test "metric lists: the generated list compiles, and so does the same list written by hand" {
	compile
	write_by_hand BYTES_ NIO_STAGES "${stages[@]}"
	write_by_hand PATH_ NIO_PATH_PARTS "${parts[@]}"
	compile
}

@test "metric lists: a stage without a metric row breaks the build" {
	write_by_hand NS_ NIO_STAGES "${stages[@]:0:10}"
	run -1 compile
	[[ $output == *METRIC_NS_TLS_COPY* ]]
}

@test "metric lists: a part of a send call without a metric row breaks the build" {
	write_by_hand PATH_ NIO_PATH_PARTS "${parts[@]:0:8}"
	run -1 compile
	[[ $output == *METRIC_PATH_OTHER* ]]
}
