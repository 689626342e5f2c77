/* SPDX-License-Identifier: GPL-2.0-only */
/* The sweep command: modes x sizes x threads x rounds into a results directory. */
#ifndef NETIOTRACE_SWEEP_H
#define NETIOTRACE_SWEEP_H

/* argv[1] is "sweep". Returns an exit code, everything said and cleaned up. */
int sweep__main(int argc, char **argv);

#endif
