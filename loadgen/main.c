/* SPDX-License-Identifier: GPL-2.0-only */
/* netio-loadgen: drops privileges, parses the command line, runs one side or both. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/uid_map.h"
#include "lg_options.h"
#include "session.h"

static int become(uid_t uid, gid_t gid)
{
	uid_t ruid, euid, suid;

	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	if (getresuid(&ruid, &euid, &suid))
		return -errno;
	if (ruid != uid || euid != uid || suid != uid || getegid() != gid || !setuid(0))
		return -EPERM;
	return 0;
}

static int drop_root(void)
{
	uid_t uid;
	gid_t gid;

	if (geteuid() != 0 && getuid() != 0)
		return 0;
	uid_map__nobody(&uid, &gid);
	return uid_map__own_root_only(uid) ? 0 : become(uid, gid);
}

/* Before the uid changes. Without CAP_SETPCAP (EPERM) the set stays; no_new_privs disarms it. */
static int empty_bounding_set(void)
{
	int cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EPERM)
			return -errno;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return -errno;
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/*
 * Changes the user from root to nobody, drops all capabilities, sets no_new_privs. In a user
 * namespace that maps only one user, root stays: outside, it is an ordinary user. 0; -EPERM: still
 * root; -errno.
 */
static int privileges__drop(void)
{
	int err = empty_bounding_set();

	if (!err)
		err = drop_root();
	if (!err)
		err = drop_capabilities();
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err;
}

/* Never raises the hard limit. */
static int limit(int resource, rlim_t want)
{
	struct rlimit old, new;

	if (getrlimit(resource, &old))
		return -errno;
	new.rlim_max = want < old.rlim_max ? want : old.rlim_max;
	new.rlim_cur = new.rlim_max;
	return setrlimit(resource, &new) ? -errno : 0;
}

#define HEAP_STEP (4 << 20) /* bytes by which the heap grows */

/* Opens descriptors 0 to 2, so that no socket gets these numbers. */
static int open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* open() returns the lowest free descriptor, which is this one. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -errno;
	}
	return 0;
}

/* --try */
static int try_mode(const struct lg_options *s, struct reporter *r)
{
	int err = sender__try_mode(s, r);

	if (!err)
		err = session__try_receive(s, r);
	if (!err)
		reporter__usable(r);
	return err;
}

static int run_side(const struct lg_options *s)
{
	static struct reporter r;
	const struct session_mode mode = {.signals = !s->control};
	int err;

	r.kind = s->control ? REPORTER_EVENTS : REPORTER_FINAL;
	r.options = s;
	if (s->only_try)
		return try_mode(s, &r);
	err = (s->command == COMMAND_SEND ? sender__run : receiver__run)(s, &r, mode);
	/* After a signal, print the results so far if the measured phase had begun. */
	if ((err >= 0 || (err == -EINTR && r.stats.counters.hist[0])) && !s->control && !s->forever)
		reporter__print(&r, true, true);
	reporter__clear(&r);
	return err;
}

/* Runs before anything is opened. 0, or -errno and the step that failed in *what. */
static int prepare(const struct lg_options *s, const char **what)
{
	pid_t parent = getppid();
	int err;

	*what = "Giving up root and capabilities";
	err = privileges__drop();
	if (err)
		return err;
	*what = "Limiting its own resources";
	err = limit(RLIMIT_CORE, 0);
	if (!err)
		err = limit(RLIMIT_NOFILE, lg_options__descriptors(s));
	if (err || !s->control)
		return err;
	/* After the change of user, which clears the parent-death signal. */
	*what = "Tying this process to its parent";
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

int main(int argc, char **argv)
{
	static char buf[64 << 10]; /* an event is one write(), or few */
	static struct lg_options s;
	const char *what;
	int err;

	/* Messages are many small blocks. An arena of a thread grows by one mprotect() a page. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TOP_PAD, HEAP_STEP);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, buf, _IOFBF, sizeof(buf));
	err = open_standard();
	if (err) {
		fprintf(stderr, "netio-loadgen: /dev/null cannot be opened: %s\n", strerror(-err));
		return 1;
	}
	lg_options__parse(&s, argc, argv);
	if (s.help || s.version) {
		if (s.help)
			lg_options__help();
		else
			puts("netio-loadgen " NETIOTRACE_VERSION);
		return fflush(stdout) ? 1 : 0;
	}
	err = prepare(&s, &what);
	if (err) {
		fprintf(stderr, "netio-loadgen: %s failed: %s\n", what, strerror(-err));
		return 1;
	}
	err = s.command == COMMAND_LOOPBACK ? loopback__run(&s) : run_side(&s);
	return err ? 1 : 0;
}
