/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kTLS: the kernel makes TLS records of what a socket sends, and reads them. Both sides have
 * the same fixed key, without a handshake.
 */
#ifndef LOADGEN_KTLS_H
#define LOADGEN_KTLS_H

#include <stdbool.h>

#include "common/workload.h"

/*
 * From here on the socket sends records, or receives records only. 0 or -errno; ENOENT: the module
 * tls is not loaded, or this kernel has no TLS or no AES-GCM. ECONNRESET: the peer closed the
 * connection.
 */
int ktls__send_key(int fd, enum workload_tls version);
int ktls__receive_key(int fd, enum workload_tls version);

/*
 * Whether both work here, on a connection of its own, which takes 100 ms at most. 0 or -errno, as
 * above, and the errno of that connection. The answer holds for a second. For one thread.
 */
int ktls__try(enum workload_tls version);

/* Whether err, of a call that receives, is of a record that the kernel cannot decrypt. */
#define KTLS_BAD_RECORD "The sender's TLS records cannot be decrypted: %m"
bool ktls__is_bad_record(int err);

#endif
