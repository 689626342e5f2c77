// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load with known classes of CPU time, sampled and classified as the sender of a run is.
 *
 *   calibrated_loads copies     reads the same bytes of a TCP socket again and again (MSG_PEEK)
 *   calibrated_loads syscalls   makes the cheapest system call
 *   calibrated_loads computes   makes no system call
 *
 * Prints "CLASS SAMPLES" for each class, then "all SAMPLES", then "on_top SAMPLES". The latter are
 * in no class: they hit a softirq, in which the kernel does work that any task on the machine left,
 * packets included, at the expense of the running task. Any load may get them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/mappings.h"
#include "kernel/sample_fold.h"
#include "kernel/sampler.h"
#include "kernel/symbols.h"

#define SAMPLES_WANTED 300 /* whatever the machine's load */
#define SLICES_MAX     300
#define SLICE_NS       200000000L
#define PEEK_BYTES     (256 << 10) /* so many that the cost of the call is negligible */

static char buffer[PEEK_BYTES];

/* Two ends of a connection on loopback, through a listener. */
static int connect_pair(int fds[2])
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(to);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int room = 4 * PEEK_BYTES;

	fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || fds[0] < 0 ||
	    setsockopt(listener, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(listener, (void *)&to, sizeof(to)) || listen(listener, 1) ||
	    getsockname(listener, (void *)&to, &len) || connect(fds[0], (void *)&to, sizeof(to)))
		return -1;
	fds[1] = accept(listener, NULL, NULL);
	close(listener);
	return fds[1] < 0 ? -1 : 0;
}

/* The same bytes, read again and again and never consumed. */
static void copies(void)
{
	int fds[2];

	if (connect_pair(fds) || send(fds[0], buffer, sizeof(buffer), 0) != sizeof(buffer) ||
	    recv(fds[1], buffer, sizeof(buffer), MSG_PEEK | MSG_WAITALL) != sizeof(buffer))
		_exit(1);
	for (;;)
		if (recv(fds[1], buffer, sizeof(buffer), MSG_PEEK) <= 0)
			_exit(1);
}

static void syscalls(void)
{
	for (;;)
		syscall(SYS_getuid); /* getppid takes an RCU lock, which is a class of its own */
}

static void computes(void)
{
	for (volatile unsigned int i = 1;; i = i * 1664525 + 1013904223)
		;
}

static const struct {
	const char *name;
	void (*run)(void);
} loads[] = {{"copies", copies}, {"syscalls", syscalls}, {"computes", computes}};

static pid_t start(const char *name)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		pid_t pid;

		if (strcmp(loads[i].name, name) != 0)
			continue;
		pid = fork();
		if (pid)
			return pid;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		loads[i].run();
	}
	fprintf(stderr, "usage: calibrated_loads copies|syscalls|computes\n");
	exit(2);
}

static bool is_in_softirq(const struct symbols *symbols, const struct nio_sample *sample)
{
	const char *names[NIO_SAMPLE_FRAMES];

	symbols__stack(symbols, sample->ip, sample->frames, names);
	for (size_t i = 0; i < sample->frames; i++)
		if (!strcmp(names[i], "handle_softirqs") || !strcmp(names[i], "__do_softirq") ||
		    !strcmp(names[i], "__softirqentry_text_start"))
			return true;
	return false;
}

struct own_fold {
	struct sample_fold fold;
	unsigned long on_top;
};

static int take(const struct nio_sample *sample, void *arg)
{
	struct own_fold *f = arg;

	if (!is_in_softirq(f->fold.symbols, sample))
		return sample_fold__add(sample, &f->fold);
	f->on_top++;
	return 0;
}

static int sample(struct sampler *s, pid_t pid, struct cpu_result *out, unsigned long *on_top)
{
	const struct timespec slice = {.tv_nsec = SLICE_NS};
	const pid_t pids[NIO_SIDE_NR] = {pid, 0};
	struct mappings maps;
	struct own_fold f = {{.symbols = sampler__symbols(s), .maps = {&maps}, .out = out}, 0};
	char why[256] = "";
	int err = 0;

	mappings__read(&maps, pid, true);
	nanosleep(&slice, NULL); /* until it runs only its load */
	for (int i = 0; !err && i < SLICES_MAX; i++) {
		err = sampler__start(s, pids, NULL, SAMPLER_HZ, why, sizeof(why));
		nanosleep(&slice, NULL);
		sampler__stop(s);
		if (!err)
			err = sampler__read(s, take, &f);
		if (out->by[NIO_SAMPLE_SENDER].samples >= SAMPLES_WANTED)
			break;
	}
	if (err)
		fprintf(stderr, "calibrated_loads: %s\n", *why ? why : strerror(-err));
	mappings__free(&maps);
	*on_top = f.on_top;
	return err;
}

static void print(const struct cpu_samples *s, unsigned long on_top)
{
	for (int c = 0; c < CPU_CLASS_NR; c++)
		printf("%s %llu\n", cpu_class__key((enum cpu_class)c),
		       (unsigned long long)s->classes[c]);
	printf("all %llu\non_top %lu\n", (unsigned long long)s->samples, on_top);
}

int main(int argc, char **argv)
{
	pid_t pid = start(argc == 2 ? argv[1] : "");
	struct cpu_result out = {0};
	struct sampler *s = NULL;
	unsigned long on_top = 0;
	char why[256] = "";
	int err = sampler__open(&s, -1, why, sizeof(why));

	if (err)
		fprintf(stderr, "calibrated_loads: %s\n", why);
	else
		err = sample(s, pid, &out, &on_top);
	if (!err && waitpid(pid, NULL, WNOHANG) == pid) {
		fprintf(stderr, "calibrated_loads: the load ended\n");
		err = -ECHILD;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (!err)
		print(&out.by[NIO_SAMPLE_SENDER], on_top);
	sampler__close(s);
	cpu_time__clear(&out);
	return err ? 1 : 0;
}
