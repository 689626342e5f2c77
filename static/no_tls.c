/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Static programs are linked without GnuTLS, which has no static library. libmicrohttpd calls these
 * two functions when a program starts and ends; the exporter serves no HTTPS, so it calls no other
 * function of GnuTLS (mk/compiler.mk sets their addresses to 0).
 */
int gnutls_global_init(void);
void gnutls_global_deinit(void);

int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void)
{
}
