/* SPDX-License-Identifier: MIT */
/*
 * Puts the operations of steps.h in the order of time although some are deferred: the work of a
 * GPU is reported seconds after the host has gone on. So operations of the host wait until all
 * work of their time has been reported; then both go to the steps, in order. Before the first sign
 * of a GPU nothing waits.
 *
 * Memory grows with what happens in DEFERRED_WAIT_NS. Work that is reported later than that is moved
 * to where the steps are by then, and counted (gpu_late). One thread.
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
	STEP_OP_LAUNCHES, /* the same; ns: how many */
	STEP_OP_IO,
	STEP_OP_CLOCK,
	STEP_OP_MARK,
	STEP_OP_INTERRUPT,
};

struct step_op {
	enum step_op_kind kind;
	enum step_category category;
	enum nest_ending how;
	bool is_numbered; /* a mark has a number; else it is the one after the last */
	struct nest_place place;
	uint64_t ns; /* duration; CPU time of the clock; a number */
	struct step_mark mark;
};

/* A step_op that waits, small: there may be many millions in DEFERRED_WAIT_NS. */
struct step_held {
	struct nest_place place;
	uint8_t kind, category, how;
	bool is_numbered;
	bool has_more; /* the next of `more` is its own */
};

/* What few of them have. */
struct step_more {
	uint64_t ns;
	struct step_mark mark;
};

struct step_delay {
	struct steps *steps;
	bool waits;             /* there is a GPU */
	struct step_held *held; /* in the order of their telling, from `first` on */
	size_t first, count, room;
	struct step_more *more; /* likewise, from `more_first` on */
	size_t more_first, more_count, more_room;
	struct step_edge {
		uint64_t time_ns;
		uint32_t process;
		enum step_category category;
		bool begins;
	} * edge; /* on the device, in no order */
	size_t edge_count, edge_room;
	uint64_t done_ns; /* up to here the steps know all */
};

void step_delay_init(struct step_delay *delay, struct steps *steps);
void step_delay_release(struct step_delay *delay);

/* There is a GPU. */
void step_delay_begin(struct step_delay *delay);
void step_delay_put(struct step_delay *delay, const struct step_op *op);
void step_delay_put_work(struct step_delay *delay, const struct deferred_work *work);
/* All work up to then has been told; UINT64_MAX: nothing more comes. */
void step_delay_flush(struct step_delay *delay, uint64_t upto_ns);

#endif
