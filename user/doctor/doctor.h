/* SPDX-License-Identifier: GPL-2.0-only */
/* The doctor command: what this machine can measure, by which hook, and remedies for the rest. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

/* Returns an exit code: EXIT_KERNEL when not even sent and received bytes can be seen. */
int doctor__main(int argc, char **argv);

#endif
