/* SPDX-License-Identifier: MIT */
/*
 * The Python stacks in which full collections began (event gc_frame), each kept once, and the line
 * in them that is the user's own (core/own.h). A recording without frames only has the innermost
 * line, which is a stack of one frame.
 *
 * Memory grows with stacks, at most GC_STACKS_MAX, and with threads. To be used by one thread.
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
	uint32_t file, function; /* indices of names; function 0: not known */
	uint32_t line;
};

struct gc_stacks {
	struct gc_stack {
		size_t first;
		uint32_t count;
	} * stack; /* by number; 0 is no stack */
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

/* Takes an event gc_frame. */
void gc_stacks_add(struct gc_stacks *stacks, struct source *source,
		   const struct source_event *event);
/* Returns the stack of an event gc_begin; GC_STACK_NONE: not known. */
uint32_t gc_stacks_take(struct gc_stacks *stacks, struct source *source,
			const struct source_event *event);
/* Events of the thread were lost. */
void gc_stacks_forget(struct gc_stacks *stacks, uint32_t thread);

/*
 * Returns the innermost frame that is the user's own, otherwise the innermost of all; NULL: no
 * frame is known. *ret_caller: the next own frame outwards at another line, or NULL. `own` NULL:
 * returns the innermost frame.
 */
const struct gc_frame *gc_stack_place(const struct gc_stacks *stacks, struct own *own,
				      uint32_t stack, const struct gc_frame **ret_caller);
/* Returns whether the frame is the user's. */
bool gc_frame_is_users(struct own *own, const struct gc_frame *frame);
/* Notes the scripts where stacks begin, for recordings that do not name the program's folders. */
void gc_stacks_note_scripts(const struct gc_stacks *stacks, const struct source *source,
			    struct own *own);

#endif
