/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths, namespaces and the environment on this kernel: the paths carry TCP and leave nothing
 * behind. Making namespaces needs root; those tests are skipped otherwise.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/read_file.h"
#include "bpf/netiotrace.h"
#include "host/environment.h"
#include "host/netns.h"
#include "host/netpath.h"
#include "host/netlink.h"
#include "host/tap.h"
#include "kernel/btf_lookup.h"
#include "support/entries.h"
#include "support/test.h"

#define PATIENCE_MS    5000
#define TRANSFER_BYTES (1 << 20)

#define NEED_ROOT()                                                               \
	do {                                                                      \
		if (geteuid()) {                                                  \
			print_message("skipped: network namespaces need root\n"); \
			skip();                                                   \
		}                                                                 \
	} while (0)

static struct netpath *open_path(enum netpath_kind kind, unsigned int mtu, bool ipv6)
{
	struct netpath *path = NULL;
	const char *step = "none";
	int err = netpath__open(&path, kind, mtu, ipv6, &step);

	if (err)
		fail_msg("netpath__open: %s: %s", step, strerror(-err));
	return path;
}

static ino_t our_netns(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	return st.st_ino;
}

static int make_socket(void *family)
{
	int fd = socket(*(int *)family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static socklen_t make_address(const char *text, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		ss->ss_family = AF_INET6;
		return sizeof(*v6);
	}
	assert_int_equal(inet_pton(AF_INET, text, &v4->sin_addr), 1);
	ss->ss_family = AF_INET;
	return sizeof(*v4);
}

static void receive_all(int fd, size_t expected)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char buf[65536];
	size_t got = 0;
	ssize_t n;

	do {
		assert_int_equal(poll(&pfd, 1, PATIENCE_MS), 1);
		n = recv(fd, buf, sizeof(buf), 0);
		assert_true(n >= 0);
		got += n;
	} while (n);
	assert_int_equal(got, expected);
}

static void send_all_and_exit(int fd, const struct sockaddr_storage *ss, socklen_t len)
{
	char buf[65536] = {0};
	size_t sent = 0;
	ssize_t n;

	if (connect(fd, (const struct sockaddr *)ss, len))
		_exit(1);
	while (sent < TRANSFER_BYTES) {
		n = send(fd, buf, sizeof(buf), 0);
		if (n < 0)
			_exit(2);
		sent += n;
	}
	_exit(0);
}

/* A transfer as in a run: each socket in the namespace of its side. */
static void transfer(const struct netpath *path)
{
	int family, listener, sender, receiver, status;
	struct sockaddr_storage ss;
	socklen_t len;
	pid_t pid;

	len = make_address(path->address, &ss);
	family = ss.ss_family;
	listener = netns__visit(path->netns[NIO_SIDE_RECEIVER], make_socket, &family);
	sender = netns__visit(path->netns[NIO_SIDE_SENDER], make_socket, &family);
	assert_true(listener >= 0 && sender >= 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&ss, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&ss, &len), 0);
	pid = fork();
	if (!pid)
		send_all_and_exit(sender, &ss, len);
	close(sender);
	assert_int_equal(poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, PATIENCE_MS),
			 1);
	receiver = accept(listener, NULL, NULL);
	assert_true(receiver >= 0);
	receive_all(receiver, TRANSFER_BYTES);
	close(receiver);
	close(listener);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/*
 * Detects the end of a namespace: a veth device in a namespace of the test, with its peer in the
 * watched namespace. The kernel destroys both together.
 */
struct witness {
	int netns;
	struct rtnl rtnl;
};

static int open_rtnl(void *rtnl)
{
	return rtnl__open(rtnl);
}

static void witness__begin(struct witness *w, int watched)
{
	w->netns = netns__create(open_rtnl, &w->rtnl);
	assert_true(w->netns >= 0);
	assert_int_equal(rtnl__veth_add(&w->rtnl, "witness", "watched", watched, 0), 0);
}

static bool witness__present(struct witness *w)
{
	struct rtnl_link link;

	return !rtnl__link_get(&w->rtnl, "witness", &link);
}

static bool witness__saw_end(struct witness *w)
{
	for (int i = 0; i < PATIENCE_MS / 10 && witness__present(w); i++)
		poll(NULL, 0, 10);
	return !witness__present(w);
}

static void witness__end(struct witness *w)
{
	rtnl__close(&w->rtnl);
	close(w->netns);
}

