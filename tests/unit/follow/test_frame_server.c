/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files of a hostile program: this one, changed. The process that names frames answers or ends
 * within its limits, and a new one names the functions of the unchanged file.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "follow/frame_server.h"
#include "support/test.h"

#define BASE    0x10000000ULL /* where the file is said to be mapped */
#define STACK   0x7fff00000000ULL
#define WAIT_MS 20000 /* above the time that a busy machine takes for any of these files */
#define FLIPS   60    /* files with random bytes */

extern const char __executable_start[];

static const struct worker_task task = {.serve = frame_server__run, .timeout_ms = WAIT_MS};
static struct worker server = {.fd = -1};
static unsigned int ended; /* servers */

/* The program, and the copy that is changed. */
static unsigned char *whole, *copy;
static size_t whole_len, copy_len;

static void load(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0 && !fstat(fd, &st));
	whole_len = (size_t)st.st_size;
	whole = malloc(whole_len);
	copy = malloc(whole_len);
	assert_int_equal(read(fd, whole, whole_len), whole_len);
	close(fd);
}

static void renew(void)
{
	memcpy(copy, whole, whole_len);
	copy_len = whole_len;
}

static uint64_t address_of(const void *function)
{
	return BASE + ((uintptr_t)function - (uintptr_t)__executable_start);
}

/* Return addresses in the file, so that unwinding goes through its tables. */
static void put_stack(struct stack_copy *s)
{
	s->tgid = s->tid = (uint32_t)getpid();
	s->regs.rip = address_of((const void *)(uintptr_t)put_stack);
	s->regs.rsp = s->regs.rbp = s->base = STACK;
	s->len = 512;
	for (size_t i = 0; i < s->len; i += 8) {
		uint64_t word =
			i / 8 % 2 ? address_of((const void *)(uintptr_t)load) + i : STACK + i + 16;

		memcpy(s->bytes + i, &word, sizeof(word));
	}
}

static bool ask(struct frames_request *r, int fd, struct frames_answer *answer)
{
	static uint64_t number;

	r->number = ++number;
	r->tgid = (uint32_t)getpid();
	if (server.pid <= 0)
		assert_int_equal(worker__start(&server, &task), 0);
	if (worker__ask(&server, r, sizeof(*r), fd, answer, sizeof(*answer)) &&
	    answer->number == r->number) {
		frames__bound(&answer->frames);
		return true;
	}
	worker__stop(&server);
	ended++;
	return false;
}

/* Names a stack by the copy. false: the server ended. */
static bool name(struct frames *frames)
{
	static struct frames_request clear, module, stack;
	static struct frames_answer answer;
	int fd = memfd_create("elf", MFD_CLOEXEC);
	bool named;

	clear.op = FRAMES_CLEAR;
	module.op = FRAMES_MODULE;
	module.module.start = BASE;
	strcpy(module.module.path, "/bin/hostile");
	stack = (struct frames_request){.op = FRAMES_STACK};
	put_stack(&stack.stack);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, copy, copy_len), copy_len);
	named = ask(&clear, -1, &answer) && ask(&module, fd, &answer) && ask(&stack, -1, &answer);
	close(fd);
	*frames = answer.frames;
	return named;
}

static void name_whole(void)
{
	struct frames frames;

	renew();
	assert_true(name(&frames));
	assert_true(frames.nr >= 1);
	assert_string_equal(frames.frame[0].function, "put_stack");
	assert_string_equal(frames.frame[0].file, "test_frame_server.c");
	assert_string_equal(frames.frame[0].object, "hostile");
}

static void name_copy(void)
{
	struct frames frames;

	name(&frames);
	renew();
}

static Elf64_Ehdr *head(void)
{
	return (Elf64_Ehdr *)copy;
}

static Elf64_Shdr *section(unsigned int i)
{
	return (Elf64_Shdr *)(copy + head()->e_shoff) + i;
}

static Elf64_Phdr *segment(unsigned int i)
{
	return (Elf64_Phdr *)(copy + head()->e_phoff) + i;
}

static void truncate_files(void)
{
	const size_t lengths[] = {0,
				  1,
				  EI_NIDENT,
				  sizeof(Elf64_Ehdr) - 1,
				  sizeof(Elf64_Ehdr),
				  sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
				  whole_len / 4,
				  whole_len / 2,
				  head()->e_shoff,
				  head()->e_shoff + sizeof(Elf64_Shdr),
				  whole_len - 1};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		copy_len = lengths[i];
		name_copy();
	}
}

