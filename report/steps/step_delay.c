/* SPDX-License-Identifier: MIT */
/*
 * Operations of the host are kept in an array, and begins and ends of GPU work in another one. A
 * flush sorts the second and applies both by time.
 */
#include "report/steps/step_delay.h"
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/time_order.h"
#include "report/base/vast.h"

void step_delay_init(struct step_delay *delay, struct steps *steps)
{
	*delay = (struct step_delay){ .steps = steps };
}

void step_delay_release(struct step_delay *delay)
{
	vast_release(delay->held, delay->room, sizeof(*delay->held));
	vast_release(delay->more, delay->more_room, sizeof(*delay->more));
	free(delay->edge);
	free(delay->asked);
}

void step_delay_begin(struct step_delay *delay)
{
	delay->waits = true;
}

static inline void op_apply(struct steps *steps, const struct step_op *op)
{
	struct step_mark mark;

	switch (op->kind) {
	case STEP_OP_OPEN:
		steps_open(steps, op->place, op->category);
		return;
	case STEP_OP_CLOSE:
		steps_close(steps, op->place);
		return;
	case STEP_OP_CLOSE_ONE:
		steps_close_one(steps, op->place, op->category);
		return;
	case STEP_OP_CUT:
		steps_cut(steps, op->place, op->how);
		return;
	case STEP_OP_HELPED:
		steps_helped(steps, op->place, op->ns);
		return;
	case STEP_OP_PHASE:
		steps_phase(steps, op->place, (enum step_phase)op->category, op->ns);
		return;
	case STEP_OP_LAUNCHES:
		steps_launches(steps, op->place, (enum step_phase)op->category, op->ns);
		return;
	case STEP_OP_WAITS:
		steps_waits(steps, op->place, (enum step_phase)op->category, op->ns);
		return;
	case STEP_OP_SPAN:
		steps_span(steps, op->place, op->category, op->ns);
		return;
	case STEP_OP_SPEND:
		steps_spend(steps, op->place, (enum step_spending)op->category, op->ns);
		return;
	case STEP_OP_CLOCK:
		steps_clock(steps, op->place, op->ns);
		return;
	case STEP_OP_MARK:
		mark = op->mark;
		if (!op->is_numbered)
			mark.number = steps_next_number(steps, op->place.process);
		steps_mark(steps, op->place, &mark);
		return;
	case STEP_OP_INTERRUPT:
		steps_interrupt(steps, op->place);
		return;
	}
}

static bool op_has_more(enum step_op_kind kind)
{
	return kind == STEP_OP_SPAN || kind == STEP_OP_HELPED || kind == STEP_OP_PHASE ||
	       kind == STEP_OP_LAUNCHES || kind == STEP_OP_WAITS || kind == STEP_OP_SPEND ||
	       kind == STEP_OP_CLOCK || kind == STEP_OP_MARK;
}

void step_delay_put(struct step_delay *delay, const struct step_op *op)
{
	if (!delay->waits) {
		op_apply(delay->steps, op);
		return;
	}
	delay->held = vast_room(delay->held, delay->count, &delay->room, sizeof(*delay->held));
	delay->held[delay->count++] = (struct step_held){ .place = op->place,
							  .kind = (uint8_t)op->kind,
							  .category = (uint8_t)op->category,
							  .how = (uint8_t)op->how,
							  .is_numbered = op->is_numbered,
							  .has_more = op_has_more(op->kind) };
	if (!op_has_more(op->kind))
		return;
	delay->more = vast_room(delay->more, delay->more_count, &delay->more_room,
				sizeof(*delay->more));
	delay->more[delay->more_count++] = (struct step_more){ op->ns, op->mark };
}

/* Applies the first waiting operation. */
static void held_apply(struct step_delay *delay)
{
	const struct step_held *held = &delay->held[delay->first++];
	struct step_op op = { .kind = (enum step_op_kind)held->kind,
			      .category = (enum step_category)held->category,
			      .how = (enum nest_ending)held->how,
			      .is_numbered = held->is_numbered,
			      .place = held->place };

	if (held->has_more) {
		op.ns = delay->more[delay->more_first].ns;
		op.mark = delay->more[delay->more_first++].mark;
	}
	op_apply(delay->steps, &op);
}

/* --- the device --- */

static void edge_put(struct step_delay *delay, uint32_t process, enum step_category category,
		     uint64_t time_ns, bool begins)
{
	delay->edge = memory_room(delay->edge, delay->edge_count, &delay->edge_room,
				  sizeof(*delay->edge));
	delay->edge[delay->edge_count++] = (struct step_edge){ time_ns, process, category, begins };
}

static enum step_category step_delay_category_of(const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);

	if (piece->kind == GPU_WORK_KERNEL)
		return piece->is_communication ? STEP_communication : STEP_kernel;
	return piece->kind == GPU_WORK_COPY ? STEP_memcpy : STEP_memset;
}

