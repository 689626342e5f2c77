/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the HTTP server of the exporter, with libmicrohttpd; see http.h. */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <microhttpd.h>
#include <zlib.h>

#include "common/address.h"
#include "base/loop.h"
#include "common/units.h"
#include "common/xalloc.h"

#define CONNECTIONS_MAX  256
#define CLIENTS_MAX      224           /* a new client ends the oldest; the rest are being closed */
#define REQUEST_NS       1000000000ULL /* http__expire() adds up to a second */
#define RESPONSE_NS      10000000000ULL
#define BUFFER_BYTES     16384
#define UNIX_PREFIX      "unix:"
#define LISTEN_FDS_START 3
#define RUNS_MAX         64

struct client {
	int fd; /* -1: free */
	uint64_t since_ns;
	bool answered; /* the request is complete */
	bool ended;    /* is being closed */
};

struct http {
	struct MHD_Daemon *daemon;
	struct http_listener listener;
	char *(*render)(void *arg, enum page_format format, size_t *len);
	void *arg;
	bool loopback; /* listens on a loopback address */
	struct client clients[CONNECTIONS_MAX];
};

static const char front_page[] =
	"<!doctype html><html lang=en><meta charset=utf-8><title>netiotrace</title>"
	"<h1>netiotrace exporter</h1><p>Version " NETIOTRACE_VERSION
	". Where the bytes of TCP connections are copied, by service.</p>"
	"<ul><li><a href=\"/metrics\">metrics</a></li>"
	"<li><a href=\"/-/healthy\">health</a></li></ul></html>\n";

static bool has_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* unix:PATH, HOST:PORT, or :PORT for all addresses. 0, or -errno with a clause in why. */
static int parse_address(const char *text, struct sockaddr_storage *ss, socklen_t *size, char *why,
			 size_t len)
{
	struct sockaddr_un *sun = (struct sockaddr_un *)ss;
	const char *path = text + strlen(UNIX_PREFIX), *unresolved = NULL;
	char all[ADDRESS_TEXT_MAX];
	struct address a;
	int err;

	*ss = (struct sockaddr_storage){.ss_family = AF_UNIX};
	*size = sizeof(*sun);
	if (!strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX))) {
		snprintf(why, len, "the path of a unix socket has 1 to %zu bytes",
			 sizeof(sun->sun_path) - 1);
		if (!*path || strlen(path) >= sizeof(sun->sun_path))
			return -EINVAL;
		strcpy(sun->sun_path, path);
		return 0;
	}
	snprintf(why, len, "write ADDRESS:PORT such as 127.0.0.1:9753, :PORT, or unix:PATH");
	if (*text == ':') {
		snprintf(all, sizeof(all), "%s%s", has_ipv6() ? "[::]" : "0.0.0.0", text);
		text = all;
	}
	if (address__parse(text, true, &a))
		return -EINVAL;
	err = address__resolve(&a, true, ss, &unresolved);
	if (err)
		snprintf(why, len, "%s", unresolved);
	*size = ss->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
					  : sizeof(struct sockaddr_in);
	return err;
}

/* A socket file without a listener was left by a killed program. */
static bool is_stale(const struct path_walk *entry)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	bool stale;
	int fd;

	if (entry->fd < 0 || !S_ISSOCK(entry->st.st_mode) || entry->st.st_uid != geteuid())
		return false;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "/proc/self/fd/%d", entry->fd);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	stale = fd >= 0 && connect(fd, (const struct sockaddr *)&sun, sizeof(sun)) &&
		errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return stale;
}

/* Makes the file in the open directory, in which no other name than the last is looked up. */
static int bind_in(int dir, int fd, const char *name)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (here < 0 || strlen(name) >= sizeof(sun.sun_path)) {
		err = here < 0 ? -errno : -ENAMETOOLONG;
	} else if (fchdir(dir)) {
		err = -errno;
	} else {
		strcpy(sun.sun_path, name);
		if (bind(fd, (const struct sockaddr *)&sun, sizeof(sun)))
			err = -errno;
		if (fchdir(here) && !err)
			err = -errno;
	}
	if (here >= 0)
		close(here);
	return err;
}

static int bind_file(struct http_listener *l, const char *path)
{
	int err = path_walk__find_entry(&l->entry, path);

	if (err)
		return err;
	if (is_stale(&l->entry))
		err = path_walk__remove(&l->entry);
	if (!err)
		err = bind_in(l->entry.dir, l->fd, l->entry.name);
	if (!err)
		err = path_walk__open_entry(&l->entry);
	if (err)
		path_walk__close(&l->entry);
	l->is_file = !err;
	return err;
}

