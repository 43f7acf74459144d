/* SPDX-License-Identifier: MIT */
/*
 * What stands on streams at a moment: scopes that are open, the task that runs, the last reading of
 * the thread's clock, and what holds (HOLDS of events.def). A segment of the file repeats it.
 * Follows begins and ends as the report does (report/scopes/nest.h), but knows nothing of time. One
 * thread.
 *
 * Bounded: STANDING_MAX entries of a stream, and as many that belong to no stream. Scopes beyond
 * that are not repeated.
 */
#ifndef COLLECTOR_DRAIN_STANDING_H
#define COLLECTOR_DRAIN_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/names.h"
#include "collector/format/block.h"

#define STANDING_MAX 4096u

struct standing_list {
	struct standing_entry {
		uint64_t time_ns;
		uint32_t stream, process;
		uint32_t id;
		uint64_t value[EVT_FIELDS_MAX];
		uint64_t task[3]; /* fields of the python_task in which it began */
	} * entry;
	uint32_t count, room;
	bool is_partial; /* something had no room */
};

/* Zeroed memory is an empty one. */
struct standing {
	struct standing_list list; /* of one stream */
	uint64_t task[3];          /* of the last python_task */
	uint64_t task_ns;
	uint64_t beyond;                 /* open scopes without room */
	uint64_t clock_ns, clock_cpu_ns; /* the last thread_clock; clock_ns 0: none */
	/*
	 * The last operator that told torch's number of the thread and has ended: time and fields
	 * of its torch_begin_ex. end_ns 0: none.
	 */
	struct {
		uint64_t begin_ns, end_ns, value[EVT_FIELDS_MAX];
	} numbered;
	/* for the code that keeps one a ring: whose it is, and up to which cut */
	uint32_t stream, stops;
	uint64_t dropped;
};

/* Returns whether the event changes what stands. */
static inline bool standing_is_about(uint32_t id)
{
	const struct evt_role *role = evt_role_of(id);

	return role->opens || role->closes || role->holds || id == EVT_python_task ||
	       id == EVT_thread_clock;
}

/* `shared`: what belongs to processes, or ends on whatever thread. */
struct standing_event {
	uint32_t stream, process, id;
	uint64_t time_ns;
	const uint64_t *value;
};
void standing_take(struct standing *standing, struct standing_list *shared,
		   const struct standing_event *event);

/* Ends are missing: what is open on the stream is not known any more. */
void standing_cut(struct standing *standing);
/* A process has ended, or its recording has stopped. */
void standing_drop_process(struct standing_list *shared, uint32_t process);
void standing_release(struct standing *standing);
void standing_list_release(struct standing_list *list);

/* Puts the names into the open block of stream 0. Returns false if there is no room. */
bool standing_write_names(const struct standing_list *list, struct names *names,
			  struct frame_writer *fw);
bool standing_write_own_names(const struct standing *standing, struct names *names,
			      struct frame_writer *fw);
/*
 * Puts what stands into a block of the stream: its own entries, and those of `shared` that began on
 * it.
 */
bool standing_write(const struct standing *standing, const struct standing_list *shared,
		    uint32_t stream, struct frame_writer *fw);

#endif
