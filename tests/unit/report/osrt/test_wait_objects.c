/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/osrt/wait_objects.c: what is one object, and what a descriptor means. */
#include "tests/unit/unit.h"

#include "report/osrt/wait_objects.h"

enum { PROCESS, OTHER_PROCESS };
enum { PIPE_A = 1, PIPE_B };

static struct wait_objects objects;

static const char *text_of(uint32_t number)
{
	static char room[WAIT_OBJECT_BYTES];
	size_t length = 0;
	const char *text = wait_object_text(&objects, NULL, number, room, &length);

	assert_int_equal(length, strlen(text));
	return text;
}

static uint32_t of(uint32_t process, enum wait_object_kind kind, uint64_t value)
{
	return wait_objects_of(&objects, process, kind, value);
}

TEST(locks)
{
	wait_objects_init(&objects);
	assert_int_equal(of(PROCESS, WAIT_OBJECT_mutex, 0x10), 1);
	assert_int_equal(of(PROCESS, WAIT_OBJECT_mutex, 0x10), 1);
	assert_int_equal(of(OTHER_PROCESS, WAIT_OBJECT_mutex, 0x10), 2);
	assert_int_equal(of(PROCESS, WAIT_OBJECT_rwlock, 0x10), 3);
	assert_int_equal(of(PROCESS, WAIT_OBJECT_none, 7), 0);
	assert_int_equal(wait_objects_of(&objects, PROCESS, 1000, 7), 0);
	assert_string_equal(text_of(1), "0x10");
	assert_string_equal(text_of(of(PROCESS, WAIT_OBJECT_child, 77)), "pid 77");
	assert_string_equal(text_of(of(PROCESS, WAIT_OBJECT_child, 0)), "any child");
	assert_string_equal(wait_object_word(WAIT_OBJECT_condition), "condition");
	assert_string_equal(wait_object_word(1000), "");
	wait_objects_release(&objects);
}

/* Two numbers may mean one pipe, and one number another pipe later. */
TEST(descriptors)
{
	uint32_t unknown, first;

	wait_objects_init(&objects);
	unknown = of(PROCESS, WAIT_OBJECT_pipe, 3);
	assert_string_equal(text_of(unknown), "descriptor 3");
	wait_objects_open(&objects, PROCESS, 3, WAIT_OBJECT_pipe, PIPE_A);
	wait_objects_open(&objects, PROCESS, 4, WAIT_OBJECT_pipe, PIPE_A);
	first = of(PROCESS, WAIT_OBJECT_pipe, 3);
	assert_int_not_equal(first, unknown);
	assert_int_equal(of(PROCESS, WAIT_OBJECT_pipe, 4), first);
	assert_int_equal(objects.object[first - 1].name, PIPE_A);
	wait_objects_open(&objects, PROCESS, 3, WAIT_OBJECT_pipe, PIPE_B);
	assert_int_not_equal(of(PROCESS, WAIT_OBJECT_pipe, 3), first);
	assert_null(wait_objects_descriptor(&objects, OTHER_PROCESS, 3));
	wait_objects_forget(&objects, PROCESS);
	assert_null(wait_objects_descriptor(&objects, PROCESS, 4));
	assert_int_equal(of(PROCESS, WAIT_OBJECT_pipe, 3), unknown);
	wait_objects_release(&objects);
}
