/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The serve command: the load generator's receiver for senders on other machines. Watches nothing
 * and needs no privileges.
 */
#ifndef RUN_SERVE_H
#define RUN_SERVE_H

/*
 * Prints one line on stdout when clients can connect, then serves one session after another until
 * SIGINT, SIGTERM, SIGHUP or SIGQUIT. Returns an exit code; everything is reported and cleaned up.
 */
int serve__main(int argc, char **argv);

#endif
