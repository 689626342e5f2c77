# SPDX-License-Identifier: GPL-2.0-only
# Checks the document of one cell and prints a line for each error. The references are the requested
# load, the load generator's own counts and TCP_INFO. A cell runs once: retransmissions and program
# runs that the kernel refused are taken into account. Variables: mode, place (loopback, veth, tap,
# user), messages, size.

def is($what; $got; $want):
  if $got == $want then empty else "\($what) is \($got), not \($want)" end;
def none($what; $got):
  if $got == null or $got == 0 then empty else "\($what) is \($got)" end;
def within($what; $got; $least; $most):
  if $got != null and $least != null and $least <= $got and $got <= $most then empty
  else "\($what) is \($got), not from \($least) to \($most)" end;

($messages * $size) as $total
| .environment.virtualization as $virtualization
| (["loopback", "veth"] | index($place) != null) as $local
| if (.runs | length) != 1 then "there are \(.runs | length) runs" else .runs[0]
| .ledger as $l | .app as $app | .kernel_zerocopy as $kz
# On the path to the tap device the host measures its side, where its kernel lets it.
| ($place == "tap" and $l.rx_copy.bytes != null) as $both
| .sequence as $seq | .health as $health
| ([$l.user_gather, $l.tx_copy, $l.tx_pin, $l.rx_copy] | map(.bytes // 0)) as [$gather, $copy, $pin, $rx]
# A kernel that refuses program runs reports it: event counts are then lower bounds, and bytes are
# still exact. Kprobes before 6.7 do not report it: coverage or completions show the misses.
| ($health.missed != 0 and ($health.missed != null or ($health.coverage // 0) < 1 or $kz.missed != 0)) as $missed
| is("virtualization"; $virtualization; "vm, emulated"),
  is("mode"; .mode; $mode),
  is("interrupted"; .interrupted; false),
  is("app.tx_bytes"; $app.tx_bytes; $total),
  is("app.tx_messages"; $app.tx_messages; $messages),
  is("TCP_INFO bytes_acked"; $app.tcp.bytes_acked; $total),
  is("unaccounted_tx"; $l.unaccounted_tx; 0),
  is("sequence.tx_bytes"; $seq.tx_bytes; $total),
  is("sequence.source"; $seq.source; "iter/task_file"),
  is("tx_copy + tx_pin + unclassified"; $copy + $pin + $l.unclassified; $total),
  (if $missed then empty else
    none("unclassified"; $l.unclassified), none("health.unmatched"; $health.unmatched),
    (if $health.coverage == null then empty else is("coverage"; $health.coverage; 1) end) end),
  (if $l.tx_copy.events == null then
      (if $l.tx_copy.events_reason == null then "tx_copy.events is null without a reason" else empty end)
    elif $missed then within("send calls booked"; $l.tx_copy.events + $l.tx_pin.events; 0; $messages + $app.partial_sends)
    else is("send calls booked"; $l.tx_copy.events + $l.tx_pin.events; $messages + $app.partial_sends) end),
  is("user_gather"; $gather; if $mode == "twocopy" then $total else 0 end),
  is("kernel completions"; $kz.completed; $app.zerocopy.completed),
  (if $missed then empty else is("completions missed"; $kz.missed; 0) end),
  # The kernel merges notifications without comparing their codes. If some sends are copied and some
  # not, an observer in the kernel, before the merge, sees more than the application.
  (if $place == "user" and $size > 1024 then empty
    else within("copied completions of the application"; $app.zerocopy.copied; $kz.copied; $kz.copied_at_most) end),
  is("zero-copy ids taken"; $seq.tx_zerocopy_ids; $app.zerocopy.sends),
  (if $missed or $kz.sends == null then empty else is("kernel zero-copy sends"; $kz.sends; $app.zerocopy.sends) end),
  is("app completions"; $app.zerocopy.completed; $app.zerocopy.sends),
  none("health.dropped"; $health.dropped), none("health.map_full"; $health.map_full),
  (if $mode == "zerocopy" then
      is("zero-copy sends + ENOBUFS"; $app.zerocopy.sends + $app.zerocopy.enobufs; $messages + $app.partial_sends)
    else is("tx_copy"; $copy; $total), is("tx_pin"; $pin; 0), is("deferred_copy"; $l.deferred_copy.bytes; 0) end),
  (if $local or $both then
      is("app.rx_bytes"; $app.rx_bytes; $total),
      is("TCP_INFO bytes_received"; $app.tcp.bytes_received; $total),
      is("unaccounted_rx"; $l.unaccounted_rx; 0),
      is("rx_copy"; $rx; $total),
      is("sequence.rx_bytes"; $seq.rx_bytes; $total)
    else empty end),
  (if $local then
      # Each pinned byte is copied each time it is sent, together with bytes copied into the same
      # packet.
      (if $l.deferred_copy.bytes == null then empty else
        within("deferred_copy of a local path"; $l.deferred_copy.bytes; if $missed then 0 else $pin end;
          $pin + $l.unclassified + (if $pin > 0 then $copy else 0 end) + $app.tcp.bytes_retrans),
        (if $l.deferred_copy.bytes_at_most < $pin then "deferred_copy.bytes_at_most is \($l.deferred_copy.bytes_at_most), below the \($pin) pinned"
          else empty end) end)
    else empty end),
  (if $place == "tap" then
      is("tx_copy"; $copy; 0),
      is("copied_fraction"; .verdict.copied_fraction; 0),
      is("verdict.cause"; .verdict.cause; "not_copied"),
      is("copies_per_byte"; $l.copies_per_byte; if $both then 1 else 0 end),
      is("copies_per_byte_side"; $l.copies_per_byte_side; if $both then "both" else "sender" end),
      (if $both or $l.rx_copy.reason then empty else "rx_copy is null without a reason" end),
      is("deferred_copy"; $l.deferred_copy.bytes; 0)
    elif $place == "user" then
      # Packets of one segment are copied into one piece, which the kernel reports. Larger packets
      # are segmented in software, by copying, and some complete as not copied. So the kernel's
      # report on those is no reference, and the verdict may not depend on it.
      is("verdict.cause"; .verdict.cause; "no_scatter_gather"),
      (if $size <= 1024 then is("copied_fraction"; .verdict.copied_fraction; 1) else empty end)
    elif $mode == "zerocopy" then
      is("copied_fraction"; .verdict.copied_fraction; 1),
      is("verdict.cause"; .verdict.cause; "local_delivery")
    else is("verdict.cause"; .verdict.cause; "none") end)
  end