/* What the host has done by then is with the steps already: it counts with what follows. */
static void asked_hold(struct step_delay *delay, const struct deferred_work *work)
{
	bool is_collective = step_delay_category_of(work) == STEP_communication;
	uint64_t time_ns = work->call_start_ns;

	if (!work->has_call)
		return;
	delay->asked = memory_room(delay->asked, delay->asked_count, &delay->asked_room,
				   sizeof(*delay->asked));
	delay->asked[delay->asked_count++] = (struct step_asked){
		.time_ns = time_ns > delay->done_ns ? time_ns : delay->done_ns,
		.duration_ns = work->duration_ns,
		.process = work->process,
		.phase = is_collective ? PHASE_communication : PHASE_other
	};
}

void step_delay_put_work(struct step_delay *delay, const struct deferred_work *work)
{
	uint64_t start_ns = work->start_ns, end_ns = deferred_end_ns(work);

	step_delay_begin(delay);
	if (!work->is_on_device || end_ns < start_ns)
		return;
	asked_hold(delay, work);
	if (start_ns < delay->done_ns) {
		delay->steps->gpu_late++;
		start_ns = delay->done_ns;
	}
	if (end_ns <= start_ns)
		return;
	edge_put(delay, work->process, step_delay_category_of(work), start_ns, true);
	edge_put(delay, work->process, step_delay_category_of(work), end_ns, false);
}

/* As if one kind of work had run after the other from the begin on. */
void step_delay_put_stretch(struct step_delay *delay, const struct step_stretch *stretch)
{
	uint64_t at_ns = stretch->start_ns, end_ns;

	step_delay_begin(delay);
	if (__builtin_add_overflow(at_ns, stretch->duration_ns, &end_ns))
		return;
	if (at_ns < delay->done_ns) {
		delay->steps->gpu_late++;
		at_ns = delay->done_ns;
	}
	for (int i = 0; i <= STEP_communication && at_ns < end_ns; i++) {
		uint64_t left_ns = end_ns - at_ns;
		uint64_t ns = stretch->ns[i] < left_ns ? stretch->ns[i] : left_ns;

		if (!ns)
			continue;
		edge_put(delay, stretch->process, (enum step_category)i, at_ns, true);
		edge_put(delay, stretch->process, (enum step_category)i, at_ns + ns, false);
		at_ns += ns;
	}
}

/* --- both, in order of time --- */

static void edge_apply(struct steps *steps, const struct step_edge *edge)
{
	steps_device(steps, edge->process, edge->time_ns, edge->category, edge->begins);
}

static void ops_compact(struct step_delay *delay)
{
	if (!delay->first || delay->first * 2 < delay->count)
		return;
	memmove(delay->held, &delay->held[delay->first],
		(delay->count - delay->first) * sizeof(*delay->held));
	delay->count -= delay->first;
	delay->first = 0;
	if (delay->more_first)
		memmove(delay->more, &delay->more[delay->more_first],
			(delay->more_count - delay->more_first) * sizeof(*delay->more));
	delay->more_count -= delay->more_first;
	delay->more_first = 0;
}

static void edges_compact(struct step_delay *delay, size_t done)
{
	if (!done)
		return;
	memmove(delay->edge, &delay->edge[done], (delay->edge_count - done) * sizeof(*delay->edge));
	delay->edge_count -= done;
}

/* Returns how many are done, from `at` on: those of calls before `time_ns`. */
static size_t asked_apply(const struct step_delay *delay, size_t at, uint64_t time_ns)
{
	for (; at < delay->asked_count && delay->asked[at].time_ns < time_ns; at++) {
		const struct step_asked *asked = &delay->asked[at];

		steps_asked(delay->steps, asked->process, asked->time_ns, asked->phase,
			    asked->duration_ns);
	}
	return at;
}

static void asked_compact(struct step_delay *delay, size_t done)
{
	if (!done)
		return;
	memmove(delay->asked, &delay->asked[done],
		(delay->asked_count - done) * sizeof(*delay->asked));
	delay->asked_count -= done;
}

/* The event of a call comes at its end, so an operation waits from the time that it has. */
void step_delay_flush(struct step_delay *delay, uint64_t upto_ns)
{
	size_t edge = 0, asked = 0;

	if (!delay->waits ||
	    (delay->first == delay->count && !delay->edge_count && !delay->asked_count))
		return;
	/* those that have waited longer are sorted already */
	time_order_sort(delay->edge, delay->edge_count, sizeof(*delay->edge));
	time_order_sort(delay->asked, delay->asked_count, sizeof(*delay->asked));
	while (delay->first < delay->count) {
		uint64_t time_ns = delay->held[delay->first].place.time_ns;

		if (upto_ns != UINT64_MAX && time_ns > upto_ns)
			break;
		while (edge < delay->edge_count && delay->edge[edge].time_ns <= time_ns)
			edge_apply(delay->steps, &delay->edge[edge++]);
		asked = asked_apply(delay, asked, time_ns);
		held_apply(delay);
	}
	while (edge < delay->edge_count && delay->edge[edge].time_ns <= upto_ns)
		edge_apply(delay->steps, &delay->edge[edge++]);
	asked = asked_apply(delay, asked, upto_ns);
	if (upto_ns > delay->done_ns)
		delay->done_ns = upto_ns;
	edges_compact(delay, edge);
	asked_compact(delay, asked);
	ops_compact(delay);
}
