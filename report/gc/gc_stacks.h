/* SPDX-License-Identifier: MIT */
/*
 * Stacks of Python in which full collections began (event gc_frame), each kept once, and the line in them that is the user's own
 * (core/own.h). A recording that has no frames tells the innermost line only: a stack of one frame.
 *
 * Memory grows with stacks, at most GC_STACKS_MAX, and with threads. One thread.
 */
#ifndef REPORT_GC_GC_STACKS_H
#define REPORT_GC_GC_STACKS_H

#include "report/base/map.h"
#include "report/core/analysis.h"
#include "report/core/own.h"

#define GC_STACKS_MAX 65536u
#define GC_STACK_FRAMES 64u
#define GC_STACK_NONE 0u

struct gc_frame {
	uint32_t file, function; /* indices of names; a function of 0: not known */
	uint32_t line;
};

struct gc_stacks {
	struct gc_stack {
		size_t first;
		uint32_t count;
	} * stack; /* by number; 0 is none */
	size_t count, room;
	struct gc_frame *frame;
	size_t frame_count, frame_room;
	struct map known;
	struct gc_pending {
		struct gc_frame frame[GC_STACK_FRAMES];
		uint32_t count;
	} * pending; /* by thread */
	size_t pending_room;
};

void gc_stacks_init(struct gc_stacks *stacks);
void gc_stacks_release(struct gc_stacks *stacks);

/* An event gc_frame. */
void gc_stacks_add(struct gc_stacks *stacks, struct source *source,
		   const struct source_event *event);
/* The stack of an event gc_begin; GC_STACK_NONE: none is known. */
uint32_t gc_stacks_take(struct gc_stacks *stacks, struct source *source,
			const struct source_event *event);
/* The thread's events were lost. */
void gc_stacks_forget(struct gc_stacks *stacks, uint32_t thread);

/*
 * The innermost frame that is the user's own, else the innermost of all; NULL: none is known. *ret_caller: the next own one outwards at
 * another line, or NULL. `own` NULL: the innermost.
 */
const struct gc_frame *gc_stack_place(const struct gc_stacks *stacks, struct own *own,
				      uint32_t stack, const struct gc_frame **ret_caller);
/* That frame is the user's. */
bool gc_frame_is_users(struct own *own, const struct gc_frame *frame);
/* Where stacks begin: the scripts, for recordings without folders. */
void gc_stacks_note_scripts(const struct gc_stacks *stacks, const struct source *source,
			    struct own *own);

#endif
