/* SPDX-License-Identifier: MIT */
/*
 * One table of events: the kind of call and the word of its duration. Calls that only CUPTI has
 * seen are classified by their function's name.
 */
#include "report/idle/idle_calls.h"

#include <string.h>

#define WORD(event, field) (offsetof(struct evt_##event, field) / sizeof(uint64_t))
#define CUDA(event, kind)                                         \
	{                                                         \
		EVT_##event, kind, WORD(event, duration_ns), true \
	}
#define IO(event)                                                  \
	{                                                          \
		EVT_##event, IDLE_IO, WORD(event, duration), false \
	}

static const struct idle_call {
	enum evt_id id;
	enum idle_kind kind;
	size_t duration; /* index of the word */
	bool has_flags;
} calls[] = {
	CUDA(cuda_call, IDLE_CUDA),
	CUDA(cuda_launch, IDLE_CUDA_LAUNCH),
	CUDA(cuda_copy, IDLE_CUDA_COPY),
	CUDA(cuda_alloc, IDLE_CUDA_MEMORY),
	CUDA(cuda_free, IDLE_CUDA_MEMORY),
	CUDA(cuda_unfinished, IDLE_CUDA),
	{ EVT_gpu_call, IDLE_CUDA, WORD(gpu_call, duration_ns), false },
	IO(io_open),
	IO(io_close),
	IO(io_read),
	IO(io_write),
	IO(io_read_at),
	IO(io_write_at),
	IO(io_move),
	IO(io_call),
	IO(io_seek),
	IO(io_failed),
	IO(io_map),
	IO(io_unmap),
	IO(io_wait),
	IO(io_unfinished),
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static const struct idle_call *idle_calls_call_of(uint32_t id)
{
	size_t at = 0;

	while (at < CALLS - 1 && (uint32_t)calls[at].id != id)
		at++;
	return &calls[at];
}

void idle_calls_read(struct run *run, analysis_take *take, void *state)
{
	for (size_t i = 0; i < CALLS; i++)
		run_reads(run, calls[i].id, FIELDS_ALL, take, state);
}

static bool idle_calls_has_part(const struct source_name *name, const char *part)
{
	size_t length;
	const char *text = name_text(name, &length);

	return memmem(text, length, part, strlen(part)) != NULL;
}

enum idle_kind idle_call_kind(uint32_t id, const struct source_name *function)
{
	if (id != EVT_gpu_call)
		return idle_calls_call_of(id)->kind;
	if (idle_calls_has_part(function, "Launch"))
		return IDLE_CUDA_LAUNCH;
	return idle_calls_has_part(function, "Memcpy") || idle_calls_has_part(function, "Memset")
		       ? IDLE_CUDA_COPY
		       : IDLE_CUDA;
}

uint64_t idle_call_duration_ns(const struct event *event)
{
	return event->value[idle_calls_call_of(event->id)->duration];
}

bool idle_call_is_nested(const struct event *event)
{
	return idle_calls_call_of(event->id)->has_flags && event_is_nested_call(event);
}
