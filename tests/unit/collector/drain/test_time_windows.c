/* SPDX-License-Identifier: MIT */
/* links: collector */
/* collector/drain/time_windows.c: which blocks of time are drawn, who is asked, what is told. */
#include "tests/unit/unit.h"
#include "tests/unit/region_fixture.h"

#include "collector/drain/time_windows.h"
#include "collector/processes/process_steps.h"

#define REGION_BYTES (16u << 20)
#define SECOND 1000000000ull
#define START (5 * SECOND)
#define FIRST_MS 2000ull
#define BLOCKS 4000u

static struct fixture fixture;
static struct common common;
static struct processes processes;

static void window_budget(uint64_t word)
{
	fixture.header->family[EVT_FAMILY_steps] = word | FIRST_MS << BUDGET_WORD_MS_SHIFT;
}

static int setup(void **state)
{
	fixture_init(&fixture, REGION_BYTES);
	memset(&common, 0, sizeof(common));
	memset(&processes, 0, sizeof(processes));
	journal_init(&common.journal);
	common.view.header = fixture.header;
	common.view.process = fixture.process;
	processes.limit = 1;
	processes.slot[0] = (struct process){ .number = 7, .start_ns = START };
	return 0;
}

static int teardown(void **state)
{
	journal_release(&common.journal);
	fixture_release(&fixture);
	return 0;
}

static const struct evt_detail_asked *window_told(size_t place)
{
	assert_true(place < common.journal.count);
	assert_int_equal(common.journal.event[place].id, EVT_detail_asked);
	return (const void *)common.journal.event[place].value;
}

static bool window_is_on(void)
{
	return atomic_load(&fixture.process->detail_asked) % 2 == 0;
}

/* In the middle of each block; `words` are written in each one that has detail. */
static unsigned int blocks_on(unsigned int from, unsigned int count, uint64_t words)
{
	unsigned int on = 0;

	for (unsigned int block = from; block < from + count; block++) {
		uint64_t now = START + block * WINDOW_NS + WINDOW_NS / 2;

		assert_int_equal(time_windows_take(&processes, &common, now), WINDOW_NS / 2);
		on += window_is_on();
		if (window_is_on())
			processes.slot[0].words += words;
		common.journal.count = 0;
	}
	return on;
}

TEST_BOTH(test_windows_of_a_fixed_share_are_drawn_by_number, setup, teardown)
{
	unsigned int first = (unsigned int)(FIRST_MS * 1000000 / WINDOW_NS);
	bool is_on = true;

	window_budget(1u << 31 | BUDGET_WORD_SHARE);
	for (unsigned int block = 0; block < 100; block++) {
		uint64_t now = START + block * WINDOW_NS + 1;
		bool wanted = block < first || time_window_is_drawn(block, 1u << 31);
		size_t told = common.journal.count;

		(void)time_windows_take(&processes, &common, now);
		assert_int_equal(window_is_on(), wanted);
		assert_int_equal(common.journal.count, told + (wanted != is_on));
		if (wanted != is_on) {
			assert_int_equal(window_told(told)->process, 7);
			assert_int_equal(window_told(told)->on, wanted);
			assert_int_equal(common.journal.event[told].time_ns, now);
		}
		is_on = wanted;
		/* a second look at the same block changes nothing */
		told = common.journal.count;
		(void)time_windows_take(&processes, &common, now + 1);
		assert_int_equal(common.journal.count, told);
	}
}

TEST_BOTH(test_windows_come_to_their_share, setup, teardown)
{
	unsigned int on;

	window_budget(1u << 29 | BUDGET_WORD_SHARE);
	on = blocks_on(100, BLOCKS, 0);
	/* five standard deviations; the draw is fixed, so the answer never changes */
	assert_in_range(on, BLOCKS / 8 - 105, BLOCKS / 8 + 105);
}

TEST_BOTH(test_windows_keep_to_what_may_be_paid, setup, teardown)
{
	/* in a window, words cost a tenth of the time: of 2 % there may be a fifth */
	uint64_t words = WINDOW_NS / 10 / WINDOW_NS_OF_WORD;
	unsigned int on;

	window_budget(20000);
	assert_int_equal(blocks_on(0, 4, words), 4);
	(void)blocks_on(4, 400, words);
	on = blocks_on(404, BLOCKS, words);
	assert_in_range(on, BLOCKS / 5 - 126, BLOCKS / 5 + 126);
}

TEST_BOTH(test_windows_end_with_the_first_step, setup, teardown)
{
	window_budget(1u << 20 | BUDGET_WORD_SHARE);
	(void)blocks_on(0, 50, 0);
	assert_false(window_is_on());
	processes.slot[0].has_steps = true;
	for (unsigned int block = 50; block < 20000; block++)
		(void)time_windows_take(&processes, &common, START + block * WINDOW_NS);
	assert_int_equal(common.journal.count, 0);
	assert_false(window_is_on());
}
