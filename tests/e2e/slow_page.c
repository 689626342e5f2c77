/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that follow must not end or stop.
 *
 *	slow_page wait FILE
 *
 * Prints its PID. One thread stores each received byte to a page that is not in memory. A second
 * thread supplies the page by userfaultfd. While the storing thread is traced, the second thread
 * waits until FILE exists: so does a network file system that does not answer. A third thread
 * receives on a connection of its own. The program exits with 0 once FILE exists and 1000 bytes
 *more were stored.
 *
 *	slow_page strike PID GROUP SIGNAL
 *
 * Sends the signal to a process group while a thread of PID is in a tracing stop.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE     4096
#define PAUSE_US 1000
#define MORE     1000
#define TRIES    1000000

static const char *file;
static char *page;
static int faults;

static int is_traced(pid_t tid)
{
	char path[64], line[128];
	int tracer = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (f)
		fclose(f);
	return tracer;
}

static void *serve(void *arg)
{
	static char zeros[PAGE] = {0};
	struct uffd_msg m;

	(void)arg;
	while (read(faults, &m, sizeof(m)) == sizeof(m)) {
		struct uffdio_copy copy = {
			.dst = (uintptr_t)page, .src = (uintptr_t)zeros, .len = PAGE};

		while (is_traced(getpid()) && access(file, F_OK))
			usleep(PAUSE_US);
		ioctl(faults, UFFDIO_COPY, &copy);
	}
	return NULL;
}

/* A connection whose peer sends a byte each millisecond. */
static int connection(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0), peer = socket(AF_INET, SOCK_STREAM, 0), fd;

	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &len) ||
	    connect(peer, (struct sockaddr *)&a, sizeof(a)))
		exit(1);
	fd = accept(listener, NULL, NULL);
	close(listener);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd);
		for (unsigned char byte = 0; send(peer, &byte, 1, MSG_NOSIGNAL) == 1; byte++)
			usleep(PAUSE_US);
		_exit(0);
	}
	close(peer);
	return fd;
}

static void *receive(void *arg)
{
	char byte;

	while (recv((int)(intptr_t)arg, &byte, 1, 0) == 1)
		;
	return NULL;
}

static int wait_for_pages(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range.len = PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = connection(), other = connection(), more = 0;
	static volatile char byte;
	pthread_t thread;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)page;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		return 77;
	}
	pthread_create(&thread, NULL, serve, NULL);
	pthread_create(&thread, NULL, receive, (void *)(intptr_t)other);
	printf("%d\n", getpid());
	fflush(stdout);
	while (more < MORE && recv(fd, (char *)&byte, 1, 0) == 1) {
		*(volatile char *)page = byte;
		madvise(page, PAGE, MADV_DONTNEED);
		more += !access(file, F_OK);
	}
	return more < MORE;
}

static int is_stopped(const char *pid, const char *tid)
{
	char path[600], line[512], *name_end;
	int fd, stopped;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", pid, tid);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	line[n > 0 ? n : 0] = '\0';
	name_end = strrchr(line, ')');
	stopped = name_end && name_end[2] == 't';
	if (fd >= 0)
		close(fd);
	return stopped;
}

static int strike(const char *pid, pid_t group, int signo)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	for (long i = 0; i < TRIES; i++) {
		DIR *dir = opendir(path);
		struct dirent *e;

		while (dir && (e = readdir(dir)))
			if (is_stopped(pid, e->d_name))
				return kill(-group, signo);
		if (!dir)
			return 1;
		closedir(dir);
	}
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "wait")) {
		file = argv[2];
		return wait_for_pages();
	}
	if (argc == 5 && !strcmp(argv[1], "strike"))
		return strike(argv[2], atoi(argv[3]), atoi(argv[4]));
	return 2;
}
