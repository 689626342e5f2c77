/* SPDX-License-Identifier: GPL-2.0-only */
/* What attach found, for those that write it: document, text, CSV. Internal to this room. */
#ifndef NETIOTRACE_ATTACH_REPORT_H
#define NETIOTRACE_ATTACH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "attach_options.h"
#include "table.h"

struct attach_report {
	const struct attach_options *o;
	struct environment env;
	const struct plan_row *plan;
	size_t plan_nr;
	struct table table;          /* sorted */
	uint64_t begun_ns, ended_ns; /* CLOCK_MONOTONIC */
	struct nio_attach_loss loss;
	struct num missed;
	size_t netns, netns_left_out;
	bool told;    /* how a send was made is seen */
	bool notices; /* completions are told */
	bool interrupted;
};

/* Quality of a stage, and why less than exact: as the plan has it. */
enum quality attach_report__quality(const struct attach_report *r, enum nio_stage stage,
				    const char **reason);

/* "127.0.0.1:5201", "[::1]:80": fills buf, of ADDRESS_TEXT_MAX bytes. */
char *attach_report__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			     uint16_t port);

/* "nginx 4242", fit for a terminal. */
#define OWNER_LEN 64
char *attach_report__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid);

/* netiotrace.attach/1; a new reference, NULL when memory is short. */
json_t *attach_document__make(const struct attach_report *r);

/* A row for each process or connection of the document. 0 or -errno. */
int attach_csv__write(FILE *f, const struct attach_report *r, const json_t *document);

/* The text at the end. 0 or -errno. */
int attach_text__print(FILE *f, unsigned int columns, const struct attach_report *r);

/* A line of the total since the line before. */
struct attach_line {
	uint64_t at_ns;
	struct books before;
	bool headed;
};
void attach_line__print(FILE *f, struct attach_line *l, const struct attach_report *r);

#endif
