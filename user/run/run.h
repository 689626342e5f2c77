/* SPDX-License-Identifier: GPL-2.0-only */
/* The run command: one run of one mode or all, live, then its ledger. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

/* argv[1] is "run", or the first option. Returns an exit code; all is reported and cleaned up. */
int run__main(int argc, char **argv);

#endif
