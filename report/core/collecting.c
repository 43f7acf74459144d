/* SPDX-License-Identifier: MIT */
/* A second begin without an end replaces the first one: the events between them were lost. */
#include "report/core/collecting.h"

#include <stdlib.h>

#include "report/base/memory.h"

static struct collecting_thread *collecting_thread_at(struct collecting *collecting,
						      uint32_t thread)
{
	collecting->thread = memory_room(collecting->thread, thread, &collecting->room,
					 sizeof(*collecting->thread));
	return &collecting->thread[thread];
}

void collecting_begin(struct collecting *collecting, const struct source_event *event, bool counts)
{
	*collecting_thread_at(collecting, event->thread->index) = (struct collecting_thread){
		.is_open = true, .counts = counts, .since_ns = event->event.time_ns
	};
}

bool collecting_end(struct collecting *collecting, const struct source_event *event,
		    struct collected *ret_collected)
{
	struct collecting_thread *thread = collecting_thread_at(collecting, event->thread->index);

	if (!thread->is_open)
		return false;
	thread->is_open = false;
	*ret_collected = (struct collected){ .duration_ns = event->event.time_ns - thread->since_ns,
					     .counts = thread->counts };
	return true;
}

bool collecting_cut(struct collecting *collecting, uint32_t thread)
{
	struct collecting_thread *at = collecting_thread_at(collecting, thread);
	bool was_open = at->is_open && at->counts;

	at->is_open = false;
	return was_open;
}

void collecting_release(struct collecting *collecting)
{
	free(collecting->thread);
}
