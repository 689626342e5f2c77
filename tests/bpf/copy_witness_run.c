// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command and writes what was copied meanwhile to FILE: bytes that DEVICE got as pages,
 * bytes that it got in packets' heads, and bytes of the pages that skb_copy_ubufs filled for
 * packets of these network namespaces:
 *
 *   copy_witness_run FILE DEVICE NETNS,... COMMAND...      NETNS: inode numbers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copy_witness.skel.h"

/* The function's addresses, up to the next symbol's. */
static bool find_function(const char *name, __u64 *begin, __u64 *end)
{
	unsigned long long address;
	char line[512], symbol[256];
	FILE *f = fopen("/proc/kallsyms", "re");

	for (int pass = 0; f && pass < 2; pass++) {
		rewind(f);
		while (fgets(line, sizeof(line), f)) {
			if (sscanf(line, "%llx %*c %255s", &address, symbol) != 2)
				continue;
			if (!pass && !strcmp(symbol, name))
				*begin = address;
			else if (pass && address > *begin && (!*end || address < *end))
				*end = address;
		}
	}
	if (f)
		fclose(f);
	return *begin && *end;
}

static int run(char **command)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		execvp(command[0], command);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct copy_witness_bpf *w = argc > 4 ? copy_witness_bpf__open_and_load() : NULL;
	int code, i = 0;
	FILE *f;

	if (!w) {
		fputs("copy_witness_run: cannot load its programs\n", stderr);
		return 77;
	}
	for (char *at = strtok(argv[3], ","); at && i < 4; at = strtok(NULL, ","))
		w->bss->netns[i++] = (unsigned int)strtoul(at, NULL, 10);
	snprintf(w->bss->device, sizeof(w->bss->device), "%s", argv[2]);
	if (!find_function("skb_copy_ubufs", &w->bss->begin, &w->bss->end) ||
	    copy_witness_bpf__attach(w)) {
		fputs("copy_witness_run: cannot find or watch skb_copy_ubufs\n", stderr);
		return 77;
	}
	code = run(argv + 4);
	f = fopen(argv[1], "we");
	if (!f)
		return 1;
	fprintf(f, "{\"paged\":%llu,\"heads\":%llu,\"copied\":%llu}\n", w->bss->paged,
		w->bss->heads, w->bss->copied);
	fclose(f);
	copy_witness_bpf__destroy(w);
	return code;
}
