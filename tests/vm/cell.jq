# SPDX-License-Identifier: GPL-2.0-only
# Holds the document of one cell against what must be so: a line for each thing that is not. The
# witnesses are what was asked for, the load generator's own counts and TCP_INFO.
# Variables: mode, place (loopback, veth, tap, user), messages, size.

def is($what; $got; $want):
  if $got == $want then empty else "\($what) is \($got), not \($want)" end;
def none($what; $got):
  if $got == null or $got == 0 then empty else "\($what) is \($got)" end;

($messages * $size) as $total
| (["loopback", "veth"] | index($place) != null) as $local
| if (.runs | length) != 1 then "there are \(.runs | length) runs" else .runs[0]
| .ledger as $l | .app as $app | .kernel_zerocopy as $kz
| ([$l.user_gather, $l.tx_copy, $l.tx_pin, $l.rx_copy] | map(.bytes // 0)) as [$gather, $copy, $pin, $rx]
| is("mode"; .mode; $mode),
  is("interrupted"; .interrupted; false),
  is("app.tx_bytes"; $app.tx_bytes; $total),
  is("app.tx_messages"; $app.tx_messages; $messages),
  is("TCP_INFO bytes_acked"; $app.tcp.bytes_acked; $total),
  is("unaccounted_tx"; $l.unaccounted_tx; 0),
  is("tx_copy + tx_pin"; $copy + $pin; $total),
  is("send calls booked"; $l.tx_copy.events + $l.tx_pin.events; $messages + $app.partial_sends),
  is("user_gather"; $gather; if $mode == "twocopy" then $total else 0 end),
  is("kernel completions"; $kz.completed; $app.zerocopy.completed),
  is("kernel completions copied"; $kz.copied; $app.zerocopy.copied),
  is("kernel zero-copy sends"; $kz.sends; $app.zerocopy.sends),
  is("app completions"; $app.zerocopy.completed; $app.zerocopy.sends),
  (.health | none("health.missed"; .missed), none("health.dropped"; .dropped),
    none("health.map_full"; .map_full), none("health.unmatched"; .unmatched)),
  (if $mode == "zerocopy" then
      is("zero-copy sends + ENOBUFS"; $app.zerocopy.sends + $app.zerocopy.enobufs; $messages + $app.partial_sends)
    else is("tx_copy"; $copy; $total), is("tx_pin"; $pin; 0) end),
  (if $local then
      is("app.rx_bytes"; $app.rx_bytes; $total),
      is("TCP_INFO bytes_received"; $app.tcp.bytes_received; $total),
      is("unaccounted_rx"; $l.unaccounted_rx; 0),
      is("rx_copy"; $rx; $total),
      (if $app.tcp.bytes_retrans == 0 and $l.deferred_copy.bytes != null then
        is("deferred_copy of a local path"; $l.deferred_copy.bytes; $pin) else empty end)
    else empty end),
  (if $place == "tap" then
      is("tx_pin"; $pin; $total),
      is("copied_fraction"; .verdict.copied_fraction; 0),
      is("verdict.cause"; .verdict.cause; "not_copied"),
      is("copies_per_byte"; $l.copies_per_byte; 0),
      is("copies_per_byte_side"; $l.copies_per_byte_side; "sender"),
      is("deferred_copy"; $l.deferred_copy.bytes; 0)
    elif $place == "user" then
      # Packets of one segment are copied into one piece, and the kernel says so. Larger ones it segments
      # in software, by copying, and completes some of them as not copied: what it says of those is no
      # witness, and the verdict may not rest on it.
      is("verdict.cause"; .verdict.cause; "no_scatter_gather"),
      (if $size <= 1024 then is("copied_fraction"; .verdict.copied_fraction; 1) else empty end)
    elif $mode == "zerocopy" then
      is("copied_fraction"; .verdict.copied_fraction; 1),
      is("verdict.cause"; .verdict.cause; "local_delivery")
    else is("verdict.cause"; .verdict.cause; "none") end)
  end
