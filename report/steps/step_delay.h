/* SPDX-License-Identifier: MIT */
/*
 * Puts the operations of steps.h in the order of time although some are deferred: GPU work is
 * reported seconds after the host has continued. So operations of the host wait until all GPU work
 * of their time has been reported; then both are passed to the steps, in order. Before the first
 * event about a GPU nothing waits.
 *
 * Memory grows with what happens in DEFERRED_WAIT_NS. Work that is reported later than that is
 * moved to the time that the steps have reached, and counted (gpu_late). To be used by one thread.
 */
#ifndef REPORT_STEPS_STEP_DELAY_H
#define REPORT_STEPS_STEP_DELAY_H

#include "report/deferred/deferred.h"
#include "report/steps/steps.h"

enum step_op_kind {
	STEP_OP_OPEN,
	STEP_OP_CLOSE,
	STEP_OP_CLOSE_ONE,
	STEP_OP_CUT,
	STEP_OP_SPAN,
	STEP_OP_HELPED,
	STEP_OP_PHASE,    /* category: enum step_phase */
	STEP_OP_LAUNCHES, /* the same; ns: number of launches */
	STEP_OP_WAITS,    /* the same; ns: in waits for the GPU */
	STEP_OP_SPEND,    /* category: enum step_spending */
	STEP_OP_CLOCK,
	STEP_OP_MARK,
	STEP_OP_INTERRUPT,
};

struct step_op {
	enum step_op_kind kind;
	enum step_category category;
	enum nest_ending how;
	bool is_numbered; /* the mark has a number; false: its number follows the last one */
	struct nest_place place;
	uint64_t ns; /* a duration, CPU time of the clock, or a number */
	struct step_mark mark;
};

/* A waiting step_op in a small form: there may be many millions in DEFERRED_WAIT_NS. */
struct step_held {
	struct nest_place place;
	uint8_t kind, category, how;
	bool is_numbered;
	bool has_more; /* the next entry of `more` belongs to it */
};

/* Fields that only a few of them have. */
struct step_more {
	uint64_t ns;
	struct step_mark mark;
};

struct step_delay {
	struct steps *steps;
	bool waits;             /* a GPU is used */
	struct step_held *held; /* in the order in which they came, from `first` on */
	size_t first, count, room;
	struct step_more *more; /* the same, from `more_first` on */
	size_t more_first, more_count, more_room;
	struct step_edge {
		uint64_t time_ns;
		uint32_t process;
		enum step_category category;
		bool begins;
	} * edge; /* on the device, unsorted */
	size_t edge_count, edge_room;
	struct step_asked {
		uint64_t time_ns, duration_ns;
		uint32_t process;
		enum step_phase phase;
	} * asked; /* work by the time of its call, unsorted */
	size_t asked_count, asked_room;
	uint64_t done_ns; /* the steps have everything up to this time */
};

void step_delay_init(struct step_delay *delay, struct steps *steps);
void step_delay_release(struct step_delay *delay);

/* A GPU is used: operations wait from now on. */
void step_delay_begin(struct step_delay *delay);
void step_delay_put(struct step_delay *delay, const struct step_op *op);
void step_delay_put_work(struct step_delay *delay, const struct deferred_work *work);
/*
 * INTERCEPT_GPU=sums: how long the devices of a process were busy in a stretch of time, by the
 * categories up to STEP_communication. When in the stretch that was is not known, and is of no
 * account: a stretch lies in one step and one phase.
 */
struct step_stretch {
	uint32_t process;
	uint64_t start_ns, duration_ns, ns[STEP_communication + 1];
};
void step_delay_put_stretch(struct step_delay *delay, const struct step_stretch *stretch);
/* All work up to that time has been reported; UINT64_MAX: nothing more comes. */
void step_delay_flush(struct step_delay *delay, uint64_t upto_ns);

#endif
