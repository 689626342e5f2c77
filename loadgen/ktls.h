/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kTLS: the kernel makes TLS 1.3 records of what a socket sends, and reads them. Both sides have
 * the same fixed key, without a handshake.
 */
#ifndef LOADGEN_KTLS_H
#define LOADGEN_KTLS_H

/*
 * From here on the socket sends records, or receives records only. It must be connected. 0 or
 * -errno; ENOENT: the module tls is not loaded, or this kernel lacks it or the cipher.
 */
int ktls__send_key(int fd);
int ktls__receive_key(int fd);

/* Whether both work here, on a connection of its own. 0 or -errno, as above. */
int ktls__try(void);

#endif
