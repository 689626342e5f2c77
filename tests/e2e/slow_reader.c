/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A receive call that stays in its copy: its buffer is a page that userfaultfd provides later.
 * Creates "ready"; when "read" exists, sends itself 4096 bytes and receives them; creates "copying"
 * while the kernel copies; when "go" exists, provides the page and ends. Exit status 77: this
 * kernel has no userfaultfd.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static int sender, receiver, faults;
static char *page;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void connect_pair(void)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(sin);

	sender = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&sin, sizeof(sin)) || listen(listener, 1) ||
	    getsockname(listener, (void *)&sin, &len) || connect(sender, (void *)&sin, len))
		fail("connect");
	receiver = accept(listener, NULL, NULL);
	if (receiver < 0)
		fail("accept");
}

static void provide_later(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0) {
		perror("userfaultfd");
		exit(77);
	}
	range.range.start = (uintptr_t)page;
	range.range.len = PAGE;
	if (page == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range))
		fail("userfaultfd");
}

static void create(const char *name)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0)
		fail(name);
	close(fd);
}

static void wait_for(const char *name)
{
	while (access(name, F_OK))
		usleep(10000);
}

static void *receive(void *unused)
{
	if (recv(receiver, page, PAGE, MSG_WAITALL) != PAGE)
		fail("recv");
	return unused;
}

int main(void)
{
	static const char data[PAGE];
	struct uffdio_zeropage zero = {0};
	struct uffd_msg fault;
	pthread_t thread;

	alarm(300);
	connect_pair();
	provide_later();
	create("ready");
	wait_for("read");
	if (send(sender, data, PAGE, 0) != PAGE || pthread_create(&thread, NULL, receive, NULL))
		fail("send");
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		fail("read");
	create("copying");
	wait_for("go");
	zero.range.start = (uintptr_t)page;
	zero.range.len = PAGE;
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		fail("UFFDIO_ZEROPAGE");
	pthread_join(thread, NULL);
	return 0;
}