TEST(names_of_paths_are_parsed_exactly)
{
	static const struct {
		const char *text;
		int err, kind;
	} cases[] = {
		{"loopback", 0, NETPATH_LOOPBACK},
		{"veth", 0, NETPATH_VETH},
		{"", -EINVAL, -1},
		{"veth0", -EINVAL, -1},
		{"loop back", -EINVAL, -1},
		{"remote", -EINVAL, -1},
	};

	for_each_case(c, cases) {
		enum netpath_kind kind = (enum netpath_kind) - 1;

		assert_int_equal(netpath__parse(c->text, &kind), c->err);
		assert_int_equal((int)kind, c->kind);
		if (!c->err)
			assert_string_equal(netpath__name(kind), c->text);
	}
}

static unsigned int sysfs_mtu(void)
{
	return (unsigned int)read_file__num("/sys/class/net/lo/mtu").value;
}

TEST(loopback_path_carries_TCP)
{
	struct netpath *path = open_path(NETPATH_LOOPBACK, 0, false);

	assert_string_equal(path->address, "127.0.0.1");
	assert_string_equal(path->device, "lo");
	assert_int_equal(path->mtu, sysfs_mtu());
	assert_int_equal(path->netns[NIO_SIDE_SENDER], -1);
	assert_int_equal(path->netns[NIO_SIDE_RECEIVER], -1);
	transfer(path);
	netpath__close(path);
	netpath__close(NULL);
}

static int open_loopback(void *arg)
{
	struct netpath *path = NULL;
	const char *step;
	int err = netpath__open(&path, NETPATH_LOOPBACK, 0, false, &step);

	(void)arg;
	netpath__close(path);
	return err;
}

/* lo is down in a new namespace: connect() would hang. */
TEST(loopback_that_is_down_is_refused)
{
	NEED_ROOT();
	assert_int_equal(netns__create(open_loopback, NULL), -ENETDOWN);
}

TEST(veth_path_carries_TCP_and_leaves_nothing_behind)
{
	unsigned int fds = entries("/proc/self/fd");
	ino_t home = our_netns();
	struct netpath *path;
	struct stat a, b;

	NEED_ROOT();
	path = open_path(NETPATH_VETH, 0, false);
	assert_int_equal(our_netns(), home);
	assert_string_equal(path->address, "198.18.0.2");
	assert_string_equal(path->device, "veth0");
	assert_int_equal(path->mtu, 1500);
	assert_int_equal(fstat(path->netns[NIO_SIDE_SENDER], &a), 0);
	assert_int_equal(fstat(path->netns[NIO_SIDE_RECEIVER], &b), 0);
	assert_true(a.st_ino != b.st_ino && a.st_ino != home && b.st_ino != home);
	/* Two descriptors; nothing else keeps the namespaces alive. */
	assert_int_equal(entries("/proc/self/fd"), fds + 2);
	transfer(path);
	netpath__close(path);
	assert_int_equal(entries("/proc/self/fd"), fds);
	assert_true(access("/sys/class/net/veth0", F_OK));
}

/* As packets have it: of an IPv6 address the end, of a link-local one without its device. */
TEST(packets_of_a_path_have_the_last_word_of_its_address)
{
	static const struct {
		const char *text;
		uint8_t word[4];
	} cases[] = {
		{"198.18.0.2", {198, 18, 0, 2}}, {"::ffff:198.18.0.2", {198, 18, 0, 2}},
		{"::1", {0, 0, 0, 1}},           {"fe80::7:8%eth0", {0, 7, 0, 8}},
		{"there.example", {0}},
	};

	for_each_case(c, cases) {
		struct netpath path = {.netns = {-1, -1}};
		uint32_t word;

		strcpy(path.address, c->text);
		word = netpath__last_word(&path);
		assert_memory_equal(&word, c->word, sizeof(word));
	}
	assert_int_equal(netpath__last_word(NULL), 0);
}

