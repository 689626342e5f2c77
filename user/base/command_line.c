/* SPDX-License-Identifier: GPL-2.0-only */
/* Usage errors, and the words that an argument may be; see command_line.h. */
#include "command_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/word.h"
#include "common/xalloc.h"
#include "printable.h"
#include "atomic_file.h"
#include "exit_code.h"
#include "log.h"

void usage_error(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	log_error("%s", text);
	free(text);
	exit(EXIT_USAGE);
}

bool command_line__check_outputs(const struct output_option *outputs, size_t nr)
{
	bool to_stdout = false;

	for (size_t i = 0; i < nr; i++) {
		to_stdout |= outputs[i].file && !strcmp(outputs[i].file, "-");
		for (size_t k = 0; k < i; k++) {
			const char *a = outputs[k].file, *b = outputs[i].file;

			if (a && b && atomic_file__same(a, b))
				usage_error("%s and %s cannot both write to %s.", outputs[k].option,
					    outputs[i].option, strcmp(b, "-") ? b : "stdout");
		}
	}
	return to_stdout;
}

void choice__refuse(const char *option, const char *word, const char *const *names, size_t n)
{
	const char *near = choice__nearest(word, names, n);
	char list[512] = "";

	for (size_t i = 0; i < n; i++)
		append__text(list, sizeof(list), "%s%s",
			     !i           ? ""
			     : i + 1 == n ? " or "
					  : ", ",
			     names[i]);
	if (near)
		usage_error("%s takes %s, not '%s'; did you mean %s?", option, list, word, near);
	usage_error("%s takes %s, not '%s'.", option, list, word);
}
