/* SPDX-License-Identifier: GPL-2.0-only */
/* The sweep command: modes x sizes x threads x rounds into a results directory. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

/* argv[1] is "sweep". Returns an exit code; everything is reported and cleaned up. */
int sweep__main(int argc, char **argv);

#endif
