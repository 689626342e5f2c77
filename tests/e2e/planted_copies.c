/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A relay that copies each message a known number of times: the truth that follow is compared with.
 *
 *	planted_copies COPIES KIND SIZE THREADS BUFFERS plain|vec
 *
 * KIND: memcpy, memmove, bytes, structs, string, xor, flags. BUFFERS: messages use as many buffers
 *in turn; 0: memory is allocated for each message. vec: readv() and writev(). Each thread has a
 *peer process that sends to it and one that receives from it. Runs until it is killed; prints its
 *PID first.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define COPIES_MAX  6
#define THREADS_MAX 64
#define PEER_BYTES  (1 << 17)
#define PAUSE_US    2000

typedef void (*copy_fn)(char *to, const char *from, size_t n);

static int copies, buffers;
static size_t size;
static bool vectored;
static copy_fn copy;
static struct lane {
	int in, out;
} lanes[THREADS_MAX];

static __attribute__((noinline)) void planted_memcpy(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void planted_memmove(char *to, const char *from, size_t n)
{
	memmove(to, from, n);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void planted_bytes(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		__asm__ volatile("" ::: "memory");
	}
}

struct s64 {
	char bytes[64];
};

static __attribute__((noinline)) void planted_structs(char *to, const char *from, size_t n)
{
	size_t i = 0;

	for (; i + 64 <= n; i += 64) {
		*(struct s64 *)(to + i) = *(const struct s64 *)(from + i);
		__asm__ volatile("" ::: "memory");
	}
	planted_bytes(to + i, from + i, n - i);
}

#ifdef __x86_64__
static __attribute__((noinline)) void planted_string(char *to, const char *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

/* Saves and loads the flags between load and store, as binary translators do. */
static __attribute__((noinline)) void planted_flags(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__asm__ volatile("lea -128(%%rsp), %%rsp\n\tmovb (%1), %%al\n\tpushfq\n\tpopfq\n\t"
				 "movb %%al, (%0)\n\tlea 128(%%rsp), %%rsp" ::"r"(to + i),
				 "r"(from + i)
				 : "rax", "memory", "cc");
}
#else
#define planted_string planted_memcpy
#define planted_flags  planted_memcpy
#endif

static __attribute__((noinline)) void planted_xor(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] ^ 0x5a;
	__asm__ volatile("" ::: "memory");
}

static const struct {
	const char *name;
	copy_fn copy;
} kinds[] = {
	{"memcpy", planted_memcpy},   {"memmove", planted_memmove}, {"bytes", planted_bytes},
	{"structs", planted_structs}, {"string", planted_string},   {"xor", planted_xor},
	{"flags", planted_flags},
};

static ssize_t transfer(int fd, char *data, size_t n, bool out)
{
	struct iovec v[3] = {
		{data, n / 3}, {data + n / 3, n / 3}, {data + n / 3 * 2, n - n / 3 * 2}};

	if (vectored)
		return out ? writev(fd, v, 3) : readv(fd, v, 3);
	return out ? send(fd, data, n, 0) : recv(fd, data, n, 0);
}

static bool transfer_all(int fd, char *data, bool out)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = transfer(fd, data + done, size - done, out);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static char *buffer(char **pool, long message)
{
	return buffers ? pool[message % buffers] : malloc(size);
}

static void drop(char *data)
{
	if (!buffers)
		free(data);
}

static void *relay(void *arg)
{
	const struct lane *lane = arg;
	char *pool[COPIES_MAX + 1][64];

	for (int c = 0; c <= copies; c++)
		for (int i = 0; i < buffers; i++)
			pool[c][i] = malloc(size);
	for (long message = 0;; message++) {
		char *data = buffer(pool[0], message);

		if (!transfer_all(lane->in, data, false))
			return NULL;
		for (int c = 1; c <= copies; c++) {
			char *next = buffer(pool[c], message);

			copy(next, data, size);
			drop(data);
			data = next;
		}
		if (!transfer_all(lane->out, data, true))
			return NULL;
		drop(data);
	}
}

/* A connection on the loopback device; *peer is its other end. */
static int connection(int *peer)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;

	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &len))
		exit(1);
	*peer = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(*peer, (struct sockaddr *)&a, sizeof(a)))
		exit(1);
	fd = accept(listener, NULL, NULL);
	close(listener);
	return fd;
}

/* Bytes that differ from their neighbours, as those of real payloads. */
static void produce(int fd)
{
	static char data[PEER_BYTES];
	unsigned int seed = 1;

	for (size_t i = 0; i < sizeof(data); i++) {
		seed = seed * 1103515245 + 12345;
		data[i] = (char)(seed >> 16);
	}
	/* The machine is idle in between: on a busy one stops take long. */
	while (send(fd, data, sizeof(data), 0) > 0)
		usleep(PAUSE_US);
}

static void consume(int fd)
{
	static char data[PEER_BYTES];

	while (recv(fd, data, sizeof(data), 0) > 0)
		;
}

static void peer(void (*work)(int fd), int fd)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	work(fd);
	_exit(0);
}

int main(int argc, char **argv)
{
	int threads;

	if (argc != 7)
		return 2;
	copies = atoi(argv[1]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, argv[2]))
			copy = kinds[i].copy;
	size = strtoul(argv[3], NULL, 10);
	threads = atoi(argv[4]);
	buffers = atoi(argv[5]);
	vectored = !strcmp(argv[6], "vec");
	if (!copy || copies > COPIES_MAX || threads > THREADS_MAX || buffers > 64)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	for (int t = 0; t < threads; t++) {
		int source, sink;

		lanes[t].in = connection(&source);
		lanes[t].out = connection(&sink);
		peer(produce, source);
		peer(consume, sink);
		close(source);
		close(sink);
	}
	printf("%d\n", getpid());
	fflush(stdout);
	for (int t = 0; t < threads; t++) {
		pthread_t thread;

		pthread_create(&thread, NULL, relay, &lanes[t]);
	}
	pause();
	return 0;
}
