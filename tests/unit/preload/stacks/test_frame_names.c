/* SPDX-License-Identifier: MIT */
/* links: cfi preload:stacks/stack.c,stacks/walk.c,stacks/step.c,stacks/rules.c,stacks/frame_names.c,stacks/ahead.c,stacks/thread.c,stacks/sample.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c */
/* preload/stacks/frame_names.c: what is sent, how often, and under which id. */
#include "tests/unit/unit.h"
#include "preload/stacks/frame_names.h"
#include "tests/unit/preload/stacks/stack_judge.h"

static struct judge *judge;
static const _Atomic uint32_t nobody;

static uint64_t send_outermost(uint64_t word)
{
	return frame_name(&judge->lane, 0, word, frame_path(0, word));
}

static uint64_t frames_sent(void)
{
	return judge->lane.head / RECORD_FRAME_WORDS;
}

static uint64_t home_of(uint64_t word)
{
	return frame_home(frame_id_of(frame_path(0, word)));
}

TEST_BOTH(test_once, begun, ended)
{
	uint64_t id = send_outermost(0x1000);

	assert_int_equal(send_outermost(0x1000), id);
	assert_int_equal(frames_sent(), 1);
	frame_names_forked();
	assert_int_equal(send_outermost(0x1000), id);
	assert_int_equal(frames_sent(), 2);
}

/* The collector asks: what was sent is sent again, once. */
TEST_BOTH(test_asked, begun, ended)
{
	_Atomic uint32_t asked = 4;
	uint64_t id = send_outermost(0x1000);

	frame_names_listen(&asked);
	frame_names_hear();
	assert_int_equal(send_outermost(0x1000), id);
	assert_int_equal(frames_sent(), 1);
	asked = 5;
	for (unsigned int i = 0; i < 3; i++) {
		frame_names_hear();
		assert_int_equal(send_outermost(0x1000), id);
		assert_int_equal(frames_sent(), 2);
	}
	frame_names.asked = &nobody;
	frame_names.heard = 0;
}

/* Two frames of one place by turns, in a line that is full of others. */
TEST_BOTH(test_one_home, begun, ended)
{
	uint64_t word[6] = { 0x1000 }, found = 1;

	for (uint64_t next = 0x1001; found < 6; next++)
		if (home_of(next) == home_of(word[0]))
			word[found++] = next;
	for (unsigned int i = 0; i < 6; i++)
		send_outermost(word[i]);
	for (unsigned int i = 0; i < 100; i++)
		send_outermost(word[4 + i % 2]);
	assert_int_equal(frames_sent(), 6);
}

TEST_BOTH(test_chain, begun, ended)
{
	uint64_t outer = send_outermost(0x1000);
	uint64_t path = frame_path(frame_path(0, 0x1000), 0x2000);

	assert_true(frame_is_sent(frame_path(0, 0x1000)));
	assert_false(frame_is_sent(path));
	assert_int_equal(frame_name(&judge->lane, outer, 0x2000, path), frame_id_of(path));
	assert_true(frame_is_sent(path));
	assert_false(frame_is_sent(frame_path(frame_path(0, 0x1001), 0x2000)));
}

/* Of two ways that come to one id, the later has another; both stay. */
TEST_BOTH(test_one_id, begun, ended)
{
	uint64_t one = (7ull << (64 - RECORD_STACK_BITS)) + 11, other = one + 1;
	uint64_t first = frame_name(&judge->lane, 7, 0x1000, one);
	uint64_t second = frame_name(&judge->lane, 7, 0x1000, other);

	assert_int_equal(frame_id_of(one), frame_id_of(other));
	assert_int_not_equal(first, second);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(frame_name(&judge->lane, 7, 0x1000, one), first);
		assert_int_equal(frame_name(&judge->lane, 7, 0x1000, other), second);
	}
	assert_int_equal(frames_sent(), 2);
}

static int begun(void **state)
{
	judge = judge_new();
	return frame_names_begin(1u << 10) ? 0 : -1; /* forgets what the last test sent */
}

static int ended(void **state)
{
	judge_free(judge);
	return 0;
}
