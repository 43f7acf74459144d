/* SPDX-License-Identifier: MIT */
/*
 * What samples saw threads do while they had a request: counts of looks by what the thread waited
 * for. A sample stands for several looks while nothing changed, and comes with the last of them; so
 * requests that have ended are kept until the next sample of their thread. Looks lie at equal
 * distances between two samples. A look within a call that waits for the GPU is of that, whether
 * the thread ran meanwhile (CUDA spins) or not.
 *
 * The rows that looks belong to are numbers of the caller's. Memory: 48 bytes for each request
 * between two samples of a thread, of at most LOOKS_KEPT (the others have no looks), and the last
 * LOOKS_RING samples and LOOKS_WAITS waits of each thread that has requests: of a longer request
 * only these count. One thread.
 */
#ifndef REPORT_REQUESTS_REQUEST_LOOKS_H
#define REPORT_REQUESTS_REQUEST_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

#define LOOKS_KEPT 8192u
#define LOOKS_RING 1024u
#define LOOKS_WAITS 1024u
#define LOOK_APART_NS 1000000000u /* samples further apart say nothing of the time between */

enum look_of {
	LOOK_RUNS,
	LOOK_GIL,
	LOOK_LOCK,
	LOOK_IO,
	LOOK_SLEEP,
	LOOK_AWAITS, /* waits until one of several files is ready, as an event loop does */
	LOOK_OTHER,
	LOOK_GPU,       /* waits for the GPU, and does not run */
	LOOK_GPU_SPINS, /* waits for it on a CPU */
	LOOK_LIMIT,
};

struct look_counts {
	uint64_t at[LOOK_LIMIT];
};

struct request_span {
	uint64_t from_ns, to_ns;
	size_t row;
	uint32_t bucket; /* request_tail.h */
	bool is_alone;
};

/* A sample, as it comes. */
struct look_event {
	enum look_of of;
	uint64_t time_ns, step_ns, looks; /* the last one was at time_ns */
};

struct looked_thread {
	uint64_t look_ns; /* of its last sample; 0: none */
	struct request_span *span;
	size_t count, room;
	struct look_event *ring; /* NULL: none yet, as the next one */
	struct look_wait {
		uint64_t from_ns, to_ns;
	} * wait;
	uint64_t taken, waits; /* that were put into these */
};

struct request_looks {
	struct looked_thread *thread; /* by index */
	size_t room;
};

/* Returns false if the sample stands for no time. */
bool request_looks_read(struct request_looks *looks, const struct source_event *event,
			struct look_event *ret_look);
/* How many of its looks lie within that time. */
uint64_t look_event_within(const struct look_event *look, uint64_t from_ns, uint64_t to_ns);

/* Keeps a sample that was read for requests that end later. */
void request_looks_add(struct request_looks *looks, uint32_t thread, const struct look_event *look);
/* The thread has waited for the GPU; the latest wait. */
void request_looks_wait(struct request_looks *looks, uint32_t thread, struct look_wait wait);
/* A request of the thread has ended. */
void request_looks_keep(struct request_looks *looks, uint32_t thread,
			const struct request_span *span);
/* Takes the looks of each kept request of a thread, and forgets it. */
typedef void request_looks_take(void *state, const struct request_span *span,
				const struct look_counts *counts);
void request_looks_settle(struct request_looks *looks, uint32_t thread, request_looks_take *take,
			  void *state);

void request_looks_release(struct request_looks *looks);

static inline uint64_t look_counts_all(const struct look_counts *counts)
{
	uint64_t all = 0;

	for (int i = 0; i < LOOK_LIMIT; i++)
		all += counts->at[i];
	return all;
}

#endif
