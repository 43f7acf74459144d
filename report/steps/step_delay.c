/* SPDX-License-Identifier: MIT */
/* What happened on the host waits for what happened on the GPU: see step_delay.h. */
#include "report/steps/step_delay.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

void step_delay_init(struct step_delay *delay, struct steps *steps)
{
	*delay = (struct step_delay){ .steps = steps };
}

void step_delay_release(struct step_delay *delay)
{
	free(delay->op);
	free(delay->edge);
}

void step_delay_begin(struct step_delay *delay)
{
	delay->waits = true;
}

static void op_apply(struct steps *steps, struct step_op *op)
{
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
	case STEP_OP_SPAN:
		steps_span(steps, op->place, op->category, op->ns);
		return;
	case STEP_OP_IO:
		steps_io(steps, op->place.thread, op->ns);
		return;
	case STEP_OP_CLOCK:
		steps_clock(steps, op->place, op->ns);
		return;
	case STEP_OP_MARK:
		if (!op->is_numbered)
			op->mark.number = steps_next_number(steps, op->place.process);
		steps_mark(steps, op->place, &op->mark);
		return;
	case STEP_OP_INTERRUPT:
		steps_interrupt(steps, op->place);
		return;
	}
}

void step_delay_put(struct step_delay *delay, const struct step_op *op)
{
	struct step_op now = *op;

	if (!delay->waits) {
		op_apply(delay->steps, &now);
		return;
	}
	delay->op = memory_room(delay->op, delay->count, &delay->room, sizeof(*delay->op));
	delay->op[delay->count++] = now;
}

/* --- the device --- */

static void edge_put(struct step_delay *delay, const struct late_work *work,
		     enum step_category category, uint64_t time_ns, bool begins)
{
	delay->edge = memory_room(delay->edge, delay->edge_count, &delay->edge_room,
				  sizeof(*delay->edge));
	delay->edge[delay->edge_count++] = (struct step_edge){ time_ns, work->process, category,
							       begins };
}

static enum step_category category_of(const struct late_work *work)
{
	if (work->kind == LATE_KERNEL)
		return work->is_communication ? STEP_communication : STEP_kernel;
	return work->kind == LATE_COPY ? STEP_memcpy : STEP_memset;
}

void step_delay_put_work(struct step_delay *delay, const struct late_work *work)
{
	uint64_t start_ns = work->start_ns, end_ns = late_end_ns(work);

	step_delay_begin(delay);
	if (!late_is_on_device(work) || end_ns < start_ns)
		return;
	if (start_ns < delay->done_ns) {
		delay->steps->gpu_late++;
		start_ns = delay->done_ns;
	}
	if (end_ns <= start_ns)
		return;
	edge_put(delay, work, category_of(work), start_ns, true);
	edge_put(delay, work, category_of(work), end_ns, false);
}

static int edge_compare(const void *a, const void *b)
{
	const struct step_edge *left = a, *right = b;

	return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* --- both, in order --- */

static void edge_apply(struct steps *steps, const struct step_edge *edge)
{
	steps_device(steps, edge->process, edge->time_ns, edge->category, edge->begins);
}

static void ops_compact(struct step_delay *delay)
{
	if (!delay->first || delay->first * 2 < delay->count)
		return;
	memmove(delay->op, &delay->op[delay->first],
		(delay->count - delay->first) * sizeof(*delay->op));
	delay->count -= delay->first;
	delay->first = 0;
}

static void edges_compact(struct step_delay *delay, size_t done)
{
	if (!done)
		return;
	memmove(delay->edge, &delay->edge[done], (delay->edge_count - done) * sizeof(*delay->edge));
	delay->edge_count -= done;
}

/* A call's event comes at its end, and so an operation is as late as its time. */
void step_delay_flush(struct step_delay *delay, uint64_t upto_ns)
{
	size_t edge = 0;

	if (!delay->waits || (delay->first == delay->count && !delay->edge_count))
		return;
	if (delay->edge_count)
		qsort(delay->edge, delay->edge_count, sizeof(*delay->edge), edge_compare);
	for (; delay->first < delay->count; delay->first++) {
		struct step_op *op = &delay->op[delay->first];

		if (upto_ns != UINT64_MAX && op->place.time_ns > upto_ns)
			break;
		while (edge < delay->edge_count && delay->edge[edge].time_ns <= op->place.time_ns)
			edge_apply(delay->steps, &delay->edge[edge++]);
		op_apply(delay->steps, op);
	}
	while (edge < delay->edge_count && delay->edge[edge].time_ns <= upto_ns)
		edge_apply(delay->steps, &delay->edge[edge++]);
	if (upto_ns > delay->done_ns)
		delay->done_ns = upto_ns;
	edges_compact(delay, edge);
	ops_compact(delay);
}
