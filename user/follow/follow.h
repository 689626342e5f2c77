/* SPDX-License-Identifier: GPL-2.0-only */
/* The follow command: which code of a program copies the payload that it received. */
#ifndef FOLLOW_FOLLOW_H
#define FOLLOW_FOLLOW_H

int follow__main(int argc, char **argv);

#endif
