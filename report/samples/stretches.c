/* SPDX-License-Identifier: MIT */
/* Keeps one open stretch for each thread; a sample extends it, or ends it and begins the next. */
#include "report/samples/stretches.h"

#include <stdlib.h>

#include "report/base/memory.h"

struct stretches {
	struct stretches_options options;
	struct seen_thread {
		struct stretch open; /* looks 0: none */
		uint64_t last_ns;    /* of its last sample; 0: none */
	} * thread;
	size_t thread_room;
};

const char *stretch_state_text(enum evt_python_state state)
{
	static const char *const texts[EVT_PYTHON_STATE_LIMIT] = {
		[EVT_PYTHON_RUNS] = "runs",
		[EVT_PYTHON_GIL] = "waits for the GIL",
		[EVT_PYTHON_LOCK] = "waits for a lock or a thread",
		[EVT_PYTHON_IO] = "waits for input or output",
		[EVT_PYTHON_SLEEP] = "sleeps",
		[EVT_PYTHON_CHILD] = "waits for a child process",
		[EVT_PYTHON_WAITS] = "waits",
		[EVT_PYTHON_READY] = "waits for a CPU",
		[EVT_PYTHON_TORN] = "stack could not be read",
		[EVT_PYTHON_STOPPED] = "is stopped",
	};

	return state < EVT_PYTHON_STATE_LIMIT ? texts[state] : texts[EVT_PYTHON_WAITS];
}

static void stretches_flush(struct stretches *stretches, struct seen_thread *thread)
{
	if (thread->open.looks)
		stretches->options.take(stretches->options.context, &thread->open);
	thread->open.looks = 0;
}

static uint64_t begin_of(const struct seen_thread *thread, uint64_t time_ns)
{
	bool is_near = thread->last_ns && time_ns >= thread->last_ns &&
		       time_ns - thread->last_ns <= SAMPLE_WAIT_MAX_NS;

	return is_near ? thread->last_ns : time_ns;
}

static bool goes_on(const struct stretch *open, const struct stretch *next)
{
	return open->looks && open->place == next->place && open->state == next->state &&
	       open->to_ns == next->from_ns;
}

static void stretches_take_sample(void *state, const struct source_event *event, bool counts)
{
	struct stretches *stretches = state;
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct seen_thread *thread;
	struct stretch next = { .thread = event->thread,
				.process = event->process,
				.place = sample_place_key(event, sample->place),
				.state = EVT_PYTHON_WAITS,
				.to_ns = event->event.time_ns,
				.looks = sample->looks };

	if (sample->state < EVT_PYTHON_STATE_LIMIT)
		next.state = (enum evt_python_state)sample->state;
	if (next.state == EVT_PYTHON_TORN)
		next.place = SAMPLE_TORN_PLACE;
	stretches->thread = memory_room(stretches->thread, event->thread->index,
					&stretches->thread_room, sizeof(*stretches->thread));
	thread = &stretches->thread[event->thread->index];
	next.from_ns = begin_of(thread, next.to_ns);
	thread->last_ns = next.to_ns;
	if (next.looks && counts && goes_on(&thread->open, &next)) {
		thread->open.to_ns = next.to_ns;
		thread->open.looks += next.looks;
		return;
	}
	stretches_flush(stretches, thread);
	if (next.looks && counts)
		thread->open = next;
	if (stretches->options.is_each_look)
		stretches_flush(stretches, thread);
}

static void stretches_start(void *state, struct run *run, const void *options)
{
	struct stretches *stretches = state;

	stretches->options = *(const struct stretches_options *)options;
	run_reads(run, EVT_python_sample,
		  FIELD_BIT(python_sample, place) | FIELD_BIT(python_sample, state) |
			  FIELD_BIT(python_sample, looks),
		  stretches_take_sample, stretches);
	run_seeks(run, state);
}

static void stretches_finish(void *state)
{
	struct stretches *stretches = state;

	for (size_t i = 0; i < stretches->thread_room; i++)
		stretches_flush(stretches, &stretches->thread[i]);
}

static void stretches_release(void *state)
{
	free(((struct stretches *)state)->thread);
}

const struct analysis_kind analysis_stretches = {
	.name = "stretches",
	.state_bytes = sizeof(struct stretches),
	.options_bytes = sizeof(struct stretches_options),
	.start = stretches_start,
	.finish = stretches_finish,
	.release = stretches_release,
};
