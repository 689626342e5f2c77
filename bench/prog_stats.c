/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs and run time of the BPF programs of a process; see prog_stats.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "prog_stats.h"

int prog_stats__hold(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : fd;
}

int prog_stats__attach_empty(void)
{
	static const struct bpf_insn none[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct bpf_prog_load_opts opts = {.sz = sizeof(opts),
					  .expected_attach_type = BPF_TRACE_RAW_TP};
	int type = libbpf_find_vmlinux_btf_id("netif_receive_skb", BPF_TRACE_RAW_TP), fd;

	if (type < 0)
		return type;
	opts.attach_btf_id = (__u32)type;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, PROG_STATS_EMPTY, "GPL", none, 2, &opts);
	return fd < 0 || bpf_raw_tracepoint_open(NULL, fd) < 0 ? -errno : 0;
}

/* The program behind a descriptor; 0: there is none. */
static uint32_t prog_of_fd(pid_t pid, const char *fd)
{
	char path[64], line[128];
	uint32_t id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!id && fgets(line, sizeof(line), f))
		if (sscanf(line, "prog_id: %u", &id) != 1)
			id = 0;
	fclose(f);
	return id;
}

static int read_prog(uint32_t id, struct prog_stats *out)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), err = 0;

	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	close(fd);
	*out = (struct prog_stats){.id = id, .runs = info.run_cnt, .ns = info.run_time_ns};
	memcpy(out->name, info.name, sizeof(out->name));
	out->name[sizeof(out->name) - 1] = '\0';
	return err;
}

static int is_listed(const struct prog_stats *stats, int n, uint32_t id)
{
	for (int i = 0; i < n; i++)
		if (stats[i].id == id)
			return 1;
	return 0;
}

int prog_stats__of(pid_t pid, struct prog_stats *out, size_t max)
{
	const struct dirent *entry;
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (n < (int)max && (entry = readdir(dir))) {
		uint32_t id = prog_of_fd(pid, entry->d_name);

		/* A program that ends between the two looks is passed over. */
		if (id && !is_listed(out, n, id) && !read_prog(id, &out[n]))
			n++;
	}
	closedir(dir);
	return n;
}

static int is_empty(const struct prog_stats *p)
{
	return !strcmp(p->name, PROG_STATS_EMPTY);
}

uint64_t prog_stats__cost(const struct prog_stats *stats, size_t n)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_empty(&stats[i]))
			ns += stats[i].ns + PROG_STATS_RUN_NS * stats[i].runs;
	return ns;
}

double prog_stats__clock(const struct prog_stats *stats, size_t n, const struct prog_stats *all,
			 size_t all_nr)
{
	double a_run = 0;
	uint64_t runs = 0;

	for (size_t i = 0; i < all_nr; i++)
		if (is_empty(&all[i]) && all[i].runs)
			a_run = (double)all[i].ns / (double)all[i].runs;
	for (size_t i = 0; i < n; i++)
		runs += is_empty(&stats[i]) ? 0 : stats[i].runs;
	return a_run * (double)runs;
}
