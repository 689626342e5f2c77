/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the HTTP server of the exporter, with libmicrohttpd; see http.h. */
#include "http.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <microhttpd.h>
#include <zlib.h>

#include "base/address.h"
#include "base/loop.h"
#include "common/units.h"
#include "common/xalloc.h"

#define CONNECTIONS_MAX  64
#define REQUEST_NS       10000000000ULL
#define BUFFER_BYTES     16384
#define UNIX_PREFIX      "unix:"
#define LISTEN_FDS_START 3
#define RUNS_MAX         64

struct client {
	int fd; /* -1: free */
	uint64_t since_ns;
};

struct http {
	struct MHD_Daemon *daemon;
	struct http_listener listener;
	char *(*render)(void *arg, enum page_format format, size_t *len);
	void *arg;
	struct client clients[CONNECTIONS_MAX];
};

static const char front_page[] =
	"<!doctype html><html lang=en><meta charset=utf-8><title>netiotrace</title>"
	"<h1>netiotrace exporter</h1><p>Version " NETIOTRACE_VERSION
	". Where the bytes of TCP connections are copied, by service.</p>"
	"<ul><li><a href=\"/metrics\">metrics</a></li>"
	"<li><a href=\"/-/healthy\">health</a></li></ul></html>\n";

/* unix:PATH or HOST:PORT. 0, or -errno with a clause in why. */
static int parse_address(const char *text, struct sockaddr_storage *ss, socklen_t *size, char *why,
			 size_t len)
{
	struct sockaddr_un *sun = (struct sockaddr_un *)ss;
	const char *path = text + strlen(UNIX_PREFIX), *unresolved = NULL;
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
	snprintf(why, len, "write ADDRESS:PORT such as 127.0.0.1:9753, or unix:PATH");
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
		err = path_walk__take_entry(&l->entry);
	if (err)
		path_walk__close(&l->entry);
	l->is_file = !err;
	return err;
}

static int bind_and_listen(struct http_listener *l, const struct sockaddr_storage *ss,
			   socklen_t size)
{
	int one = 1, err = 0;

	l->fd = socket(ss->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (ss->ss_family == AF_UNIX)
		err = bind_file(l, ((const struct sockaddr_un *)ss)->sun_path);
	else if (bind(l->fd, (const struct sockaddr *)ss, size))
		err = -errno;
	if (!err && listen(l->fd, CONNECTIONS_MAX))
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

bool http__inherited(struct http_listener *l)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t n;

	if (!pid || parse_count(pid, 1, INT32_MAX, &n) || (pid_t)n != getpid() || !fds ||
	    parse_count(fds, 1, 1, &n))
		return false;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	*l = (struct http_listener){.fd = LISTEN_FDS_START};
	return !fcntl(l->fd, F_SETFD, FD_CLOEXEC);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	bool begins = code == MHD_CONNECTION_NOTIFY_STARTED;
	struct http *h = arg;

	(void)context;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		if (h->clients[i].fd != (begins ? -1 : fd))
			continue;
		h->clients[i] = (struct client){begins ? fd : -1, loop__now_ns()};
		return;
	}
}

void http__expire(struct http *h)
{
	uint64_t now = loop__now_ns();

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (h->clients[i].fd >= 0 && now - h->clients[i].since_ns > REQUEST_NS)
			shutdown(h->clients[i].fd, SHUT_RDWR);
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

	if (accepts && strstr(accepts, "gzip") && len > 512)
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

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *data_size, void **context)
{
	struct http *h = arg;
	enum page_format format;
	char *page;
	size_t len;

	(void)version, (void)data, (void)data_size, (void)context;
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

int http__start(struct http **out, const struct http_listener *l,
		char *(*render)(void *arg, enum page_format, size_t *len), void *arg)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->render = render;
	h->arg = arg;
	h->listener = *l;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		h->clients[i].fd = -1;
	h->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, h,
				     MHD_OPTION_LISTEN_SOCKET, l->fd, MHD_OPTION_CONNECTION_LIMIT,
				     CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				     (size_t)BUFFER_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
				     on_connection, h, MHD_OPTION_END);
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
