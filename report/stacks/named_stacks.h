/* SPDX-License-Identifier: MIT */
/*
 * Stacks with names: stack number N of a process at a time, as functions and lines of the source.
 * Frames at the same place in the code are one frame, whichever process had them and wherever their
 * module was loaded; equal stacks have one number. Inlined functions are frames of their own.
 * Frames that nobody wants to see are folded away (folding.def) unless `is_raw`.
 *
 * Use it when everything is read: the meaning of an address is known only when all modules are.
 * Each address is looked up once. Texts and frames live as long as the named stacks; pointers to
 * frames are valid until the next named_stack_of(). No recursion: a stack may have any depth.
 * Memory grows with distinct frames and stacks. One thread.
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

#define NAMED_NONE 0u /* no stack, or no frame: above the outermost */
#define NAMED_OWN "[recording by intercept]"

struct named_frame {
	const char *name; /* never NULL: the function, or module+offset, or the address */
	const char *function, *file, *module; /* NULL: unknown */
	const char *exact; /* the function's full name; NULL: `name` is the full name */
	uint32_t line;     /* 0: unknown */
	uint64_t offset;   /* link address in the module; if that is unknown, the address itself */
	bool is_many;      /* several calls of one line: `offset` is only that of the first */
	bool folds_inner, folds_outer, folds_python;
	bool is_python;
	bool begins_process; /* a child of multiprocessing begins there: own_begins_process() */
	bool is_own;         /* of the recorder: NAMED_OWN, whichever function it is */
	bool is_constructor; /* native frames only: a constructor, which works for its caller */
	bool is_users;       /* the user's own code, if named_stacks.own decides that */
	bool is_wrapper;     /* the user's own wrapper of an allocator: heap/alloc_wrappers.h */
};

struct named_ends; /* times at which modules of a process were unloaded */
/* a process in a time in which addresses keep their meaning, and its known stacks */
struct named_epoch;
struct named_call; /* the frames of an address */
struct call_frame;

struct named_stacks {
	struct source *source;
	struct symbols symbols;
	bool is_raw; /* nothing is folded */
	/*
	 * For samples of running code: no innermost frames are folded, because time in malloc() is
	 * its own. All code outside of files is one function, and so is the recorder.
	 */
	bool of_samples;
	bool for_people; /* names without parameters */
	struct own *own; /* decides whose code frames are; NULL: not wanted. Borrowed */
	/*
	 * a stack was seen with more than one frame, or one that was cut, or one that ends at its
	 * caller on purpose
	 */
	bool is_deep;
	struct map frames;         /* from identity to frame */
	struct map shown;          /* from a name's hash to the function that has it; NAMED_MANY */
	struct named_frame *frame; /* [0] is no frame */
	size_t frame_count, frame_room;
	struct node_table nodes;         /* of frames: the stacks */
	struct map epochs, calls, folds; /* folds: for a name, by its address */
	struct named_epoch *epoch;
	size_t epoch_count, epoch_room;
	struct named_call *call;
	size_t call_count, call_room;
	struct call_frame *call_frame; /* for all calls */
	size_t call_frame_count, call_frame_room;
	struct named_ends *ends; /* by process */
	size_t ends_room;
	uint32_t *outer; /* frames outside of Python, while they are folded */
	size_t outer_room;
	uint32_t *path; /* used while a stack is looked up */
	size_t path_room;
	struct text_store texts;
};

/*
 * Equal for frames of the same function. Functions with different full names differ, however short
 * the names are shown.
 */
static inline uint64_t named_function(const struct named_frame *frame)
{
	return symbols_hash(frame->exact ? frame->exact : frame->name);
}

#define NAMED_MANY UINT64_MAX

/*
 * Returns the frame's name: the full name if a shorter one would also be that of another function.
 */
const char *named_shown(const struct named_stacks *names, const struct named_frame *frame);

/* `form` as in symbols.h. `source` must be read to its end before the first named_stack_of(). */
void named_stacks_init(struct named_stacks *names, struct source *source, enum symbol_form form);
void named_stacks_release(struct named_stacks *names);

/* Returns the named stack; for STACK_NONE it is one frame, "(unknown)". Never NAMED_NONE. */
uint32_t named_stack_of(struct named_stacks *names, const struct source_process *process,
			uint32_t stack, uint64_t time_ns);

/*
 * Makes a stack: `frame` called from the named stack `parent`; NAMED_NONE: no caller. Its texts are
 * borrowed.
 */
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
 * "main;train;alloc": outermost first. A ; in a name becomes a :, and control characters are
 * escaped. If the text would be longer than NAMED_TEXT_MAX bytes, its middle is left out. In memory
 * of `texts`.
 */
#define NAMED_TEXT_MAX 8192u
#define NAMED_TEXT_FRAME_MAX 512u /* bytes per name */
const char *named_stack_text(const struct named_stacks *names, uint32_t stack,
			     struct text_store *texts);
/* Writes a name in the form for such a text; returns its length. */
size_t named_frame_text(char shown[NAMED_TEXT_FRAME_MAX], const char *name);

/* Returns the innermost Python frame of the stack; NULL: it has none. */
const struct named_frame *named_stack_python(const struct named_stacks *names, uint32_t stack);

/*
 * Returns the innermost part of the stack that is the user's own code, without wrappers of
 * allocators, and without constructors that were called by further own code; NAMED_NONE: there is
 * none.
 */
uint32_t named_stack_users(const struct named_stacks *names, uint32_t stack);

/*
 * Returns the stack without allocators' wrappers at its inner end; all of it if nothing else is in
 * it.
 */
uint32_t named_stack_unwrapped(const struct named_stacks *names, uint32_t stack);

/* FILE:LINE, NULL if it is not known. */
const char *named_frame_line(const struct named_frame *frame, struct text_store *texts);

/* For table.h: returns the frames of a stack, innermost first, at most `room`, and their number. */
size_t named_stack_frames(struct named_stacks *names, uint32_t stack, struct table_frame *frame,
			  size_t room);

/* True if the name of any function of the stack contains the text. */
bool named_stack_has(const struct named_stacks *names, uint32_t stack, const char *part);

#endif
