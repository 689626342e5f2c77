/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes without privileges: they answer, and their death or silence is noticed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "follow/decoder.h"
#include "follow/worker.h"
#include "support/test.h"

static void echo(int fd)
{
	char c;

	while (read(fd, &c, 1) == 1)
		if (write(fd, &c, 1) != 1)
			return;
}

static void open_a_file(int fd)
{
	char c = 'x';

	if (read(fd, &c, 1) == 1 && open("/dev/null", O_RDONLY) >= 0)
		(void)!write(fd, &c, 1);
}

static void stay_silent(int fd)
{
	char c;

	(void)!read(fd, &c, 1);
	pause();
}

static bool asks(const struct worker_task *task)
{
	struct worker w;
	char answer = 0;
	bool answered;

	assert_int_equal(worker__start(&w, task), 0);
	answered = worker__ask(&w, "a", 1, -1, &answer, 1);
	worker__stop(&w);
	return answered && answer == 'a';
}

TEST(a_worker_answers)
{
	assert_true(asks(&(struct worker_task){.serve = echo, .timeout_ms = 10000}));
	assert_true(asks(&(struct worker_task){.serve = echo, .pure = true, .timeout_ms = 10000}));
}

TEST(a_pure_worker_that_opens_a_file_is_ended)
{
	assert_false(asks(
		&(struct worker_task){.serve = open_a_file, .pure = true, .timeout_ms = 10000}));
	assert_true(asks(&(struct worker_task){.serve = echo, .timeout_ms = 10000}));
}

TEST(a_silent_worker_is_no_answer)
{
	assert_false(asks(&(struct worker_task){.serve = stay_silent, .timeout_ms = 3000}));
}

static void answer_with_a_hostile_name(int fd)
{
	struct decoder_request request;
	struct decoder_answer answer;

	if (read(fd, &request, sizeof(request)) != sizeof(request))
		return;
	memset(&answer, 0, sizeof(answer));
	answer.number = request.number;
	memset(answer.touch.name, 033, sizeof(answer.touch.name));
	(void)!write(fd, &answer, sizeof(answer));
}

TEST(instruction_name_of_a_hostile_decoder_ends_and_is_printable)
{
	static const struct worker_task task = {.serve = answer_with_a_hostile_name,
						.timeout_ms = 5000};
	struct decoder_request request = {.op = DECODER_TOUCH};
	struct decoder_answer answer;
	struct worker w = {.fd = -1};

	assert_int_equal(worker__start(&w, &task), 0);
	assert_true(decoder__ask(&w, &request, &answer));
	worker__stop(&w);
	assert_string_equal(answer.touch.name, "???????????????????????????????");
}
