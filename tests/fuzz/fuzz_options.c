/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command lines of netiotrace, a word a line; the first word is the command. A refusal prints a
 * message and calls exit(), as --help does. The linker redirects calls of exit() to this file;
 * allocations are freed here as at the end of the program, so that a sanitizer reports leaks.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/diagnosis.h"
#include "fuzz.h"
#include "run/options.h"
#include "sweep/sweep_options.h"

#define WORDS_MAX 32
#define HELD_MAX  4096

static jmp_buf refused;
static bool parsing;
static const volatile void *held[HELD_MAX];
static size_t held_nr;

/* ---- allocations of a parser ---- */

/* sanitizer/allocator_interface.h; NULL in a build without. */
__attribute__((weak)) int
__sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
					  void (*free_hook)(const volatile void *));

static void on_malloc(const volatile void *p, size_t size)
{
	(void)size;
	if (parsing && held_nr < HELD_MAX)
		held[held_nr++] = p;
}

static void on_free(const volatile void *p)
{
	if (!parsing)
		return;
	for (size_t i = held_nr; i-- > 0;)
		if (held[i] == p) {
			held[i] = held[--held_nr];
			return;
		}
}

static void watch_memory(void)
{
	static bool watched;

	if (!watched && __sanitizer_install_malloc_and_free_hooks)
		FUZZ_CHECK(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free));
	watched = true;
}

/* Only after a refused command line: an accepted one must have freed everything. */
static void free_held(void)
{
	while (held_nr)
		free((void *)held[--held_nr]);
}

/* ---- a function that the linker redirects to this file ---- */

void __wrap_exit(int status);
_Noreturn void __real_exit(int status);

void __wrap_exit(int status)
{
	if (!parsing)
		__real_exit(status);
	FUZZ_CHECK(status == EXIT_USAGE || status == EXIT_DONE);
	longjmp(refused, 1);
}

/* ---- the commands ---- */

static void parse_run(int argc, char **argv)
{
	struct options o;

	options__parse_run(&o, argc, argv);
	FUZZ_CHECK(o.modes_nr >= 1 && o.modes_nr <= MODE_NR && o.workload.rounds >= 1);
	FUZZ_CHECK(o.workload.size >= LIMIT_SIZE_MIN && o.workload.size <= LIMIT_SIZE_MAX);
	options__clear(&o);
}

static void parse_doctor(int argc, char **argv)
{
	struct options o;

	doctor_options__parse(&o, argc, argv);
	options__clear(&o);
}

static void parse_sweep(int argc, char **argv)
{
	struct sweep_options o;

	sweep_options__parse(&o, argc, argv);
	FUZZ_CHECK(sweep_grid__runs(&o.grid) >= 1 && sweep_grid__runs(&o.grid) <= SWEEP_RUNS_MAX);
	options__clear(&o.run);
}

static void parse(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*parse)(int argc, char **argv);
	} commands[] = {{"run", parse_run}, {"doctor", parse_doctor}, {"sweep", parse_sweep}};

	for (volatile size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (argc > 1 && !strcmp(argv[1], commands[i].name)) {
			watch_memory();
			held_nr = 0;
			parsing = true;
			if (!setjmp(refused)) {
				commands[i].parse(argc, argv);
				held_nr = 0;
			}
			parsing = false;
			free_held();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char program[] = "netiotrace";
	char *argv[WORDS_MAX + 1] = {program}, *given[WORDS_MAX + 1];
	int argc = 1;

	while (size && argc < WORDS_MAX)
		argv[argc++] = fuzz__line(&data, &size);
	memcpy(given, argv, sizeof(given));
	parse(argc, argv);
	for (int i = 1; i < argc; i++)
		free(given[i]);
	return 0;
}
