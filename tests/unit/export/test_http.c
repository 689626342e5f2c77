/* SPDX-License-Identifier: GPL-2.0-only */
/* The HTTP server of the exporter against slow clients, foreign Host headers and odd requests. */
#include "export/http.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/test.h"

#define SLOW_NR 400

static char *render(void *arg, enum page_format format, size_t *len)
{
	char *page = malloc(1001);

	(void)arg, (void)format;
	memset(page, 'x', 1000);
	page[1000] = '\0';
	*len = 1000;
	return page;
}

static struct sockaddr_in address;

static struct http *server(const char *listen)
{
	struct http_listener l;
	socklen_t len = sizeof(address);
	struct http *h;
	char why[256];

	assert_int_equal(http__listen(&l, listen, why, sizeof(why)), 0);
	assert_int_equal(getsockname(l.fd, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(http__start(&h, &l, render, NULL), 0);
	return h;
}

static int client(const char *text)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	return fd;
}

/* The status of a response, 0 if the connection is closed without one. */
static int status_of(struct http *h, int fd, char *response, size_t len)
{
	ssize_t n = -1;
	int status = 0;

	for (int i = 0; n < 0 && i < 10000; i++) {
		http__run(h);
		n = recv(fd, response, len - 1, MSG_DONTWAIT);
	}
	close(fd);
	response[n > 0 ? n : 0] = '\0';
	sscanf(response, "HTTP/1.1 %d", &status);
	return status;
}

static int ask(struct http *h, const char *request)
{
	char response[4096];

	return status_of(h, client(request), response, sizeof(response));
}

#define SCRAPE "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* Each slow client opens a new connection as soon as its own is cut. */
TEST(four_hundred_slow_clients_fail_no_scrape)
{
	struct http *h = server("127.0.0.1:0");
	int slow[SLOW_NR];
	char byte;

	for (int i = 0; i < SLOW_NR; i++)
		slow[i] = client("GET /met");
	for (int scrape = 0; scrape < 50; scrape++) {
		for (int i = 0; i < SLOW_NR; i++)
			if (recv(slow[i], &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET) {
				close(slow[i]);
				slow[i] = client("GET /met");
			}
		assert_int_equal(ask(h, SCRAPE), 200);
	}
	for (int i = 0; i < SLOW_NR; i++)
		close(slow[i]);
	http__stop(h);
}

/* A page of another site whose name resolves to a loopback address. */
TEST(loopback_listeners_refuse_foreign_hosts)
{
	static const struct {
		const char *host;
		int status;
	} cases[] = {
		{"localhost:9753", 200},
		{"LOCALHOST", 200},
		{"127.0.0.1", 200},
		{"127.0.0.1:9753", 200},
		{"[::1]:9753", 200},
		{"evil.example", 403},
		{"evil.example:9753", 403},
		{"127.0.0.1.nip", 403},
		{"localhost.evil", 403},
		{"[::1].evil.example:9753", 403},
		{"", 403},
	};
	struct http *h = server("127.0.0.1:0");
	char request[256];

	for_each_case(c, cases) {
		snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n",
			 c->host);
		assert_int_equal(ask(h, request), c->status);
	}
	assert_int_equal(ask(h, "GET /metrics HTTP/1.0\r\n\r\n"), 200);
	http__stop(h);
	h = server("0.0.0.0:0");
	assert_int_equal(ask(h, "GET /metrics HTTP/1.1\r\nHost: host-7:9753\r\n\r\n"), 200);
	http__stop(h);
}

TEST(path_has_one_spelling)
{
	struct http *h = server("127.0.0.1:0");

	assert_int_equal(ask(h, "GET /metrics%00 HTTP/1.0\r\n\r\n"), 404);
	assert_int_equal(ask(h, "GET /metrics%00x HTTP/1.0\r\n\r\n"), 404);
	assert_int_equal(ask(h, "GET /metrics?x=%00 HTTP/1.0\r\n\r\n"), 200);
	http__stop(h);
}

TEST(gzip_is_used_where_it_is_accepted)
{
	static const struct {
		const char *accepts;
		bool gzip;
	} cases[] = {{"gzip", true},      {"deflate, gzip;q=0.5", true},
		     {"gzip;q=0", false}, {"gzip; q=0.0, br", false},
		     {"identity", false}, {"gzippy", false}};
	struct http *h = server("127.0.0.1:0");
	char request[256], response[4096];

	for_each_case(c, cases) {
		snprintf(request, sizeof(request),
			 "GET /metrics HTTP/1.0\r\nAccept-Encoding: %s\r\n\r\n", c->accepts);
		assert_int_equal(status_of(h, client(request), response, sizeof(response)), 200);
		assert_int_equal(strstr(response, "Content-Encoding: gzip") != NULL, c->gzip);
	}
	http__stop(h);
}

/* A service manager that passes another socket than export can serve. */
TEST(passed_socket_must_be_one_listening_stream_socket)
{
	int kept = fcntl(3, F_DUPFD_CLOEXEC, 20), fd;
	struct http_listener l;
	char why[256], pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(http__inherited(&l, why, sizeof(why)), 0);
	for (int i = 0; i < 3; i++) {
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
		fd = socket(AF_INET, i ? SOCK_STREAM : SOCK_DGRAM, 0);
		if (i == 2)
			assert_int_equal(listen(fd, 1), 0);
		dup2(fd, 3);
		if (fd != 3)
			close(fd);
		assert_int_equal(http__inherited(&l, why, sizeof(why)), i == 2 ? 1 : -EINVAL);
		if (i < 2)
			assert_string_equal(why,
					    i ? "it does not listen" : "it is no stream socket");
	}
	close(3);
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "1", 1);
	assert_int_equal(http__inherited(&l, why, sizeof(why)), -EINVAL);
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "2", 1);
	assert_int_equal(http__inherited(&l, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "LISTEN_FDS is 2, and export serves one socket");
	setenv("LISTEN_PID", "1", 1);
	assert_int_equal(http__inherited(&l, why, sizeof(why)), 0);
	unsetenv("LISTEN_PID");
	if (kept >= 0) {
		dup2(kept, 3);
		close(kept);
	}
}
