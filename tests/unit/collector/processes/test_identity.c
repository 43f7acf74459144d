/* SPDX-License-Identifier: MIT */
/* links: collector:processes/identity.c */
/*
 * A process that calls exec while /proc is read, before each of the reads. What the operating
 * system says is invented here, so that the moment is exact.
 */
#include "collector/processes/identity.h"

#include "collector/processes/maps.h"
#include "collector/processes/proc.h"
#include "collector/processes/redact.h"
#include "collector/processes/start_map.h"
#include "tests/unit/unit.h"

enum { READS = 4, STACK = 1000, STACK_OF_OTHER = 2000 };

static int reads_before_exec;
static bool is_over;
static int looks;
static bool knows_start;

/* One question to the operating system. Returns true if the other program answers. */
static bool other_answers(void)
{
	return reads_before_exec-- <= 0;
}

static size_t answer(char *text, const char *said)
{
	memcpy(text, said, strlen(said));
	return strlen(said);
}

size_t proc_command(uint32_t pid, char *text, size_t room)
{
	(void)pid, (void)room;
	return answer(text, other_answers() ? "sleep 1" : "program");
}

size_t proc_executable(uint32_t pid, char *text, size_t room)
{
	(void)pid, (void)room;
	return answer(text, other_answers() ? "/bin/sleep" : "/bin/program");
}

bool proc_stat(uint32_t pid, struct proc_stat *ret_stat)
{
	(void)pid;
	ret_stat->stack_start = other_answers() ? STACK_OF_OTHER : STACK;
	return true;
}

int maps_has_file(uint32_t pid, struct maps_file file)
{
	(void)pid, (void)file;
	looks++;
	return !other_answers();
}

bool watch_is_over(const struct watch *watch)
{
	(void)watch;
	return is_over;
}

size_t redact_command(uint32_t redact, char *text, size_t length)
{
	(void)redact, (void)text;
	return length;
}

const char *redact_path(uint32_t redact, const char *path, size_t *length)
{
	(void)redact, (void)length;
	return path;
}

size_t start_map_command(const struct view *view, char *text, size_t room)
{
	(void)view, (void)room;
	return knows_start ? answer(text, "program") : 0;
}

size_t start_map_executable(const struct view *view, char *text, size_t room)
{
	(void)view, (void)room;
	return knows_start ? answer(text, "/bin/program") : 0;
}

/* The id of a text is made of its first letters. */
static uint64_t id(const char *text, size_t length)
{
	uint64_t word = 0;

	memcpy(&word, text, length < sizeof(word) ? length : sizeof(word));
	return word;
}

uint64_t names_id_text(struct names *names, const char *text, size_t length)
{
	(void)names;
	return id(text, length);
}

static const struct namesake_region region = { .file = { .inode = 1 } };
static struct common common;

static uint64_t id_of(const char *text)
{
	return id(text, strlen(text));
}

static void assert_is_program(const struct process *process)
{
	assert_true(process->command == id_of("program"));
	assert_true(process->executable == id_of("/bin/program"));
}

TEST(identity_is_what_proc_says)
{
	struct process process = { .pid = 7 };

	reads_before_exec = READS;
	knows_start = false;
	process_identify(&process, NULL, &common, &region);
	assert_is_program(&process);
	assert_true(process.stack_start == STACK);
	assert_true(!process.gone && !process.execed);
}

TEST(identity_of_a_program_that_calls_exec_meanwhile)
{
	knows_start = true;
	for (int reads = 0; reads < READS; reads++) {
		struct process process = { .pid = 7 };

		reads_before_exec = reads;
		process_identify(&process, NULL, &common, &region);
		assert_is_program(&process);
		assert_true(process.stack_start == 0);
		assert_true(process.gone && process.execed);
	}
}

TEST(identity_of_a_program_that_ends_meanwhile)
{
	struct process process = { .pid = 7 };

	knows_start = true;
	is_over = true;
	reads_before_exec = 1;
	process_identify(&process, NULL, &common, &region);
	is_over = false;
	assert_is_program(&process);
	assert_true(process.gone && !process.execed);
}

TEST(identity_of_a_forked_child_that_calls_exec_meanwhile)
{
	const struct process parent = { .command = id_of("program"),
					.executable = id_of("/bin/program"),
					.stack_start = STACK };

	knows_start = false;
	for (int reads = 0; reads < READS - 1; reads++) {
		struct process process = { .pid = 7, .likely = true };

		reads_before_exec = reads;
		process_identify(&process, &parent, &common, &region);
		assert_is_program(&process);
		assert_true(process.gone && process.execed);
	}
}

TEST(identity_of_a_forked_child_costs_no_look_at_its_maps)
{
	const struct process parent = { .command = 1, .executable = 1, .stack_start = STACK };
	struct process process = { .pid = 7, .likely = true };

	looks = 0;
	reads_before_exec = READS;
	process_identify(&process, &parent, &common, &region);
	assert_is_program(&process);
	assert_true(looks == 0);
	assert_true(process.stack_start == STACK);
}
