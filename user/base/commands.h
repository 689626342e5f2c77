/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands that main.c runs. argv[1] is the name of the command (of run, also its first
 * option). Each reports errors, cleans up and returns an exit code (exit_code.h).
 */
#ifndef BASE_COMMANDS_H
#define BASE_COMMANDS_H

int attach__main(int argc, char **argv);
int compare__main(int argc, char **argv); /* 5: a regression beyond --fail-on-regression */
int doctor__main(int argc, char **argv);  /* EXIT_KERNEL: not even the bytes can be counted */
int export__main(int argc, char **argv);
int follow__main(int argc, char **argv);
int report__main(int argc, char **argv);
int run__main(int argc, char **argv);
int serve__main(int argc, char **argv);
int sweep__main(int argc, char **argv);

#endif