static int bind_and_listen(struct http_listener *l, const struct sockaddr_storage *ss,
			   socklen_t size)
{
	int one = 1, zero = 0, err = 0;

	l->fd = socket(ss->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* [::] is both families, whatever net.ipv6.bindv6only says. */
	if (ss->ss_family == AF_INET6)
		setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (ss->ss_family == AF_UNIX)
		err = bind_file(l, ((const struct sockaddr_un *)ss)->sun_path);
	else if (bind(l->fd, (const struct sockaddr *)ss, size))
		err = -errno;
	if (!err && listen(l->fd, SOMAXCONN))
		err = -errno;
	return err;
}

/* Removes the file of a unix socket, unless another file has taken its name. */
static void close_listener(struct http_listener *l)
{
	/* Fails after a change of user: the next exporter replaces the file. */
	if (l->is_file) {
		path_walk__remove(&l->entry);
		path_walk__close(&l->entry);
	}
	if (l->fd >= 0)
		close(l->fd);
}

int http__listen(struct http_listener *l, const char *address, char *why, size_t len)
{
	struct sockaddr_storage ss;
	socklen_t size;
	int err = parse_address(address, &ss, &size, why, len);

	if (err)
		return err;
	*l = (struct http_listener){.fd = -1};
	err = bind_and_listen(l, &ss, size);
	if (!err)
		return 0;
	snprintf(why, len, "%s", strerror(-err));
	close_listener(l);
	return err;
}

/* 0, or -EINVAL with a clause in why. */
static int check_passed(int fd, char *why, size_t len)
{
	int type = 0, listens = 0, flags = fcntl(fd, F_GETFL);
	socklen_t size = sizeof(type);

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_STREAM)
		snprintf(why, len, "it is no stream socket");
	else if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens)
		snprintf(why, len, "it does not listen");
	else if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		snprintf(why, len, "%s", strerror(errno));
	else
		return 0;
	return -EINVAL;
}

int http__inherited(struct http_listener *l, char *why, size_t len)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t n;
	int err;

	if (!pid || parse_count(pid, 1, INT32_MAX, &n) || (pid_t)n != getpid() || !fds ||
	    !strcmp(fds, "0"))
		return 0;
	if (parse_count(fds, 1, 1, &n)) {
		snprintf(why, len, "LISTEN_FDS is %s, and export serves one socket", fds);
		return -EINVAL;
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	*l = (struct http_listener){.fd = LISTEN_FDS_START};
	err = check_passed(l->fd, why, len);
	return err ? err : 1;
}

/* Ends a connection: MHD closes it at its next run. */
static void end(struct client *c)
{
	c->ended = true;
	shutdown(c->fd, SHUT_RDWR);
}

/* Has the whole request come, though it is not read yet? */
static bool is_complete(const struct client *c)
{
	char text[BUFFER_BYTES];
	ssize_t n = recv(c->fd, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);

	return n > 0 && memmem(text, (size_t)n, "\r\n\r\n", 4);
}

static bool comes_before(const struct client *a, const struct client *b)
{
	return a->answered != b->answered ? b->answered : a->since_ns < b->since_ns;
}

/* Keeps room for a new client: ends the oldest incomplete request, else the oldest answer. */
static void make_room(struct http *h)
{
	struct client *oldest = NULL;
	size_t nr = 0;

	for (struct client *c = h->clients; c < h->clients + CONNECTIONS_MAX; c++) {
		if (c->fd < 0 || c->ended)
			continue;
		nr++;
		if ((!oldest || comes_before(c, oldest)) && !is_complete(c))
			oldest = c;
	}
	if (nr >= CLIENTS_MAX && oldest)
		end(oldest);
}

static void begin_client(struct http *h, int fd, void **context)
{
	make_room(h);
	for (struct client *c = h->clients; c < h->clients + CONNECTIONS_MAX; c++) {
		if (c->fd >= 0)
			continue;
		*c = (struct client){.fd = fd, .since_ns = loop__now_ns()};
		*context = c;
		return;
	}
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		begin_client(arg, info->connect_fd, context);
	else if (c)
		c->fd = -1;
}

void http__expire(struct http *h)
{
	uint64_t now = loop__now_ns();

	for (struct client *c = h->clients; c < h->clients + CONNECTIONS_MAX; c++)
		if (c->fd >= 0 && now - c->since_ns > (c->answered ? RESPONSE_NS : REQUEST_NS))
			end(c);
	http__run(h);
}

/* NULL: it does not get smaller. */
static char *compressed(const char *text, size_t len, size_t *out_len)
{
	z_stream z = {0};
	char *out;
	int done;

	/* 16: with a gzip header. */
	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		xalloc_die();
	out = xmalloc(len);
	z.next_in = (Bytef *)text;
	z.avail_in = (uInt)len;
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)len;
	done = deflate(&z, Z_FINISH);
	*out_len = z.total_out;
	deflateEnd(&z);
	if (done == Z_STREAM_END)
		return out;
	free(out);
	return NULL;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Takes text, which is freed with the response. */
