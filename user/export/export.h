/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the export command: the copy ledger of every service, for Prometheus. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

/* Returns an exit code. */
int export__main(int argc, char **argv);

#endif
