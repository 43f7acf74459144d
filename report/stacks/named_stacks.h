/* SPDX-License-Identifier: MIT */
/*
 * Stacks with names: what stack number N of a process was at a time, as functions and lines of the source. Frames that are
 * the same place in the code are one, whatever process had them and wherever their module lay; equal stacks are one number.
 * Inlined functions are frames of their own. What nobody wants to see is folded away (folding.def) unless `is_raw`.
 *
 * Once all is read: what an address means is known only when all modules are. Each address is looked up once. Texts
 * and frames live as long as the named stacks; pointers to frames are valid until the next named_stack_of(). No recursion:
 * a stack may have any depth. Memory grows with distinct frames and stacks. One thread.
 */
#ifndef REPORT_STACKS_NAMED_STACKS_H
#define REPORT_STACKS_NAMED_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/core/own.h"
#include "report/session/source.h"
#include "report/session/stacks.h"
#include "report/stacks/node_table.h"
#include "report/symbols/symbols.h"
#include "report/table/table.h"

#define NAMED_NONE 0u /* no stack, no frame: above the outermost */
#define NAMED_OWN "[recording by intercept]"

struct named_frame {
	const char *name; /* never NULL: the function, or module+offset, or the address */
	const char *function, *file, *module; /* NULL: unknown */
	const char *exact; /* the function's whole name; NULL: `name` is all of it */
	uint32_t line;     /* 0: unknown */
	uint64_t offset;   /* in the module as it is linked; the address where that is unknown */
	bool is_many;      /* calls of one line: `offset` is that of the first of them only */
	bool folds_inner, folds_outer, folds_python;
	bool is_python;
	bool is_own;         /* of the recorder: NAMED_OWN, whichever of its functions it is */
	bool is_constructor; /* a native one, which works for its caller */
	bool is_users;       /* the user's own code, where named_stacks.own decides it */
	bool is_wrapper;     /* of an allocator, of the user's code: heap/alloc_wrappers.h */
};

struct named_ends;  /* when modules of a process went away */
struct named_epoch; /* a process while an address means one thing, and its stacks that are known */
struct named_call;  /* the frames that an address is */
struct call_frame;

struct named_stacks {
	struct source *source;
	struct symbols symbols;
	bool is_raw; /* nothing is folded */
	/* Of where code ran: nothing is folded on the inside, as time in malloc() is its own; code of no file is one function, and so is the recorder. */
	bool of_samples;
	bool for_people; /* names without parameters */
	struct own *own; /* decides whose code frames are; NULL: nobody asks. Borrowed */
	/* a stack with more than one frame was seen, one that was cut, or one that ends at its caller on purpose */
	bool is_deep;
	struct map frames;         /* identity to frame */
	struct map shown;          /* hash of a name to the function that has it; NAMED_MANY */
	struct named_frame *frame; /* [0] is none */
	size_t frame_count, frame_room;
	struct node_table nodes;         /* of frames: the stacks */
	struct map epochs, calls, folds; /* folds: of a name, by its address */
	struct named_epoch *epoch;
	size_t epoch_count, epoch_room;
	struct named_call *call;
	size_t call_count, call_room;
	struct call_frame *call_frame; /* of all calls */
	size_t call_frame_count, call_frame_room;
	struct named_ends *ends; /* by process */
	size_t ends_room;
	uint32_t *outer; /* frames outside of Python, while they are folded */
	size_t outer_room;
	uint32_t *path; /* while a stack is looked up */
	size_t path_room;
	struct text_store texts;
};

/* Functions whose names differ are two, however short they are shown: of them it is the same. */
static inline uint64_t named_function(const struct named_frame *frame)
{
	return symbols_hash(frame->exact ? frame->exact : frame->name);
}

#define NAMED_MANY UINT64_MAX

/* The frame's name, which is the function's whole one where a shorter one would be that of another function, too. */
const char *named_shown(const struct named_stacks *names, const struct named_frame *frame);

/* `form` as in symbols.h. `source` is read to its end before the first named_stack_of(). */
void named_stacks_init(struct named_stacks *names, struct source *source, enum symbol_form form);
void named_stacks_release(struct named_stacks *names);

/* The named stack; that of STACK_NONE is one frame, "(unknown)". Never NAMED_NONE. */
uint32_t named_stack_of(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, uint64_t time_ns);

/*
 * The frame that is innermost in named_stack_of(), where that is known without the names of those that called it; else 0, and
 * named_stack_of() has to be asked. Names what is innermost only.
 */
uint32_t named_innermost(struct named_stacks *names, const struct source_process *process,
			 uint32_t stack, uint64_t time_ns);

/* One that is made here: `frame` called from the named stack `parent`, NAMED_NONE: from nowhere. Its texts are borrowed. */
uint32_t named_stack_put(struct named_stacks *names, uint32_t parent,
			 const struct named_frame *frame);

static inline const struct named_frame *named_frame_of(const struct named_stacks *names,
						       uint32_t stack)
{
	return &names->frame[names->nodes.node[stack].frame];
}

static inline uint32_t named_parent(const struct named_stacks *names, uint32_t stack)
{
	return names->nodes.node[stack].parent;
}

/*
 * "main;train;alloc": outermost first. A ; in a name becomes a :, control characters are escaped, and at most NAMED_TEXT_MAX
 * bytes come of it: what does not fit is left out of the middle. In memory of `texts`.
 */
#define NAMED_TEXT_MAX 8192u
#define NAMED_TEXT_FRAME_MAX 512u /* bytes of one name */
const char *named_stack_text(const struct named_stacks *names, uint32_t stack,
			     struct text_store *texts);
/* A name as it may stand in such a text; returns its length. */
size_t named_frame_text(char shown[NAMED_TEXT_FRAME_MAX], const char *name);

/* The innermost frame of Python of the stack; NULL: it has none. */
const struct named_frame *named_stack_python(const struct named_stacks *names, uint32_t stack);

/*
 * The innermost part of the stack that is the user's own code, and neither an allocator's wrapper nor a constructor that
 * other code of the user's called; NAMED_NONE: none is.
 */
uint32_t named_stack_users(const struct named_stacks *names, uint32_t stack);

/* The stack without allocators' wrappers at its inner end; all of it if nothing else is in it. */
uint32_t named_stack_unwrapped(const struct named_stacks *names, uint32_t stack);

/* FILE:LINE, NULL where it is not known. */
const char *named_frame_line(const struct named_frame *frame, struct text_store *texts);

/* For table.h: the frames of a stack, innermost first, at most `room`; returns how many there are. */
size_t named_stack_frames(struct named_stacks *names, uint32_t stack, struct table_frame *frame,
			  size_t room);

/* Whether any function of the stack contains the text. */
bool named_stack_has(const struct named_stacks *names, uint32_t stack, const char *part);

#endif
