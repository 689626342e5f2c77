# SPDX-License-Identifier: GPL-2.0-only
# Checks the document of a run under stress and prints a line for each error. Variables: backend;
# disturbed, the number of interruptions and migrations of a thread; waited, the ns for which
# senders were runnable without a CPU. With more threads than CPUs that is mostly at the end of the
# system call: after tcp_sendmsg, before the load generator reads its clock.

def is($what; $got; $want):
  if $got == $want then empty else "\($what) is \($got), not \($want)" end;
# A counted loss is reported in the document and in a sentence of the text.
def counted($what; $got):
  if ($got | type) == "number" then empty else "\($what) is not counted: \($got)" end;

if (.runs | length) != 1 then "there are \(.runs | length) runs" else .runs[0]
| .path_ns as $path | .ledger as $l | .app as $app
| ($path | to_entries | map(select(.key != "send_total" and (.key | endswith("_reason") | not) and .key != "reason"))) as $parts
| ([$parts[].value | numbers] | add // 0) as $sum
| (.duration_s * 1e9) as $duration
| (if $disturbed < 100 then "threads were interrupted and moved only \($disturbed) times" else empty end),
  (if $app.partial_sends + $app.eintr == 0 then "no send call was cut short: the signals interrupted nothing" else empty end),
  is("interrupted"; .interrupted; false),
  is("unaccounted_tx"; $l.unaccounted_tx; 0),
  is("unaccounted_rx"; $l.unaccounted_rx; 0),
  is("TCP_INFO bytes_acked"; $app.tcp.bytes_acked; $app.tx_bytes),
  is("rx_bytes"; $app.rx_bytes; $app.tx_bytes),
  is("send calls booked"; $l.tx_copy.events + $l.tx_pin.events; $app.tx_messages + $app.partial_sends),
  is("kernel completions"; .kernel_zerocopy.completed; $app.zerocopy.completed),
  (if .health.missed == 0 then is("completions missed"; .kernel_zerocopy.missed; 0) else empty end),
  is("app completions"; $app.zerocopy.completed; $app.zerocopy.sends),
  is("health.map_full"; .health.map_full; 0),
  counted("health.unmatched"; .health.unmatched),
  counted("health.missed"; .health.missed),
  (if $path.send_total == null or $path.send_total <= 0 then "path_ns.send_total is \($path.send_total)" else empty end),
  ($parts[] | if .value == null then "path_ns.\(.key) is unknown"
    elif .value < 0 then "path_ns.\(.key) is \(.value), below 0"
    elif .value > $path.send_total then "path_ns.\(.key) is \(.value), above send_total \($path.send_total)"
    else empty end),
  (if $sum > $path.send_total then "the parts of path_ns add up to \($sum), more than send_total \($path.send_total)"
    elif $backend == "fentry" and $sum + $waited < 0.95 * $path.send_total then
      "the parts of path_ns add up to \($sum), with \($waited) of waiting for a CPU to less than 95 % of send_total \($path.send_total)"
    else empty end),
  # Histograms of times: lists of [low, high, count] called buckets, or under a name in ns.
  (. as $run | paths(type == "array") as $p
    | select(($p[-1] | type) == "string" and ($p[-1] | test("^(ns_)?buckets$|^times$|_ns$")))
    | $run | getpath($p)[] | select(type == "array" and length == 3 and .[2] > 0 and .[0] > $duration)
    | "\($p | map(tostring) | join(".")) has \(.[2]) times from \(.[0]) ns, longer than the whole run (\($duration) ns)")
end
