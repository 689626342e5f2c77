/* SPDX-License-Identifier: GPL-2.0-only */
/* The follow command; follow_session.c does the work, where this program was built with it. */
#include <stdio.h>

#include "base/commands.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/privileges.h"
#include "follow.h"
#ifdef NETIOTRACE_FOLLOW
#include "watchpoints.h"

int follow__examine(char why[FOLLOW_WHY], unsigned int *slots)
{
	struct watchpoints *w = NULL;
	struct follow_machine m;
	const char *refusal;
	int code;

	follow_machine__read(&m);
	refusal = follow_machine__refusal(&m);
	if (refusal) {
		snprintf(why, FOLLOW_WHY, "%s", refusal);
		return m.may_trace ? EXIT_KERNEL : EXIT_PRIVILEGES;
	}
	code = watchpoints__open(&w, NULL, 0, why);
	if (!code)
		*slots = watchpoints__slots(w);
	watchpoints__close(w);
	return code;
}

static int work(const struct follow_options *o)
{
	int code = privileges__check_trace();

	return code ? code : follow_session__run(o);
}
#else
int follow__examine(char why[FOLLOW_WHY], unsigned int *slots)
{
	*slots = 0;
	snprintf(why, FOLLOW_WHY, "%s",
#ifdef __x86_64__
		 "this netiotrace was built without follow: it needs the libraries Zydis and "
		 "libdw, and a static program has neither");
#else
		 "follow needs x86-64: other processors stop a program before it touches a "
		 "watched byte");
#endif
	return EXIT_KERNEL;
}

static int work(const struct follow_options *o)
{
	char why[FOLLOW_WHY];
	unsigned int slots;
	int code = follow__examine(why, &slots);

	(void)o;
	log_error("%s.", why);
	return code;
}
#endif

int follow__main(int argc, char **argv)
{
	struct follow_options o;

	follow_options__parse(&o, argc, argv);
	return work(&o);
}
