/* SPDX-License-Identifier: MIT */
/*
 * Where threads were while they had requests, by endpoint and by how long the request took: samples
 * of the thread that received it, from its begin to its end. Slow requests are compared with the
 * others by that.
 *
 * On a thread that has several requests, as an event loop's, a sample counts for each of them: all
 * of them wait for what the thread does.
 *
 * Memory grows with endpoints (up to REQUEST_GROUPS_MAX; requests of others are left out), their
 * distinct places, and the requests between two samples of a thread. One thread.
 */
#ifndef REPORT_ADVICE_REQUEST_LINES_H
#define REPORT_ADVICE_REQUEST_LINES_H

#include "report/core/analysis.h"
#include "report/requests/request_tail.h"
#include "report/samples/sample_events.h"

#define REQUEST_GROUPS_MAX 1024u

/* The requests of an endpoint. */
struct request_group {
	uint32_t method, endpoint; /* indices of names */
	uint64_t count, total_ns;
	struct request_bucket {
		uint64_t count, total_ns, looks;
	} bucket[REQUEST_BUCKETS];
};

struct request_place {
	uint32_t group, bucket;
	enum look_of of; /* LOOK_OTHER: also ready to run, and waits for the disk (fsync) */
	uint64_t place;  /* sample_place_key() */
	uint64_t looks;
};

struct request_lines {
	struct request_group *group;
	size_t group_count, group_room;
	struct request_place *place;
	size_t place_count, place_room;
	const struct samples *samples;
	const struct requests *requests; /* by endpoint */
	uint64_t *received; /* requests that have ended, by the thread that received them */
	uint64_t *answered; /* the same, by process */
	size_t received_room, answered_room;
	uint64_t first_ns, last_ns; /* begin of the first request, end of the last one; 0: none */
};

struct request_lines_options {
	uint32_t none;
};
ANALYSIS(request_lines, struct request_lines)

uint64_t request_lines_looks(const struct request_lines *lines);
uint64_t request_lines_total_ns(const struct request_lines *lines);
uint64_t request_lines_count(const struct request_lines *lines);
/* Whether the thread of that index has received requests that count. */
static inline bool request_lines_receives(const struct request_lines *lines, uint32_t thread)
{
	return thread < lines->received_room && lines->received[thread];
}
/* Whether the process of that index has answered any. */
static inline bool request_lines_answers(const struct request_lines *lines, uint32_t process)
{
	return process < lines->answered_room && lines->answered[process];
}

#endif