TEST(veth_path_carries_TCP_at_any_MTU_and_over_IPv6)
{
	static const struct {
		unsigned int mtu;
		bool ipv6;
		const char *address;
	} cases[] = {
		{1280, false, "198.18.0.2"},
		{9000, false, "198.18.0.2"},
		{65535, false, "198.18.0.2"},
		{1500, true, "fd00:6e:696f::2"},
	};

	NEED_ROOT();
	for_each_case(c, cases) {
		struct netpath *path;

		if (c->ipv6 && access("/proc/net/if_inet6", F_OK)) {
			print_message("skipped: this kernel has no IPv6\n");
			skip();
		}
		path = open_path(NETPATH_VETH, c->mtu, c->ipv6);
		assert_int_equal(path->mtu, c->mtu);
		assert_string_equal(path->address, c->address);
		transfer(path);
		netpath__close(path);
	}
}

static void expect_failure(unsigned int mtu, bool ipv6, int err)
{
	unsigned int fds = entries("/proc/self/fd");
	ino_t home = our_netns();
	struct netpath *path = NULL;
	const char *step = NULL;

	assert_int_equal(netpath__open(&path, NETPATH_VETH, mtu, ipv6, &step), err);
	assert_non_null(step);
	assert_null(path);
	assert_int_equal(our_netns(), home);
	assert_int_equal(entries("/proc/self/fd"), fds);
}

TEST(failed_veth_path_leaves_nothing_behind)
{
	NEED_ROOT();
	expect_failure(67, false, -EINVAL);
	expect_failure(65536, false, -EINVAL);
	expect_failure(1279, true, -EINVAL);
}

TEST(veth_path_without_privileges_gives_EPERM)
{
	struct netpath *path = NULL;
	const char *step = NULL;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(1);
		_exit(netpath__open(&path, NETPATH_VETH, 0, false, &step) != -EPERM || !step);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int failing_visit(void *arg)
{
	*(ino_t *)arg = our_netns();
	return -EXDEV;
}

TEST(failed_visit_of_a_namespace_returns_home)
{
	ino_t home = our_netns(), visited = 0;
	unsigned int fds = entries("/proc/self/fd");

	NEED_ROOT();
	assert_int_equal(netns__create(failing_visit, &visited), -EXDEV);
	assert_true(visited && visited != home);
	assert_int_equal(our_netns(), home);
	assert_int_equal(entries("/proc/self/fd"), fds);
	assert_int_equal(netns__visit(-1, failing_visit, &visited), -EXDEV);
	assert_int_equal(visited, home);
}

/* Makes a path, writes its descriptor numbers to the pipe, and waits to be killed. */
static void hold_path(int pipe_fd)
{
	struct netpath *path = open_path(NETPATH_VETH, 0, false);
	int fds[NIO_SIDE_NR] = {path->netns[0], path->netns[1]};

	if (write(pipe_fd, fds, sizeof(fds)) != sizeof(fds))
		_exit(1);
	pause();
	_exit(0);
}

static void begin_witnesses(struct witness *w, pid_t pid, const int *fds)
{
	char name[64];
	int fd;

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, fds[side]);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		witness__begin(&w[side], fd);
		close(fd);
		assert_true(witness__present(&w[side]));
	}
}

static void end_witnesses(struct witness *w)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		assert_true(witness__saw_end(&w[side]));
		witness__end(&w[side]);
	}
}

TEST(close_of_the_path_ends_its_namespaces)
{
	struct witness w[NIO_SIDE_NR];
	struct netpath *path;
	int fds[NIO_SIDE_NR];

	NEED_ROOT();
	path = open_path(NETPATH_VETH, 0, false);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		fds[side] = path->netns[side];
	begin_witnesses(w, getpid(), fds);
	netpath__close(path);
	end_witnesses(w);
}

TEST(SIGKILL_of_the_owner_ends_its_namespaces)
{
	int fds[NIO_SIDE_NR], pipe_fds[2];
	struct witness w[NIO_SIDE_NR];
	pid_t pid;

	NEED_ROOT();
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (!pid)
		hold_path(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], fds, sizeof(fds)), sizeof(fds));
	begin_witnesses(w, pid, fds);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	end_witnesses(w);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

TEST(environment_without_a_path_has_kernel_and_CPUs_only)
{
	struct environment env;
	struct utsname name;

	memset(&env, 0xff, sizeof(env));
	environment__read(&env, NULL, btf_lookup__irq_time());
	uname(&name);
	assert_string_equal(env.kernel, name.release);
	assert_int_equal(env.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_string_equal(env.path, "");
	assert_string_equal(env.device, "");
	assert_int_equal(env.mtu, 0);
	assert_true(env.optmem_max.known ? env.optmem_max.value > 0
					 : env.optmem_max.reason != NULL);
	assert_true(env.memlock.known);
	assert_null(strchr(env.clocksource, '\n'));
}

static int write_sysctl(const char *path, const char *value)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return -errno;
	fputs(value, f);
	return fclose(f) ? -errno : 0;
}

