/* SPDX-License-Identifier: MIT */
/*
 * The slowest requests of a row beside its faster half: what each of them takes longer, and what
 * its thread did meanwhile. Requests are counted by how long they took, in buckets.
 *
 * What a thread did counts for each request that it had: all of them wait for that. Memory grows
 * with buckets, of which there are at most REQUEST_BUCKETS. One thread.
 */
#ifndef REPORT_REQUESTS_REQUEST_TAIL_H
#define REPORT_REQUESTS_REQUEST_TAIL_H

#include "report/requests/request_looks.h"

#define REQUEST_BUCKETS 256u /* of durations: each is a quarter of a power of two wide */

/* Four to a power of two: its exponent, and the two bits behind the highest one. */
static inline uint32_t request_bucket_of(uint64_t ns)
{
	uint32_t exponent;

	if (ns < 4)
		return 0;
	exponent = 63 - (uint32_t)__builtin_clzll(ns);
	return exponent << 2 | (uint32_t)(ns >> (exponent - 2) & 3);
}

/* The shortest duration in it. */
static inline uint64_t request_bucket_ns(uint32_t bucket)
{
	return bucket < 8 ? bucket : (uint64_t)(4 | (bucket & 3)) << ((bucket >> 2) - 2);
}

struct tail_sum {
	uint64_t count, total_ns; /* with the queue */
	uint64_t queue_ns, gc_ns, gpu_wait_ns;
	struct look_counts looks; /* while they were handled */
};

struct request_tail {
	struct tail_bucket {
		uint32_t number;
		struct tail_sum sum;
	} * bucket; /* by number */
	size_t count, room;
};

/* Returns the sums of the bucket, for the caller to add to. */
struct tail_sum *request_tail_at(struct request_tail *tail, uint32_t bucket);
void request_tail_release(struct request_tail *tail);

/* What a request waits for, or does. */
enum tail_part {
	TAIL_QUEUE,
	TAIL_CPU, /* also waits for one */
	TAIL_GIL,
	TAIL_LOCKS,
	TAIL_IO,
	TAIL_SLEEP,
	TAIL_AWAITS,
	TAIL_GC,
	TAIL_GPU,
	TAIL_LIMIT,
};

struct tail_slowest {
	uint64_t count, of; /* the slowest ones; all */
	uint64_t from_ns;   /* none of them took less */
	uint64_t mean_ns;   /* of the slowest */
	uint64_t longer_ns; /* than the faster half, on average */
	bool has_looks;     /* otherwise only the queue, collections and the GPU are known */
	double part_ns[TAIL_LIMIT]; /* how much of that each has; below 0: it has less */
};

/*
 * Returns false if the row has too few requests, or its slowest ones are not apart from the others.
 * About 1 % are the slowest: as many buckets as that needs.
 */
bool request_tail_slowest(const struct request_tail *tail, struct tail_slowest *ret_slowest);
bool tail_slowest_knows(const struct tail_slowest *slowest, enum tail_part part);
/* The part that has at least half of it; TAIL_LIMIT: none has. */
enum tail_part tail_slowest_cause(const struct tail_slowest *slowest);

#endif
