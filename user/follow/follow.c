/* SPDX-License-Identifier: GPL-2.0-only */
/* The follow command; follow_session.h does the work, where this program was built with it. */
#include "base/exit_code.h"
#include "base/log.h"
#include "base/mounts.h"
#include "base/privileges.h"
#include "follow.h"
#include "follow_options.h"
#ifdef NETIOTRACE_FOLLOW
#include "follow_session.h"
#endif

static int work(const struct follow_options *o)
{
#if defined(NETIOTRACE_FOLLOW)
	int code = privileges__check_trace();

	if (!code)
		code = mounts__check_proc();
	return code ? code : follow_session__run(o);
#elif defined(__x86_64__)
	(void)o;
	log_error("this netiotrace was built without follow: it needs the libraries Zydis and "
		  "libdw, and a static program has neither.");
	return EXIT_KERNEL;
#else
	(void)o;
	log_error("follow needs x86-64: other processors stop a program before it touches a "
		  "watched byte.");
	return EXIT_KERNEL;
#endif
}

int follow__main(int argc, char **argv)
{
	struct follow_options o;

	follow_options__parse(&o, argc, argv);
	return work(&o);
}
