/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/gpu/gpu_sums.c: kernels that take much longer than those of their name have an event of
 * their own and are in the sums once; what has become longer for good is soon usual; memory is
 * bounded; stretches of many kernels; windows of INTERCEPT_GPU_STEPS. Other stretches:
 * tests/unit/report/steps/test_step_delay.c.
 */
#include "tests/unit/unit.h"

#include "collector/gpu/gpu_sums.h"

#define PROCESS 3u
#define US 1000u

static struct common common;
static struct gpu_sums *sums;
static uint64_t now_ns, calls;

static int begins(void **state)
{
	common = (struct common){ .view.shape.ring_count = 2 };
	now_ns = 5000000000;
	journal_init(&common.journal);
	assert_int_equal(names_init(&common.names, &common.journal), 0);
	sums = gpu_sums_new(&common);
	assert_non_null(sums);
	return 0;
}

static int ends(void **state)
{
	gpu_sums_free(sums);
	names_release(&common.names);
	journal_release(&common.journal);
	return 0;
}

/* A kernel ran that nothing is known of but its name and duration. */
static void runs(uint64_t name, uint64_t ns)
{
	const struct gpu_sums_place place = { 0, 1, PROCESS };
	struct evt_gpu_kernel record = {
		.ago_ns = (int64_t)ns + 7, .duration_ns = ns, .correlation = ++calls, .kernel = name
	};
	uint64_t value[EVT_WORDS_MAX];

	memcpy(value, &record, sizeof(record));
	now_ns += ns + 10;
	assert_true(gpu_sums_take_work(sums, &place, EVT_gpu_kernel, now_ns, value));
}

static void settles(void)
{
	for (int i = 0; i < 5; i++)
		gpu_sums_settle(sums, now_ns, false);
	gpu_sums_settle(sums, now_ns, true);
}

static uint64_t count_of(uint32_t id)
{
	uint64_t count = 0;

	for (size_t i = 0; i < common.journal.count; i++)
		count += common.journal.event[i].id == id;
	return count;
}

static const uint64_t *value_of(uint32_t id, uint64_t number)
{
	for (size_t i = 0; i < common.journal.count; i++)
		if (common.journal.event[i].id == id && number-- == 0)
			return common.journal.event[i].value;
	fail_msg("event %u is missing", id);
	return NULL;
}

TEST_BOTH(a_long_kernel_is_told_beside_the_sums, begins, ends)
{
	const struct evt_gpu_unusual *unusual;
	const struct evt_gpu_kernel_sum *sum;

	for (int i = 0; i < 300; i++) {
		runs(8, 20 * US); /* another name has its own mean */
		runs(9, 200 * US);
	}
	runs(8, 700 * US);
	runs(9, 700 * US);
	settles();
	assert_int_equal(count_of(EVT_gpu_unusual), 1);
	unusual = (const void *)value_of(EVT_gpu_unusual, 0);
	assert_int_equal(unusual->kernel, 8);
	assert_int_equal(unusual->duration_ns, 700 * US);
	assert_int_equal(unusual->usual_ns, 20 * US);
	assert_int_equal(unusual->process, PROCESS);
	assert_int_equal(unusual->left_out, 0);
	assert_int_equal(count_of(EVT_gpu_kernel_sum), 2);
	sum = (const void *)value_of(EVT_gpu_kernel_sum, 0);
	assert_int_equal(sum->kernel, 8);
	assert_int_equal(sum->count, 301);
	assert_int_equal(sum->total_ns, 300 * 20 * US + 700 * US);
}

TEST_BOTH(the_first_and_the_short_are_usual, begins, ends)
{
	for (unsigned int i = 0; i < GPU_UNUSUAL_AFTER; i++)
		runs(8, i ? 20 * US : 900 * US);
	for (unsigned int i = 0; i < GPU_UNUSUAL_AFTER; i++)
		runs(9, 1 * US);
	runs(9, 40 * US);
	settles();
	assert_int_equal(count_of(EVT_gpu_unusual), 0);
}

