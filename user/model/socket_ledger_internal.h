/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the ledger of sockets that its files share. Pure. */
#ifndef MODEL_SOCKET_LEDGER_INTERNAL_H
#define MODEL_SOCKET_LEDGER_INTERNAL_H

#include "socket_ledger.h"

/* Does another layer than TCP serve this direction? kTLS without a key for it leaves it to TCP. */
bool socket_ledger__is_of_layer(const struct sock_state *s, enum nio_side side);

/*
 * Divides the bytes of a connection that another layer than TCP serves, of the directions that it
 * serves. Its stages are set.
 */
void socket_ledger__split_layer(struct socket_ledger *d, const struct sock_state *s);

/* Bounds copies that no event showed, by the route and the completions. Its stages are set. */
void socket_ledger__bound_copies(struct socket_ledger *d, const struct sock_state *s);

#endif
