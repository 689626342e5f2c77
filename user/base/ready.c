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
static int is_ours(const struct path_walk *entry)
{
	char begin[sizeof(MARK)] = "", path[32];
	ssize_t len;
	int fd;

	if (!S_ISREG(entry->st.st_mode))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", entry->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, begin, sizeof(MARK) - 1);
	close(fd);
	return len < 0 ? -EIO : !strcmp(begin, MARK);
}

/* Removes the file of a killed program. An exit code. */
static int remove_old(struct ready *r)
{
	int err = is_ours(&r->entry);

	if (!err) {
		log_error("--ready-file %s is there, and netiotrace did not write it: remove it, "
			  "or choose another name.",
			  r->file);
		return EXIT_USAGE;
	}
	if (err > 0)
		err = path_walk__remove(&r->entry);
	if (!err)
		return EXIT_DONE;
	log_error("--ready-file %s, which an earlier netiotrace left, cannot be removed: %s.",
		  r->file, strerror(-err));
	return EXIT_RUN_FAILED;
}

static int cannot_write(const char *file, int err)
{
	log_error("--ready-file %s cannot be written: %s.", file, strerror(-err));
	return EXIT_RUN_FAILED;
}

int ready__open(struct ready *r, const char *file)
{
	int code = EXIT_DONE, err;

	*r = (struct ready){0};
	if (!file)
		return EXIT_DONE;
	err = path_walk__find_entry(&r->entry, file);
	if (err)
		return cannot_write(file, err);
	r->file = file;
	if (r->entry.fd >= 0)
		code = remove_old(r);
	if (code)
		ready__close(r);
	return code;
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

static int write_file(struct ready *r, const char *detail)
{
	struct atomic_file *f;
	int err = atomic_file__open_below(&f, r->entry.dir, r->entry.name);

	if (err)
		return err;
	fprintf(atomic_file__stream(f), MARK "%d%s%s\n", getpid(), detail ? " " : "",
		detail ? detail : "");
	err = atomic_file__commit(f);
	return err ? err : path_walk__open_entry(&r->entry);
}

int ready__notify(struct ready *r, const char *detail)
{
	int err = r->file ? write_file(r, detail) : 0;

	if (err)
		return cannot_write(r->file, err);
	r->notified = true;
	err = notify("READY=1");
	if (err)
		log_warning("cannot notify the service manager at NOTIFY_SOCKET=%s: %s.",
			    getenv("NOTIFY_SOCKET"), strerror(-err));
	return EXIT_DONE;
}

void ready__close(struct ready *r)
{
	if (r->file && r->notified)
		path_walk__remove(&r->entry);
	if (r->file)
		path_walk__close(&r->entry);
	r->file = NULL;
	if (r->notified)
		notify("STOPPING=1");
	r->notified = false;
}
