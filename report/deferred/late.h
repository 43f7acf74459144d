/* SPDX-License-Identifier: MIT */
/*
 * Deferred work: a call starts it, another device does it (a GPU), and it is reported seconds
 * later. A listener names a place when the call is seen and gets that place back with each piece
 * of work. So work is attributed to the scope that its call was made in, and memory grows with the
 * work under way, not with all work.
 *
 * The provider of the counter gpu_ns (core/work.h) delivers it. A call is found by process and
 * correlation number. It may have any number of pieces of work (the launch of a graph has), so it
 * is kept for LATE_STAY_NS after the last one; work whose call is not seen within LATE_WAIT_NS is
 * uncorrelated (`homeless`). Work cannot begin before its call: if it seems to, it is moved to the
 * call's begin, and counted in `clamped` if that is more than the clocks' error (LATE_DOUBT_NS).
 *
 * One thread. A piece of work is good during take() only.
 */
#ifndef REPORT_DEFERRED_LATE_H
#define REPORT_DEFERRED_LATE_H

#include "report/core/analysis.h"

#define LATE_WAIT_NS 10000000000u      /* for the call of work */
#define LATE_STAY_NS 10000000000u      /* of a call after its work was told */
#define LATE_WORKLESS_NS 600000000000u /* of a call that no work was told of */
#define LATE_DOUBT_NS 1000u            /* of work against its call: two clocks were read */
#define LATE_NOTHING 0u                /* a place: nothing is open there */

enum late_kind { LATE_KERNEL, LATE_COPY, LATE_SET, LATE_WAIT, LATE_KINDS };

struct late_work {
	enum late_kind kind;
	bool is_communication;             /* a kernel that moves data between devices (nccl) */
	bool uses_tensor_cores, is_helper; /* by its name; helper: prepares or ends a product */
	bool has_call, counts;             /* of the call: the filters hold */
	uint64_t start_ns, duration_ns, bytes, correlation;
	uint64_t call_start_ns, call_end_ns;
	uint32_t process, thread; /* indices; thread: of the call */
	uint32_t what;            /* kernel: its name's index; copy, wait: CUPTI's kind */
	uint32_t device, context, stream, graph;
	uint64_t
		node; /* of the graph, CUPTI's number; 0: none, or nobody wants to know (report/gpu/gpu_work.h) */
	uint32_t grid[3], block[3], shared_bytes, registers; /* of kernels */
	uint32_t from_memory, to_memory; /* CUpti_ActivityMemoryKind; of copies */
	bool is_asynchronous;
};

static inline uint64_t late_end_ns(const struct late_work *work)
{
	return work->start_ns + work->duration_ns;
}

static inline bool late_is_on_device(const struct late_work *work)
{
	return work->kind != LATE_WAIT;
}

struct late_listener {
	/*
	 * Returns the place: what is open where the call is made. NULL: the listener needs no
	 * places.
	 */
	uint64_t (*place)(void *state, const struct source_event *event, bool counts);
	/* Takes a piece of work; `place` is LATE_NOTHING if it has none. */
	void (*take)(void *state, uint64_t place, const struct late_work *work);
	/*
	 * The call is over, or another call took its number: its place does not come again.
	 * `had_work`: some work was reported, or that is unknown. May be NULL.
	 */
	void (*drop)(void *state, uint64_t place, bool had_work);
	bool takes_uncounted; /* work whose call the filters leave out, too */
	bool takes_homeless;  /* work without a recorded call, too */
};

struct late {
	uint64_t clamped;        /* pieces that count and began before their call, beyond doubt */
	uint64_t homeless;       /* kernels, copies and memsets whose call was not recorded */
	uint64_t homeless_waits; /* the same of waits: cudaEventQuery() by libraries is one */
	uint64_t taken;          /* pieces, of whatever kind */
};

/* For start() of an analysis, or of a report. */
struct late *late_want(struct run *run);
void late_listen(struct late *late, const struct late_listener *listener, void *state);

/* --- for the provider --- */

struct late *late_provide(struct run *run);
/* The call of the event has returned. */
void late_put_call(struct late *late, const struct source_event *event, bool counts,
		   uint64_t correlation, uint64_t duration_ns);
/*
 * Takes work that was reported at `told_ns`; process and correlation identify its call. Fills in
 * what is known of the call.
 */
void late_put_work(struct late *late, uint64_t told_ns, struct late_work *work);

#endif
