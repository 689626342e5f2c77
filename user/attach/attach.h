/* SPDX-License-Identifier: GPL-2.0-only */
/* `netiotrace attach`: the copy ledger of programs that are not ours. */
#ifndef ATTACH_ATTACH_H
#define ATTACH_ATTACH_H

int attach__main(int argc, char **argv); /* an exit code */

#endif
