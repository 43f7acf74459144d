/* SPDX-License-Identifier: MIT */
/*
 * Deferred work: a call starts it, another device does it (a GPU), and it is reported seconds
 * later. A listener names a place when the call is seen and gets that place back with each piece of
 * work. So work is attributed to the scope that its call was made in, and memory grows with the
 * work under way, not with all work.
 *
 * One analysis provides the work: that of the GPU (report/gpu/gpu_work.h). A call is found by
 * process and correlation number. It may have any number of pieces of work (the launch of a graph
 * has), so it is kept for DEFERRED_STAY_NS after the last one; work whose call is not seen within
 * DEFERRED_WAIT_NS is uncorrelated. Work cannot begin before its call: if it seems to, it is moved
 * to the call's begin, and counted in `clamped` if that is more than the clocks' error
 * (DEFERRED_DOUBT_NS).
 *
 * One thread. A piece of work is good during take() only.
 */
#ifndef REPORT_DEFERRED_DEFERRED_H
#define REPORT_DEFERRED_DEFERRED_H

#include "report/core/analysis.h"

#define DEFERRED_WAIT_NS 10000000000u /* how long work waits for its call */
/* how long a call is kept after its latest work was reported */
#define DEFERRED_STAY_NS 10000000000u
#define DEFERRED_WORKLESS_NS 600000000000u /* how long a call without reported work is kept */
/* by how much work may seem to precede its call, because two clocks were read */
#define DEFERRED_DOUBT_NS 1000u
#define DEFERRED_NOTHING 0u /* the place if nothing is open */

/*
 * What every provider knows of a piece of work: the provider's own struct begins with this one
 * (report/gpu/gpu_work.h).
 */
struct deferred_work {
	bool is_on_device;     /* false: the host waited for the device */
	bool has_call, counts; /* of the call; counts: the filters hold */
	uint64_t start_ns, duration_ns, correlation;
	uint64_t call_start_ns, call_end_ns;
	uint32_t process, thread; /* indices; thread: of the call */
};

static inline uint64_t deferred_end_ns(const struct deferred_work *work)
{
	return work->start_ns + work->duration_ns;
}

struct deferred_listener {
	/*
	 * Returns the place: what is open where the call is made. NULL: the listener needs no
	 * places.
	 */
	uint64_t (*place)(void *state, const struct source_event *event, bool counts);
	/* Takes a piece of work; `place` is DEFERRED_NOTHING if it has none. */
	void (*take)(void *state, uint64_t place, const struct deferred_work *work);
	/*
	 * The call is over, or another call took its number: its place does not come again.
	 * `had_work`: some work was reported, or that is unknown. May be NULL.
	 */
	void (*drop)(void *state, uint64_t place, bool had_work);
	bool takes_uncounted;    /* also work whose call the filters exclude */
	bool takes_uncorrelated; /* also work without a recorded call */
};

struct deferred {
	/* pieces that count and began before their call by more than the clocks' error */
	uint64_t clamped;
	uint64_t uncorrelated;       /* kernels, copies and memsets whose call was not recorded */
	uint64_t uncorrelated_waits; /* the same for waits: cudaEventQuery() by a library is one */
	uint64_t taken;              /* pieces of all kinds */
};

/* For start() of an analysis, or of a report. */
struct deferred *deferred_want(struct run *run);
void deferred_listen(struct deferred *deferred, const struct deferred_listener *listener,
		     void *state);

/*
 * --- for the provider: an analysis_<name>, by a line DEFERRED_PROVIDER(name) in its family's
 * family.def ---
 */

/* `work_bytes`: the size of its struct, which begins with a struct deferred_work. */
struct deferred *deferred_provide(struct run *run, size_t work_bytes);
/* The call of the event has returned. */
void deferred_put_call(struct deferred *deferred, const struct source_event *event, bool counts,
		       uint64_t correlation, uint64_t duration_ns);
/*
 * Takes work that was reported at `told_ns`; process and correlation identify its call. Fills in
 * what is known of the call.
 */
void deferred_put_work(struct deferred *deferred, uint64_t told_ns, struct deferred_work *work);
/*
 * All work of the process's calls so far has been reported: later calls have the same numbers
 * again.
 */
void deferred_renumber(struct deferred *deferred, uint32_t process);

#endif
