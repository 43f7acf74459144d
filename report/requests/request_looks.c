/* SPDX-License-Identifier: MIT */
/* Looks are counted by arithmetic: an idle thread has one sample for thousands of them. */
#include "report/requests/request_looks.h"

#include <stdlib.h>

#include "collector/format/calls.h"
#include "report/base/memory.h"

static struct looked_thread *looked_thread_at(struct request_looks *looks, uint32_t thread)
{
	looks->thread = memory_room(looks->thread, thread, &looks->room, sizeof(*looks->thread));
	return &looks->thread[thread];
}

/* `call`: number of the system call plus 1, as in the event. */
static enum look_of look_of_state(uint64_t state, uint64_t call)
{
	switch (state) {
	case EVT_PYTHON_RUNS:
	case EVT_PYTHON_READY:
		return LOOK_RUNS;
	case EVT_PYTHON_GIL:
		return LOOK_GIL;
	case EVT_PYTHON_LOCK:
		return LOOK_LOCK;
	case EVT_PYTHON_SLEEP:
		return LOOK_SLEEP;
	case EVT_PYTHON_IO:
		return call == CALL_epoll_wait + 1 || call == CALL_epoll_pwait + 1 ||
				       call == CALL_select + 1 || call == CALL_pselect6 + 1
			       ? LOOK_AWAITS
			       : LOOK_IO;
	default:
		return LOOK_OTHER;
	}
}

bool request_looks_read(struct request_looks *looks, const struct source_event *event,
			struct look_event *ret_look)
{
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct looked_thread *thread = looked_thread_at(looks, event->thread->index);
	uint64_t before_ns = thread->look_ns, now_ns = event->event.time_ns;

	thread->look_ns = now_ns;
	if (!before_ns || now_ns <= before_ns || !sample->looks || sample->unclear)
		return false;
	*ret_look = (struct look_event){ .of = look_of_state(sample->state, sample->call),
					 .time_ns = now_ns,
					 .step_ns = (now_ns - before_ns) / sample->looks,
					 .looks = sample->looks };
	return ret_look->step_ns && ret_look->step_ns < LOOK_APART_NS;
}

/* Look k, from the last one backwards, was at time_ns - k * step_ns. */
uint64_t look_event_within(const struct look_event *look, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first, last;

	if (from_ns >= look->time_ns || to_ns <= from_ns)
		return 0;
	first = to_ns < look->time_ns ? (look->time_ns - to_ns + look->step_ns - 1) / look->step_ns
				      : 0;
	last = (look->time_ns - from_ns - 1) / look->step_ns;
	if (last >= look->looks)
		last = look->looks - 1;
	return first <= last ? last - first + 1 : 0;
}

void request_looks_add(struct request_looks *looks, uint32_t thread, const struct look_event *look)
{
	struct looked_thread *kept = looked_thread_at(looks, thread);

	if (!kept->ring)
		kept->ring = memory_zero(LOOKS_RING, sizeof(*kept->ring));
	kept->ring[kept->taken++ % LOOKS_RING] = *look;
}

void request_looks_wait(struct request_looks *looks, uint32_t thread, struct look_wait wait)
{
	struct looked_thread *kept = looked_thread_at(looks, thread);

	if (!kept->wait)
		kept->wait = memory_zero(LOOKS_WAITS, sizeof(*kept->wait));
	kept->wait[kept->waits++ % LOOKS_WAITS] = wait;
}

void request_looks_keep(struct request_looks *looks, uint32_t thread,
			const struct request_span *span)
{
	struct looked_thread *kept = looked_thread_at(looks, thread);

	if (!kept->look_ns || kept->count == LOOKS_KEPT)
		return;
	kept->span = memory_room(kept->span, kept->count, &kept->room, sizeof(*kept->span));
	kept->span[kept->count++] = *span;
}

/* How many of the sample's looks within the request were within waits for the GPU. */
static uint64_t looks_in_waits(const struct looked_thread *thread, const struct look_event *look,
			       const struct request_span *span)
{
	uint64_t oldest = thread->waits > LOOKS_WAITS ? thread->waits - LOOKS_WAITS : 0, looks = 0;

	for (uint64_t at = thread->waits; at > oldest; at--) {
		struct look_wait wait = thread->wait[(at - 1) % LOOKS_WAITS];

		if (wait.to_ns <= span->from_ns)
			break;
		wait.from_ns = wait.from_ns > span->from_ns ? wait.from_ns : span->from_ns;
		wait.to_ns = wait.to_ns < span->to_ns ? wait.to_ns : span->to_ns;
		looks += look_event_within(look, wait.from_ns, wait.to_ns);
	}
	return looks;
}

static void looks_count(const struct looked_thread *thread, const struct request_span *span,
			struct look_counts *counts)
{
	uint64_t oldest = thread->taken > LOOKS_RING ? thread->taken - LOOKS_RING : 0;

	for (uint64_t at = thread->taken; at > oldest; at--) {
		const struct look_event *look = &thread->ring[(at - 1) % LOOKS_RING];
		uint64_t looks = look_event_within(look, span->from_ns, span->to_ns);
		uint64_t waits = looks ? looks_in_waits(thread, look, span) : 0;

		counts->at[look->of] += looks - waits;
		counts->at[look->of == LOOK_RUNS ? LOOK_GPU_SPINS : LOOK_GPU] += waits;
		if (look->time_ns <= span->from_ns)
			break;
	}
}

void request_looks_settle(struct request_looks *looks, uint32_t thread, request_looks_take *take,
			  void *state)
{
	struct looked_thread *kept = looked_thread_at(looks, thread);

	for (size_t i = 0; i < kept->count; i++) {
		struct look_counts counts = { { 0 } };

		looks_count(kept, &kept->span[i], &counts);
		take(state, &kept->span[i], &counts);
	}
	kept->count = 0;
}

void request_looks_release(struct request_looks *looks)
{
	for (size_t i = 0; i < looks->room; i++) {
		free(looks->thread[i].span);
		free(looks->thread[i].ring);
		free(looks->thread[i].wait);
	}
	free(looks->thread);
}