/* tcp_wmem is a namespace's own since Linux 4.15. */
static int write_sysctls(void *value)
{
	assert_int_equal(write_sysctl("/proc/sys/net/ipv4/tcp_wmem", "4096 5000 60000\n"), 0);
	return write_sysctl("/proc/sys/net/core/optmem_max", value);
}

TEST(environment_is_that_of_the_namespace_of_the_sender)
{
	struct environment env;
	struct netpath *path;
	char value[] = "54321\n";
	int err;

	NEED_ROOT();
	path = open_path(NETPATH_VETH, 9000, false);
	err = netns__visit(path->netns[NIO_SIDE_SENDER], write_sysctls, value);
	environment__read(&env, path, btf_lookup__irq_time());
	netpath__close(path);
	assert_string_equal(env.path, "veth");
	assert_string_equal(env.device, "veth0");
	assert_int_equal(env.mtu, 9000);
	assert_false(env.ipv6);
	assert_string_equal(env.sysctls[SYSCTL_tcp_wmem].text, "4096 5000 60000");
	assert_true(env.sysctls[SYSCTL_rmem_max].text[0]); /* also where only the machine has it */
	assert_true(env.rps.text[0] || env.rps.reason);
	assert_true(env.optmem_max.known);
	if (!err)
		assert_int_equal(env.optmem_max.value, 54321);
	else
		assert_int_equal(err, -ENOENT); /* before Linux 6.8: the value of the machine */
}

static int open_remote(const char *text, struct netpath **path)
{
	struct sockaddr_storage ss;
	struct address to;
	const char *step;

	assert_int_equal(address__parse(text, false, &to), 0);
	assert_int_equal(address__resolve(&to, false, &ss, &step), 0);
	return netpath__open_remote(path, &to, &ss, &step);
}

TEST(remote_path_has_address_port_and_device)
{
	struct environment env;
	struct netpath *path;
	unsigned int fds = entries("/proc/self/fd");

	assert_int_equal(open_remote("127.0.0.7:5201", &path), 0);
	assert_int_equal(path->kind, NETPATH_REMOTE);
	assert_string_equal(path->address, "127.0.0.7");
	assert_int_equal(path->port, 5201);
	assert_string_equal(path->device, "lo");
	assert_int_equal(path->mtu, sysfs_mtu());
	assert_int_equal(path->netns[NIO_SIDE_SENDER], -1);
	environment__read(&env, path, btf_lookup__irq_time());
	assert_string_equal(env.path, "remote");
	netpath__close(path);
	assert_int_equal(entries("/proc/self/fd"), fds);
}

static int open_nowhere(void *text)
{
	struct netpath *path = NULL;
	int err = open_remote(text, &path);

	netpath__close(path);
	return err;
}

/* Naming what holds a tap takes reading the descriptors of all processes. */
TEST(the_environment_names_no_tap_and_a_search_names_its_process)
{
	const struct flag per_netns = {.known = true, .value = true};
	struct environment env;
	struct netpath *path;
	bool found = false;
	int fd;

	NEED_ROOT();
	fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	assert_true(fd >= 0);
	path = open_path(NETPATH_LOOPBACK, 0, false);
	environment__read(&env, path, btf_lookup__irq_time());
	assert_int_equal(env.taps.searches, 0);
	assert_false(env.taps.known);
	assert_non_null(env.taps.reason);
	tap__begin(&env.taps, path, per_netns);
	assert_true(env.taps.known);
	for (unsigned int i = 0; i < env.taps.nr; i++)
		found |= env.taps.list[i].pid.known &&
			 env.taps.list[i].pid.value == (uint64_t)getpid();
	assert_true(found);
	netpath__close(path);
	close(fd);
}

/* A new namespace has no route. */
TEST(remote_path_without_a_route_is_refused)
{
	char v4[] = "192.0.2.7:5201", v6[] = "[2001:db8::7]:5201";

	NEED_ROOT();
	assert_int_equal(netns__create(open_nowhere, v4), -ENETUNREACH);
	assert_true(netns__create(open_nowhere, v6) < 0);
}
