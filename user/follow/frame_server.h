/* SPDX-License-Identifier: GPL-2.0-only */
/* The process without privileges that unwinds stacks and finds lines (libdw). */
#ifndef FOLLOW_FRAME_SERVER_H
#define FOLLOW_FRAME_SERVER_H

/* Answers the requests of frames_request.h; see worker.h. */
void frame_server__run(int fd);

#endif