#define HEADERS(X)                       \
	X(e_phoff, UINT64_MAX)           \
	X(e_phoff, UINT64_MAX - 55)      \
	X(e_shoff, UINT64_MAX)           \
	X(e_shoff, UINT64_MAX - 63)      \
	X(e_shoff, 1)                    \
	X(e_phnum, UINT16_MAX)           \
	X(e_shnum, UINT16_MAX)           \
	X(e_shnum, 0)                    \
	X(e_shstrndx, UINT16_MAX)        \
	X(e_shstrndx, 1)                 \
	X(e_phentsize, 1)                \
	X(e_shentsize, 0)                \
	X(e_ident[EI_CLASS], ELFCLASS32) \
	X(e_ident[EI_DATA], ELFDATA2MSB) \
	X(e_type, ET_REL)                \
	X(e_machine, EM_AARCH64)

static void change_headers(void)
{
#define X(field, value)          \
	head()->field = (value); \
	name_copy();
	HEADERS(X)
#undef X
	/* The numbers of segments and sections are in section 0. */
	head()->e_phnum = PN_XNUM;
	section(0)->sh_info = UINT32_MAX;
	name_copy();
	section(0)->sh_size = UINT64_MAX;
	head()->e_shnum = 0;
	name_copy();
}

/* The same change of all sections. */
#define SECTIONS(X)                           \
	X(sh_size, UINT64_MAX)                \
	X(sh_size, 1ULL << 40)                \
	X(sh_offset, UINT64_MAX - 7)          \
	X(sh_addr, UINT64_MAX - 7)            \
	X(sh_entsize, 0)                      \
	X(sh_entsize, 1)                      \
	X(sh_link, i)                         \
	X(sh_link, (i + 1) % head()->e_shnum) \
	X(sh_info, UINT32_MAX)                \
	X(sh_name, UINT32_MAX)                \
	X(sh_addralign, UINT64_MAX)           \
	X(sh_flags, SHF_COMPRESSED)           \
	X(sh_type, SHT_NOTE)                  \
	X(sh_type, SHT_SYMTAB)                \
	X(sh_type, SHT_DYNAMIC)

#define SEGMENTS(X)                 \
	X(p_filesz, UINT64_MAX)     \
	X(p_memsz, UINT64_MAX)      \
	X(p_offset, UINT64_MAX - 7) \
	X(p_vaddr, UINT64_MAX - 7)  \
	X(p_align, 0)               \
	X(p_type, PT_NOTE)          \
	X(p_type, PT_DYNAMIC)       \
	X(p_type, PT_GNU_EH_FRAME)

static void change_tables(void)
{
#define X(field, value)                                    \
	for (unsigned int i = 1; i < head()->e_shnum; i++) \
		section(i)->field = (value);               \
	name_copy();
	SECTIONS(X)
#undef X
#define X(field, value)                                    \
	for (unsigned int i = 0; i < head()->e_phnum; i++) \
		segment(i)->field = (value);               \
	name_copy();
	SEGMENTS(X)
#undef X
}

/* Each section filled with one byte: endless lengths, references to itself, counts of 2^64 - 1. */
static void fill_sections(void)
{
	static const unsigned char bytes[] = {0, 0xff, 0x80};

	for (size_t b = 0; b < sizeof(bytes); b++)
		for (unsigned int i = 1; i < head()->e_shnum; i++) {
			const Elf64_Shdr *s = section(i);

			if (s->sh_type == SHT_NOBITS || !s->sh_size)
				continue;
			memset(copy + s->sh_offset, bytes[b], s->sh_size);
			name_copy();
		}
}

static void flip_bytes(void)
{
	srand48(1);
	for (int file = 0; file < FLIPS; file++) {
		for (int i = 0; i < 300; i++)
			copy[lrand48() % (long)whole_len] = (unsigned char)lrand48();
		memcpy(copy, whole, sizeof(Elf64_Ehdr));
		name_copy();
	}
}

TEST(hostile_ELF_files_end_at_most_the_process_that_reads_them)
{
	static void (*const changes[])(void) = {truncate_files, change_headers, change_tables,
						fill_sections, flip_bytes};

#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: the process that names frames may not have as much memory as "
		      "AddressSanitizer takes\n");
	skip();
#endif
	load();
	name_whole();
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		changes[i]();
		name_whole();
	}
	print_message("%u servers ended\n", ended);
	worker__stop(&server);
	free(whole);
	free(copy);
}
