/* SPDX-License-Identifier: MIT */
/* Shares of looks become times of a request on average, of the slowest and of the faster half. */
#include "report/requests/request_tail.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define TAIL_MIN 100u       /* requests, of which the slowest 1 % is one */
#define TAIL_SHARE_MAX 0.05 /* of the requests; more are not the slowest ones */
#define TAIL_LONGER_MIN 0.5 /* than the faster half, of its time */
#define TAIL_LOOKS_MIN 5u   /* of the slowest, before shares of them say anything */
#define TAIL_CAUSE_MIN 0.5  /* of what they take longer */

struct tail_sum *request_tail_at(struct request_tail *tail, uint32_t bucket)
{
	size_t at = tail->count;

	while (at && tail->bucket[at - 1].number > bucket)
		at--;
	if (at && tail->bucket[at - 1].number == bucket)
		return &tail->bucket[at - 1].sum;
	tail->bucket = memory_room(tail->bucket, tail->count, &tail->room, sizeof(*tail->bucket));
	memmove(&tail->bucket[at + 1], &tail->bucket[at],
		(tail->count - at) * sizeof(*tail->bucket));
	tail->count++;
	tail->bucket[at] = (struct tail_bucket){ .number = bucket };
	return &tail->bucket[at].sum;
}

void request_tail_release(struct request_tail *tail)
{
	free(tail->bucket);
}

static void tail_sum_add(struct tail_sum *sum, const struct tail_sum *more)
{
	sum->count += more->count;
	sum->total_ns += more->total_ns;
	sum->queue_ns += more->queue_ns;
	sum->gc_ns += more->gc_ns;
	sum->gpu_wait_ns += more->gpu_wait_ns;
	for (int i = 0; i < LOOK_LIMIT; i++)
		sum->looks.at[i] += more->looks.at[i];
}

/* The looks are of what a request took without its queue. */
static void tail_parts(const struct tail_sum *sum, double part_ns[TAIL_LIMIT])
{
	static const enum look_of looked[TAIL_LIMIT] = {
		[TAIL_CPU] = LOOK_RUNS, [TAIL_GIL] = LOOK_GIL,     [TAIL_LOCKS] = LOOK_LOCK,
		[TAIL_IO] = LOOK_IO,    [TAIL_SLEEP] = LOOK_SLEEP, [TAIL_AWAITS] = LOOK_AWAITS,
	};
	double count = (double)sum->count, all = (double)look_counts_all(&sum->looks);
	double handled_ns = ((double)sum->total_ns - (double)sum->queue_ns) / count;

	for (int i = TAIL_CPU; i <= TAIL_AWAITS; i++)
		part_ns[i] = all > 0 ? (double)sum->looks.at[looked[i]] / all * handled_ns : 0;
	part_ns[TAIL_QUEUE] = (double)sum->queue_ns / count;
	part_ns[TAIL_GC] = (double)sum->gc_ns / count;
	part_ns[TAIL_GPU] = (double)sum->gpu_wait_ns / count;
	part_ns[TAIL_CPU] -= part_ns[TAIL_GC] < part_ns[TAIL_CPU] ? part_ns[TAIL_GC]
								  : part_ns[TAIL_CPU];
}

/* Sums of the slowest and of the faster half. Returns the number of the slowest's first bucket. */
static uint32_t tail_split(const struct request_tail *tail, uint64_t all, struct tail_sum *slow,
			   struct tail_sum *fast)
{
	size_t at = tail->count;

	while (at && slow->count < all / 100)
		tail_sum_add(slow, &tail->bucket[--at].sum);
	for (size_t i = 0; i < at && fast->count * 2 < all; i++)
		tail_sum_add(fast, &tail->bucket[i].sum);
	return at < tail->count ? tail->bucket[at].number : 0;
}

bool request_tail_slowest(const struct request_tail *tail, struct tail_slowest *ret_slowest)
{
	struct tail_sum slow = { 0 }, fast = { 0 };
	double slow_ns[TAIL_LIMIT], fast_ns[TAIL_LIMIT], mean_ns, longer_ns;
	uint64_t all = 0;
	uint32_t from;

	for (size_t i = 0; i < tail->count; i++)
		all += tail->bucket[i].sum.count;
	if (all < TAIL_MIN)
		return false;
	from = tail_split(tail, all, &slow, &fast);
	if (!fast.count || (double)slow.count > TAIL_SHARE_MAX * (double)all)
		return false;
	mean_ns = (double)slow.total_ns / (double)slow.count;
	longer_ns = mean_ns - (double)fast.total_ns / (double)fast.count;
	if (longer_ns < TAIL_LONGER_MIN * (mean_ns - longer_ns))
		return false;
	tail_parts(&slow, slow_ns);
	tail_parts(&fast, fast_ns);
	*ret_slowest = (struct tail_slowest){ .count = slow.count,
					      .of = all,
					      .from_ns = request_bucket_ns(from),
					      .mean_ns = (uint64_t)mean_ns,
					      .longer_ns = (uint64_t)longer_ns,
					      .has_looks = look_counts_all(&slow.looks) >=
								   TAIL_LOOKS_MIN &&
							   look_counts_all(&fast.looks) };
	for (int i = 0; i < TAIL_LIMIT; i++)
		ret_slowest->part_ns[i] = slow_ns[i] - fast_ns[i];
	return true;
}

bool tail_slowest_knows(const struct tail_slowest *slowest, enum tail_part part)
{
	return slowest->has_looks || part < TAIL_CPU || part > TAIL_AWAITS;
}

enum tail_part tail_slowest_cause(const struct tail_slowest *slowest)
{
	for (int i = 0; i < TAIL_LIMIT; i++)
		if (tail_slowest_knows(slowest, (enum tail_part)i) &&
		    slowest->part_ns[i] >= TAIL_CAUSE_MIN * (double)slowest->longer_ns)
			return (enum tail_part)i;
	return TAIL_LIMIT;
}