static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status, const char *type,
			      char *text, size_t len)
{
	const char *accepts = header(c, "Accept-Encoding");
	struct MHD_Response *response;
	enum MHD_Result result;
	char *small = NULL;
	size_t small_len;

	if (accept__weight(accepts, "gzip") > 0 && len > 512)
		small = compressed(text, len, &small_len);
	if (small)
		free(text);
	response = MHD_create_response_from_buffer(small ? small_len : len, small ? small : text,
						   MHD_RESPMEM_MUST_FREE);
	if (!response)
		xalloc_die();
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Connection", "close");
	if (small)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	result = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *c, unsigned int status, const char *type,
				   const char *text)
{
	return answer(c, status, type, xstrdup(text), strlen(text));
}

static bool is_loopback_ipv4(const char *name)
{
	struct in_addr in;

	return inet_pton(AF_INET, name, &in) == 1 && ntohl(in.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* The name of a machine's loopback addresses: ADDRESS or localhost, with or without a port. */
static bool is_loopback_name(const char *host)
{
	size_t len = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	char name[64];

	if (len >= sizeof(name) || (host[len] && host[len] != ':'))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)len, host);
	return !strcasecmp(name, "localhost") || !strcmp(name, "[::1]") || is_loopback_ipv4(name);
}

/*
 * A web page may have its own name resolve to 127.0.0.1, and then read what its visitor's machine
 * serves there (DNS rebinding): the browser's Host header tells.
 */
static bool is_foreign_host(const struct http *h, struct MHD_Connection *c)
{
	const char *host = header(c, "Host");

	return h->loopback && host && !is_loopback_name(host);
}

/* A path has one spelling: what is percent-encoded stays so. */
static size_t keep_escapes(void *arg, struct MHD_Connection *c, char *text)
{
	(void)arg, (void)c;
	return strlen(text);
}

static void note_answered(struct MHD_Connection *c)
{
	struct client *client =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;

	if (client)
		client->answered = true;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *data_size, void **context)
{
	struct http *h = arg;
	enum page_format format;
	char *page;
	size_t len;

	(void)version, (void)data, (void)data_size, (void)context;
	note_answered(c);
	if (is_foreign_host(h, c))
		return answer_text(c, MHD_HTTP_FORBIDDEN, "text/plain",
				   "This server listens on a loopback address: ask for "
				   "localhost, 127.0.0.1 or [::1].\n");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return answer_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
				   "This server answers GET and HEAD.\n");
	if (!strcmp(url, "/"))
		return answer_text(c, MHD_HTTP_OK, "text/html", front_page);
	if (!strcmp(url, "/-/healthy"))
		return answer_text(c, MHD_HTTP_OK, "text/plain", "OK\n");
	if (strcmp(url, "/metrics") != 0)
		return answer_text(c, MHD_HTTP_NOT_FOUND, "text/plain",
				   "Not found. The metrics are at /metrics.\n");
	format = page_format__of_accept(header(c, "Accept"));
	page = h->render(h->arg, format, &len);
	return answer(c, MHD_HTTP_OK,
		      format == PAGE_OPENMETRICS ? PAGE_TYPE_OPENMETRICS : PAGE_TYPE_PROMETHEUS,
		      page, len);
}

static bool is_loopback(int fd)
{
	struct sockaddr_storage ss = {0};
	socklen_t size = sizeof(ss);

	return !getsockname(fd, (struct sockaddr *)&ss, &size) && address__is_loopback(&ss);
}

int http__start(struct http **out, const struct http_listener *l,
		char *(*render)(void *arg, enum page_format, size_t *len), void *arg)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->render = render;
	h->arg = arg;
	h->listener = *l;
	h->loopback = is_loopback(l->fd);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		h->clients[i].fd = -1;
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, l->fd,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)BUFFER_BYTES, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
	if (!h->daemon) {
		close_listener(&h->listener);
		free(h);
		return errno ? -errno : -EINVAL;
	}
	*out = h;
	return 0;
}

void http__stop(struct http *h)
{
	if (!h)
		return;
	MHD_stop_daemon(h->daemon);
	h->listener.fd = -1; /* closed by the daemon */
	close_listener(&h->listener);
	free(h);
}

int http__fd(const struct http *h)
{
	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

void http__run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG wait;

	/* One call serves each ready connection once; what it left is not reported as readable. */
	for (int i = 0; i < RUNS_MAX; i++)
		if (MHD_run(h->daemon) != MHD_YES || MHD_get_timeout(h->daemon, &wait) != MHD_YES ||
		    wait)
			break;
}
