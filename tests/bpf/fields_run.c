// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the programs of an object as on a kernel that lacks a field or a structure: each program
 * that this kernel accepts, with BTF in which that name is another one. Prints the programs that
 * need it. Exit status 1: some do. A field that this kernel lacks as well is left out.
 *
 *   fields_run OBJECT STRUCT[.FIELD]...
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/libbpf_output.h"

#define PROGRAMS_MAX 256
#define BTF_FILE     "without.btf"

static const char *object;
static bool accepted[PROGRAMS_MAX];

/* Loads program `only`, or all that were accepted (-1). btf: NULL: the kernel's. */
static bool loads(const char *btf, int only)
{
	struct bpf_object_open_opts opts = {.sz = sizeof(opts), .btf_custom_path = btf};
	struct bpf_object *o = bpf_object__open_file(object, &opts);
	struct bpf_program *p;
	int i = 0, err = -1;

	if (!o)
		return false;
	bpf_object__for_each_program(p, o) {
		bpf_program__set_autoload(p, only < 0 ? accepted[i] : i == only);
		i++;
	}
	err = bpf_object__load(o);
	bpf_object__close(o);
	return !err;
}

/* Names without their first letter are names of nothing that the programs read. */
static bool rename_in(struct btf *btf, const char *structure, const char *field)
{
	bool found = false;

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		struct btf_type *t = (struct btf_type *)btf__type_by_id(btf, id);

		if (!btf_is_composite(t) ||
		    strcmp(btf__name_by_offset(btf, t->name_off), structure) != 0)
			continue;
		found |= !field;
		t->name_off += !field;
		for (int i = 0; field && i < btf_vlen(t); i++) {
			struct btf_member *m = btf_members(t) + i;

			if (strcmp(btf__name_by_offset(btf, m->name_off), field) != 0)
				continue;
			m->name_off++;
			found = true;
		}
	}
	return found;
}

/* Writes the kernel's BTF without the name. False: it has none. */
static bool write_without(char *name)
{
	const char *structure = strtok(name, "."), *field = strtok(NULL, ".");
	struct btf *btf = btf__parse_raw("/sys/kernel/btf/vmlinux");
	const void *data;
	bool found;
	__u32 size;
	FILE *f;

	if (!btf)
		return false;
	found = rename_in(btf, structure, field);
	data = btf__raw_data(btf, &size);
	f = fopen(BTF_FILE, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
	btf__free(btf);
	return found;
}

int main(int argc, char **argv)
{
	const char *names[PROGRAMS_MAX];
	struct bpf_program *p;
	struct bpf_object *o;
	int nr = 0, needed = 0, ok = 0;

	if (argc < 3)
		return 2;
	object = argv[1];
	libbpf_output__set();
	o = bpf_object__open_file(object, NULL);
	if (!o)
		return 2;
	bpf_object__for_each_program(p, o) {
		if (nr == PROGRAMS_MAX)
			return 2;
		names[nr++] = bpf_program__name(p);
	}
	for (int i = 0; i < nr; i++)
		ok += accepted[i] = loads(NULL, i);
	printf("%d of %d programs load here\n", ok, nr);
	for (int a = 2; a < argc && ok; a++) {
		char name[128];

		snprintf(name, sizeof(name), "%s", argv[a]);
		if (!write_without(name) || loads(BTF_FILE, -1))
			continue;
		for (int i = 0; i < nr; i++)
			if (accepted[i] && !loads(BTF_FILE, i)) {
				printf("%s: needed by %s\n", argv[a], names[i]);
				needed++;
			}
	}
	bpf_object__close(o);
	return needed || !ok;
}