TEST_BOTH(what_is_longer_for_good_is_usual, begins, ends)
{
	for (int i = 0; i < 200; i++)
		runs(8, 20 * US);
	for (int i = 0; i < 5000; i++)
		runs(8, 300 * US);
	settles();
	assert_true(count_of(EVT_gpu_unusual) > 0);
	assert_true(count_of(EVT_gpu_unusual) < 100);
	assert_int_equal(
		((const struct evt_gpu_kernel_sum *)(const void *)value_of(EVT_gpu_kernel_sum, 0))
			->count,
		5200);
}

TEST_BOTH(unusual_ones_are_bounded_and_counted, begins, ends)
{
	const struct evt_gpu_unusual *last;
	uint64_t long_ones = 0;

	for (uint64_t name = 1; name <= 50; name++)
		for (int i = 0; i < 2000; i++) {
			bool is_long = i > 200 && i % 100 == 0;

			runs(name, is_long ? 900 * US : 20 * US);
			long_ones += is_long;
		}
	settles();
	assert_int_equal(count_of(EVT_gpu_unusual), GPU_UNUSUAL_TOLD);
	now_ns += 1;
	for (int i = 0; i < 200; i++)
		runs(99, 20 * US);
	runs(99, 900 * US);
	settles();
	last = (const void *)value_of(EVT_gpu_unusual, GPU_UNUSUAL_TOLD);
	assert_int_equal(last->kernel, 99);
	assert_int_equal(last->left_out, long_ones - GPU_UNUSUAL_TOLD);
}

#define KERNELS_A_STEP 70u

/*
 * More kernels than there is room for, before the first settling is due: each step's stretch has
 * its own.
 */
TEST_BOTH(many_kernels_are_of_their_own_stretch, begins, ends)
{
	const struct gpu_sums_place place = { 0, 1, PROCESS };
	const uint64_t steps = COVER_PIECES_MAX * 5ull / 4 / KERNELS_A_STEP;
	const uint64_t step[EVT_WORDS_MAX] = { 0 };
	uint64_t told = 0;

	for (uint64_t i = 0; i < steps; i++) {
		gpu_sums_take_scope(sums, &place, EVT_step, now_ns, step);
		for (unsigned int j = 0; j < KERNELS_A_STEP; j++)
			runs(8, 1 * US);
	}
	gpu_sums_take_scope(sums, &place, EVT_step, now_ns, step);
	settles();
	for (size_t i = 0; i < common.journal.count; i++) {
		const struct evt_gpu_stretch *stretch = (const void *)common.journal.event[i].value;

		if (common.journal.event[i].id != EVT_gpu_stretch)
			continue;
		assert_int_equal(stretch->kernel_ns, KERNELS_A_STEP * US);
		assert_in_range(stretch->duration_ns, KERNELS_A_STEP * US, 2 * KERNELS_A_STEP * US);
		assert_int_equal(stretch->late, 0);
		told++;
	}
	assert_int_equal(told, steps);
}

static void calls_kernel(void)
{
	const struct gpu_sums_place place = { 0, 1, PROCESS };
	struct evt_gpu_call call = { .correlation = calls + 1 };
	uint64_t value[EVT_WORDS_MAX];

	memcpy(value, &call, sizeof(call));
	gpu_sums_take_call(sums, &place, EVT_gpu_call, now_ns, value);
}

static void window(bool on)
{
	const struct gpu_sums_place place = { 0, 1, PROCESS };
	const uint64_t value[EVT_WORDS_MAX] = { on };

	gpu_sums_take_scope(sums, &place, EVT_gpu_window, now_ns, value);
}

