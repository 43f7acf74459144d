/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/requests/request_tail.h: what the slowest requests take longer than the faster half. */
#include "tests/unit/unit.h"

#include "report/requests/request_tail.h"

#define MS 1000000u

static void put(struct request_tail *tail, uint64_t count, struct tail_sum each)
{
	struct tail_sum *sum = request_tail_at(tail, request_bucket_of(each.total_ns));

	sum->count += count;
	sum->total_ns += count * each.total_ns;
	sum->queue_ns += count * each.queue_ns;
	sum->gc_ns += count * each.gc_ns;
	sum->gpu_wait_ns += count * each.gpu_wait_ns;
	for (int i = 0; i < LOOK_LIMIT; i++)
		sum->looks.at[i] += count * each.looks.at[i];
}

TEST(buckets_hold_what_they_say)
{
	for (uint64_t ns = 4; ns < UINT64_MAX / 3; ns += ns / 3) {
		assert_true(request_bucket_ns(request_bucket_of(ns)) <= ns);
		assert_true(request_bucket_ns(request_bucket_of(ns) + 1) > ns);
	}
}

TEST(the_slowest_wait_for_the_gil)
{
	struct request_tail tail = { 0 };
	struct tail_slowest slowest;

	put(&tail, 500, (struct tail_sum){ .total_ns = 10 * MS, .looks.at[LOOK_RUNS] = 1 });
	put(&tail, 490, (struct tail_sum){ .total_ns = 20 * MS, .looks.at[LOOK_RUNS] = 2 });
	put(&tail, 10,
	    (struct tail_sum){ .total_ns = 90 * MS,
			       .queue_ns = 10 * MS,
			       .gc_ns = 5 * MS,
			       .looks.at[LOOK_GIL] = 7,
			       .looks.at[LOOK_RUNS] = 1 });
	assert_true(request_tail_slowest(&tail, &slowest));
	assert_int_equal(slowest.count, 10);
	assert_int_equal(slowest.of, 1000);
	assert_in_range(slowest.from_ns, 70 * MS, 90 * MS);
	assert_int_equal(slowest.mean_ns, 90 * MS);
	assert_int_equal(slowest.longer_ns, 80 * MS);
	assert_true(slowest.has_looks);
	assert_int_equal(tail_slowest_cause(&slowest), TAIL_GIL);
	assert_in_range(slowest.part_ns[TAIL_GIL], 70 * MS - 1, 70 * MS + 1);
	assert_in_range(slowest.part_ns[TAIL_QUEUE], 10 * MS - 1, 10 * MS + 1);
	assert_in_range(slowest.part_ns[TAIL_GC], 5 * MS - 1, 5 * MS + 1);
	assert_in_range(-slowest.part_ns[TAIL_CPU], 5 * MS - 1, 5 * MS + 1); /* 5 of 10 are left */
	request_tail_release(&tail);
}

/* The queue is known without samples, what threads did is not. */
TEST(without_samples_little_is_known)
{
	struct request_tail tail = { 0 };
	struct tail_slowest slowest;

	put(&tail, 200, (struct tail_sum){ .total_ns = MS });
	put(&tail, 2, (struct tail_sum){ .total_ns = 50 * MS, .queue_ns = 48 * MS });
	assert_true(request_tail_slowest(&tail, &slowest));
	assert_false(slowest.has_looks);
	assert_true(tail_slowest_knows(&slowest, TAIL_QUEUE));
	assert_false(tail_slowest_knows(&slowest, TAIL_CPU));
	assert_int_equal(tail_slowest_cause(&slowest), TAIL_QUEUE);
	request_tail_release(&tail);
}

TEST(nothing_is_said_of_few_or_of_equals)
{
	struct request_tail tail = { 0 };
	struct tail_slowest slowest;

	assert_false(request_tail_slowest(&tail, &slowest));
	put(&tail, 98, (struct tail_sum){ .total_ns = MS });
	put(&tail, 1, (struct tail_sum){ .total_ns = 50 * MS });
	assert_false(request_tail_slowest(&tail, &slowest)); /* 99 */
	put(&tail, 1, (struct tail_sum){ .total_ns = MS });
	assert_true(request_tail_slowest(&tail, &slowest));
	put(&tail, 9, (struct tail_sum){ .total_ns = 50 * MS });
	assert_false(request_tail_slowest(&tail, &slowest)); /* a tenth is as slow */
	request_tail_release(&tail);
	tail = (struct request_tail){ 0 };
	put(&tail, 198, (struct tail_sum){ .total_ns = 100 * MS });
	put(&tail, 2, (struct tail_sum){ .total_ns = 120 * MS });
	assert_false(request_tail_slowest(&tail, &slowest)); /* a fifth longer */
	request_tail_release(&tail);
}
