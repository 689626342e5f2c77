/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the ready file and the sd_notify datagram; see ready.h. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "exit_code.h"
#include "log.h"
#include "atomic_file.h"
#include "ready.h"

/* The first word of the file; any other file is not ours. */
#define MARK "netiotrace "

/* 1: written by netiotrace. 0: by somebody else. Or -errno. */
static int is_ours(const char *file)
{
	char begin[sizeof(MARK)] = "";
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err = -EIO;
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return errno == ELOOP ? 0 : -errno;
	len = fstat(fd, &st) || !S_ISREG(st.st_mode) ? 0 : read(fd, begin, sizeof(MARK) - 1);
	if (len >= 0)
		err = !strcmp(begin, MARK);
	close(fd);
	return err;
}

int ready__open(struct ready *r, const char *file)
{
	int err;

	*r = (struct ready){.file = file};
	err = file ? is_ours(file) : -ENOENT;
	if (err == -ENOENT)
		return EXIT_DONE;
	if (!err) {
		log_error("--ready-file %s is there, and netiotrace did not write it: remove it, "
			  "or choose another name.",
			  file);
		return EXIT_USAGE;
	}
	if (err > 0)
		err = unlink(file) ? -errno : 0;
	if (!err)
		return EXIT_DONE;
	log_error("--ready-file %s, which an earlier netiotrace left, cannot be removed: %s.", file,
		  strerror(-err));
	return EXIT_RUN_FAILED;
}

/* 0 or -errno. Does nothing without $NOTIFY_SOCKET. */
static int notify(const char *state)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = name ? strlen(name) : 0;
	int fd, err = 0;

	if (!len)
		return 0;
	if (len >= sizeof(to.sun_path) || (*name != '/' && *name != '@'))
		return -EINVAL;
	memcpy(to.sun_path, name, len);
	/* '@' stands for the first byte, NUL, of an abstract address. */
	if (*name == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int write_file(const char *file, const char *detail)
{
	struct atomic_file *f;
	int err = atomic_file__open(&f, file);

	if (err)
		return err;
	fprintf(atomic_file__stream(f), MARK "%d%s%s\n", getpid(), detail ? " " : "",
		detail ? detail : "");
	return atomic_file__commit(f);
}

int ready__say(struct ready *r, const char *detail)
{
	int err = r->file ? write_file(r->file, detail) : 0;

	if (err) {
		log_error("--ready-file %s cannot be written: %s.", r->file, strerror(-err));
		return EXIT_RUN_FAILED;
	}
	r->said = true;
	err = notify("READY=1");
	if (err)
		log_warning("cannot notify the service manager at NOTIFY_SOCKET=%s: %s.",
			    getenv("NOTIFY_SOCKET"), strerror(-err));
	return EXIT_DONE;
}

void ready__close(struct ready *r)
{
	if (!r->said)
		return;
	r->said = false;
	if (r->file)
		unlink(r->file);
	notify("STOPPING=1");
}