/* Work without a call is in no sum, and counts as busy time within windows only. */
TEST_BOTH(between_windows_nothing_is_added_up, begins, ends)
{
	const struct evt_gpu_kernel_sum *first, *drawn;
	const struct evt_gpu_busy *busy;

	calls_kernel();
	runs(8, 20 * US);
	window(false);
	window(false);
	runs(8, 50 * US);
	runs(8, 50 * US);
	window(true);
	for (int i = 0; i < 2; i++) {
		calls_kernel();
		runs(8, 30 * US);
	}
	runs(8, 40 * US); /* was launched before the window */
	window(false);
	runs(8, 50 * US);
	settles();
	assert_int_equal(count_of(EVT_gpu_kernel_sum), 2);
	first = (const void *)value_of(EVT_gpu_kernel_sum, 0);
	drawn = (const void *)value_of(EVT_gpu_kernel_sum, 1);
	assert_int_equal(first->drawn, 0);
	assert_int_equal(first->count, 1);
	assert_int_equal(first->total_ns, 20 * US);
	assert_int_equal(drawn->drawn, 1);
	assert_int_equal(drawn->count, 2);
	assert_int_equal(drawn->total_ns, 60 * US);
	assert_int_equal(count_of(EVT_gpu_busy), 1);
	busy = (const void *)value_of(EVT_gpu_busy, 0);
	assert_int_equal(busy->busy_ns, (20 + 30 + 30 + 40) * US);
}

static void step_begins(uint64_t number)
{
	const struct gpu_sums_place place = { 0, 1, PROCESS };
	const uint64_t value[EVT_WORDS_MAX] = { number };

	gpu_sums_take_scope(sums, &place, EVT_step, now_ns++, value);
}

static void copies(uint64_t kind, uint64_t from, uint64_t to, uint64_t bytes)
{
	const struct gpu_sums_place place = { 0, 1, PROCESS };
	struct evt_gpu_copy record = { .ago_ns = 20 * US + 7,
				       .duration_ns = 20 * US,
				       .correlation = ++calls,
				       .kind = kind,
				       .source_memory = from,
				       .destination_memory = to,
				       .bytes = bytes };
	uint64_t value[EVT_WORDS_MAX];

	memcpy(value, &record, sizeof(record));
	now_ns += 20 * US + 10;
	assert_true(gpu_sums_take_work(sums, &place, EVT_gpu_copy, now_ns, value));
}

/* What is asked for before step 3 begins is warm-up; a copy also says what memory the host's is. */
TEST_BOTH(settled_steps_have_sums_of_their_own, begins, ends)
{
	static const struct {
		uint64_t settled, bytes;
	} wanted[] = { { 2, 10 }, { 3, 20 }, { 2, 40 }, { 1, 80 }, { 0, 7 } };

	for (uint64_t step = 0; step < 6; step++) {
		step_begins(step);
		calls_kernel();
		runs(8, 20 * US);
	}
	calls++; /* without a call */
	runs(8, 20 * US);
	settles();
	assert_int_equal(count_of(EVT_gpu_kernel_sum), 2);
	for (uint64_t i = 0; i < 2; i++) {
		const struct evt_gpu_kernel_sum *sum = (const void *)value_of(EVT_gpu_kernel_sum,
									      i);

		assert_int_equal(sum->settled, i);
		assert_int_equal(sum->count, i ? 3 : 4);
	}
	copies(1, 1, 3, 7); /* its call may still come, so it is added up last */
	for (unsigned int i = 0; i < 4; i++) {
		static const uint64_t of[][3] = {
			{ 1, 1, 3 }, { 1, 2, 3 }, { 2, 3, 1 }, { 8, 3, 3 }
		};

		step_begins(3); /* the process is known by its first step 3 */
		calls_kernel();
		copies(of[i][0], of[i][1], of[i][2], wanted[i].bytes);
	}
	settles();
	assert_int_equal(count_of(EVT_gpu_copy_sum), 5);
	for (uint64_t i = 0; i < 5; i++) {
		const struct evt_gpu_copy_sum *sum = (const void *)value_of(EVT_gpu_copy_sum, i);

		assert_int_equal(sum->settled, wanted[i].settled);
		assert_int_equal(sum->bytes, wanted[i].bytes);
	}
}
