#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Lists that must agree: a metric for each stage, part of a send call and counter is not a matter of
# care, the build fails without it. Shown by taking the generated lists out of a copy of metric.h and
# writing them by hand, as they once were: without a row, or with two in the wrong order.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p user bpf common
	cp "$REPO"/bpf/*.h bpf
	cp "$REPO"/common/*.h common
	cp -r "$REPO/user/model" "$REPO/user/base" user
}

# What stands where METRIC_$1 rows are generated from $2: rows given by hand.
write_by_hand() {
	local rows='' id
	for id in "${@:3}"; do rows+="X($id) "; done
	sed -i "/#define X(id, \.\.\.) METRIC_$1##id,/{n;s/$2(X)/$rows/}" user/model/metric.h
	grep -q "X($3) " user/model/metric.h
}

compile() {
	${CC:-cc} -std=gnu11 -fsyntax-only -D_GNU_SOURCE -Iuser -I. user/model/metric.c
}

stages=(USER_GATHER TX_COPY TX_PIN TX_SPLICE DEFERRED_COPY RX_COPY OTHER_COPY)
parts=(LOCK COPY PIN WAIT TRANSMIT INLINE_RECEIVE RELEASE PREEMPTED OTHER)

@test "lists: the metrics as they are compile, and so they do written by hand in full" {
	compile
	write_by_hand BYTES_ NIO_STAGES "${stages[@]}"
	write_by_hand PATH_ NIO_PATH_PARTS "${parts[@]}"
	compile
}

@test "lists: a stage without a metric row breaks the build" {
	write_by_hand NS_ NIO_STAGES "${stages[@]:0:6}"
	run -1 compile
	[[ $output == *METRIC_NS_OTHER_COPY* ]]
}

@test "lists: a part of a send call without a metric row breaks the build" {
	write_by_hand PATH_ NIO_PATH_PARTS "${parts[@]:0:8}"
	run -1 compile
	[[ $output == *METRIC_PATH_OTHER* ]]
}

@test "lists: metric rows in another order than the stages break the build" {
	write_by_hand CPB_ NIO_STAGES TX_COPY USER_GATHER "${stages[@]:2}"
	run -1 compile
	[[ $output == *'static assertion failed'*tx_copy* ]]
}
