# SPDX-License-Identifier: GPL-2.0-only
# Checks the document of a run under disturbance and prints a line for each error. Bytes are exact,
# whatever was missed. Completions and deferred copies equal the application's counts or are a range
# that contains them. The kernel reports program runs that it refused (missed). It does not report
# calls that bypass a fexit program: calls inside the function while another program is attached or
# detached (bpf_tramp_image_put). These are beginnings without an end (unmatched).

# Calls that bypass our programs when the other run attaches and detaches: a change of the fentry
# programs of tcp_sendmsg_locked loses at most the calls of 8 threads. The function has at most one
# program at its entry and one at its return, in a measured and in a timed round: 8 changes.
# Coverage covers both directions.
def returns_lost($backend): if $backend == "fentry" then 8 * 8 else 0 end;
def is($what; $got; $want):
  if $got == $want then empty else "\($what) is \($got), not \($want)" end;
def within($what; $got; $least; $most):
  if $got != null and $least != null and $least <= $got and $got <= $most then empty
  else "\($what) is \($got), not from \($least) to \($most)" end;

.tool.backend as $backend
| if (.runs | length) != 1 then "there are \(.runs | length) runs" else .runs[0]
| .ledger as $l | .app as $app | .sequence as $seq | .kernel_zerocopy as $kz | .health as $h
| ([$l.tx_copy, $l.tx_pin | .bytes // 0] | add) as $placed
| is("interrupted"; .interrupted; false),
  (if $app.tx_messages < 10 then "only \($app.tx_messages) messages were sent" else empty end),
  is("unaccounted_tx"; $l.unaccounted_tx; 0),
  is("unaccounted_rx"; $l.unaccounted_rx; 0),
  is("sequence.source"; $seq.source; "iter/task_file"),
  is("sequence.tx_bytes"; $seq.tx_bytes; $app.tx_bytes),
  is("sequence.rx_bytes"; $seq.rx_bytes; $app.tx_bytes),
  is("TCP_INFO bytes_acked"; $app.tcp.bytes_acked; $app.tx_bytes),
  is("rx_bytes"; $app.rx_bytes; $app.tx_bytes),
  is("tx_copy + tx_pin + unclassified"; $placed + $l.unclassified; $app.tx_bytes),
  is("rx_copy"; $l.rx_copy.bytes; $app.tx_bytes),
  (if .mode != "zerocopy" then is("tx_copy"; $l.tx_copy.bytes; $app.tx_bytes) else empty end),
  is("app completions"; $app.zerocopy.completed; $app.zerocopy.sends),
  is("zero-copy ids taken"; $seq.tx_zerocopy_ids; $app.zerocopy.sends),
  is("kernel completions"; $kz.completed; $app.zerocopy.completed),
  within("completions missed"; $kz.missed; 0; $kz.completed),
  (if $h.missed == 0 and ($h.unmatched // 0) == 0 then is("completions missed"; $kz.missed; 0),
      within("coverage"; $h.coverage; 1 - returns_lost($backend) / $app.tx_messages / 2; 1),
      is("unclassified"; $l.unclassified; 0)
    else empty end),
  within("copied completions"; $app.zerocopy.copied; $kz.copied; $kz.copied_at_most),
  (if .mode == "zerocopy" and $l.deferred_copy.bytes != null then
      within("deferred_copy"; $l.deferred_copy.bytes; 0; $app.tx_bytes + $app.tcp.bytes_retrans),
      (if $l.deferred_copy.bytes_at_most < $l.tx_pin.bytes then "deferred_copy is at most \($l.deferred_copy.bytes_at_most), below the \($l.tx_pin.bytes) pinned" else empty end)
    else empty end),
  within("copies_per_byte"; $l.copies_per_byte; 0; $l.copies_per_byte_at_most),
  # Bytes sent, received, and retransmitted. If sends fell back to copying (ENOBUFS), bytes that
  # were copied into a packet with pages are copied again with them.
  within("copies_per_byte_at_most"; $l.copies_per_byte_at_most; 1;
    2 + ($app.tcp.bytes_retrans + ($l.other_copy.bytes // 0) +
      (if .mode == "zerocopy" then $l.tx_copy.bytes // 0 else 0 end)) / $app.tx_bytes + 0.000001),
  is("health.map_full"; $h.map_full // 0; 0)
end
