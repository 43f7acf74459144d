/* SPDX-License-Identifier: MIT */
/*
 * A stack is read from the innermost frame outwards. The outer frames that it shares with the
 * thread's last stack keep their ids, because an id depends only on code, instruction and callers.
 */
#include "preload/pyframes/pyframes.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "collector/format/frame_flags.h"
#include "preload/base/symbols.h"
#include "preload/pyframes/codes.h"
#include "preload/pyframes/join.h"
#include "preload/pyframes/leaf.h"
#include "preload/pyframes/page.h"
#include "preload/record/entry.h"
#include "preload/settings/settings.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/large.h"
#include "preload/stacks/memory.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/thread.h"

/* in libc since 2.34; otherwise there are no stacks */
#pragma weak pthread_getspecific

#define KEYS_MAX 1024u
#define SEARCH_MAX 8u /* number of frames of the last stack that are searched */
#define THREAD_BYTES 256u
#define C_FRAMES_MAX 8u /* limit for C frames in a row */
/* up to this version the key finds only threads of the main interpreter */
#define SUBINTERPRETERS_MINOR 11u

static struct {
	struct python_layout layout;
	pthread_key_t key;
	int (*is_finalizing)(void);
	void *(*current_thread)(void);
	uint64_t runtime;
} python;

/* By name: what everybody has is not missed where it cannot be had. */
static bool pyframes_are_asked_for(void)
{
	for (unsigned int i = 0; i < SETTINGS_FAMILIES; i++)
		if (settings.stacks[i] == SETTINGS_STACKS_PYTHON ||
		    settings.stacks[i] == SETTINGS_STACKS_BOTH)
			return true;
	return false;
}

bool pyframes_are_wanted(void)
{
	return pyframes_are_asked_for() || settings_large_stacks();
}

/* --- memory --- */

static inline uint64_t pyframes_word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

static inline uint32_t pyframes_half_at(uint64_t address)
{
	return *(const uint32_t *)(uintptr_t)address;
}

static inline bool pyframes_can_read(struct stack_python *t, uint64_t address, uint64_t bytes)
{
	uint64_t first = memory_page(address), last = memory_page(address + bytes - 1);

	return address >= MEMORY_PAGE && !(address >> ARCH_ADDRESS_BITS) && address % 8 == 0 &&
	       pyframes_page_is_readable(t, first) &&
	       (first == last || pyframes_page_is_readable(t, last));
}

/* --- the thread's innermost frame --- */

/*
 * Checks that the thread state is this thread's own. The key may belong to something else once an
 * interpreter has ended.
 */
static __attribute__((noinline)) bool thread_is_own(struct stack_python *t, uint64_t thread)
{
	t->thread = 0;
	if (!pyframes_can_read(t, thread, THREAD_BYTES) ||
	    pyframes_word_at(thread + python.layout.thread_id) != (uint64_t)pthread_self())
		return false;
	t->thread = thread;
	return true;
}

/*
 * With several interpreters: the thread state that runs. If it holds the GIL, it is this thread's.
 */
static __attribute__((noinline)) uint64_t thread_of_many(struct stack_python *t, uint64_t thread)
{
	uint64_t now = (uint64_t)(uintptr_t)python.current_thread();

	return now && now != thread && thread_is_own(t, now) ? now : thread;
}

static inline bool interpreters_are_many(void)
{
	uint64_t first = pyframes_word_at(python.runtime + python.layout.interpreters);

	return first && pyframes_word_at(first + python.layout.interpreter_next);
}

/* 0: no frame, or none that can be read. */
static inline __attribute__((always_inline)) uint64_t frame_innermost(struct stack_python *t)
{
	uint64_t thread = (uint64_t)(uintptr_t)pthread_getspecific(python.key), at;

	if (!thread || python.is_finalizing())
		return 0;
	if (python.layout.minor <= SUBINTERPRETERS_MINOR && python.current_thread &&
	    interpreters_are_many())
		thread = thread_of_many(t, thread);
	if (__builtin_expect(thread != t->thread, 0) && !thread_is_own(t, thread))
		return 0;
	at = pyframes_word_at(thread + python.layout.thread_frame);
	if (!python.layout.has_cframe || !at)
		return at;
	at += python.layout.cframe_frame;
	if (__builtin_expect(at != t->cframe, 0)) {
		if (!pyframes_can_read(t, at, sizeof(at)))
			return 0;
		t->cframe = at;
	}
	return pyframes_word_at(at);
}

/* --- frames --- */

static inline uint64_t frame_instruction(uint64_t frame)
{
	uint64_t at = frame + python.layout.frame_at;

	return python.layout.code_start ? pyframes_word_at(at) : *(const uint32_t *)(uintptr_t)at;
}

/* True for a frame of C code instead of a function. There are none before 3.12. */
static inline bool frame_is_of_c(uint64_t frame)
{
	return python.layout.frame_owner &&
	       *(const uint8_t *)(uintptr_t)(frame + python.layout.frame_owner) >= PYTHON_OWNER_C;
}

static inline uint8_t byte_at(uint64_t address)
{
	return *(const uint8_t *)(uintptr_t)address;
}

static inline uint8_t frame_flag(uint64_t frame)
{
	return python.layout.frame_entry ? byte_at(frame + python.layout.frame_entry) : 0;
}

static void frame_read(uint64_t frame, struct stack_python_frame *ret_frame)
{
	ret_frame->frame = frame;
	ret_frame->code = pyframes_word_at(frame + python.layout.frame_code);
	ret_frame->instruction = frame_instruction(frame);
	ret_frame->is_of_c = frame_is_of_c(frame);
	ret_frame->copy = python.layout.frame_copy
				  ? pyframes_half_at(frame + python.layout.frame_copy)
				  : 0;
	ret_frame->flag = frame_flag(frame);
}

/* The pointer in a frame may have tags in its low bits. */
static inline uint64_t pyframes_code_of(const struct stack_python_frame *frame)
{
	return frame->code & ~(uint64_t)python.layout.frame_tag;
}

static uint64_t epoch_now(void)
{
	return __atomic_load_n(&codes_ended, __ATOMIC_ACQUIRE) + (frame_names.generation << 48);
}

/*
 * The words of a frame: since 3.12 the instruction is an address, in 3.11 an address with a flag
 * beside it, before that a number.
 */
enum frame_form {
	FORM_ADDRESS,
	FORM_ADDRESS_AND_FLAG,
	FORM_NUMBER,
};

static inline __attribute__((always_inline)) bool linked_as(enum frame_form form,
							    const struct stack_python *t,
							    uint64_t at, uint32_t count,
							    uint32_t *ret_same)
{
	const uint64_t code = python.layout.frame_code, instruction = python.layout.frame_at;
	const uint64_t back = python.layout.frame_back, flag = python.layout.frame_entry;
	const struct stack_python_frame *known = t->frame + count;
	uint64_t other, frame;

	*ret_same = count;
	while (known != t->frame) {
		known--;
		frame = known->frame;
		__asm__(""
			/* else the compiler loads through `at`, which it knows to be equal */
			: "+r"(frame));
		if (at != known->frame)
			return false;
		other = pyframes_word_at(frame + code) ^ known->code;
		if (form == FORM_NUMBER)
			other |= *(const uint32_t *)(uintptr_t)(frame + instruction) ^
				 known->instruction;
		else
			other |= pyframes_word_at(frame + instruction) ^ known->instruction;
		if (form == FORM_ADDRESS_AND_FLAG)
			other |= byte_at(frame + flag) ^ known->flag;
		if (__builtin_expect(other != 0, 0))
			*ret_same = (uint32_t)(known - t->frame);
		at = pyframes_word_at(frame + back);
	}
	return at == t->outer;
}

/*
 * True if frames [0, count) are linked as before; `at` is the innermost of them. The addresses for
 * loads are the known ones and not the loaded ones, so that no load waits for another. *ret_same:
 * how many frames, counted from the outermost, are at the same instruction.
 */
static bool frames_are_linked(const struct stack_python *t, uint64_t at, uint32_t count,
			      uint32_t *ret_same)
{
	if (!python.layout.code_start)
		return linked_as(FORM_NUMBER, t, at, count, ret_same);
	if (python.layout.frame_entry)
		return linked_as(FORM_ADDRESS_AND_FLAG, t, at, count, ret_same);
	return linked_as(FORM_ADDRESS, t, at, count, ret_same);
}

/* --- a stack --- */

struct reading {
	struct stack_python *thread;
	uint32_t fresh, stand; /* frames that were read, and valid frames of the last stack */
	uint64_t outer;        /* caller of the outermost frame: 0, or beyond the depth limit */
};

/*
 * Returns the index of this frame in the last stack, or `frames` if it is not among the innermost
 * ones.
 */
static uint32_t pyframes_known_find(const struct stack_python *t, uint32_t frames, uint64_t at)
{
	for (uint32_t i = frames; i-- > 0 && frames - i <= SEARCH_MAX;)
		if (t->frame[i].frame == at)
			return i;
	return frames;
}

/*
 * Reads frames from `at` outwards up to the valid part of the last stack, which is searched for
 * unless it is known. Returns false if something is no frame, or cannot be read.
 */
static bool frames_read(struct reading *r, uint64_t at, uint32_t frames)
{
	struct stack_python *t = r->thread;
	uint64_t stop = r->stand ? t->frame[r->stand - 1].frame : 0;

	for (r->fresh = 0; at && r->fresh + r->stand < t->room; r->fresh++) {
		if (frames && !r->stand && t->outer == 0) {
			uint32_t found = pyframes_known_find(t, frames, at), same;

			if (found < frames) {
				frames = 0; /* search only once */
				if (frames_are_linked(t, at, found + 1, &same) && same) {
					r->stand = same;
					stop = t->frame[same - 1].frame;
				}
			}
		}
		if (r->stand && at == stop) {
			r->outer = 0;
			return true;
		}
		if (!pyframes_can_read(t, at, python.layout.frame_bytes))
			return false;
		frame_read(at, &t->fresh[r->fresh]);
		at = pyframes_word_at(at + python.layout.frame_back);
	}
	r->outer = at;
	return true;
}

/*
 * True if C code has called the function. Before 3.11 that is always so. In 3.11 a flag tells.
 * Later, the next outer frame is a C frame.
 */
static bool frame_is_entry(const struct stack_python_frame *frame,
			   const struct stack_python_frame *outer)
{
	if (python.layout.frame_entry)
		return frame->flag;
	if (python.layout.frame_owner)
		return !outer || outer->is_of_c;
	return true;
}

/*
 * Names the frames, outermost first; a C frame has its caller's id. A signal handler may replace
 * the frames meanwhile. Each frame is read once and sent as read, so whatever is sent is correct.
 * `change` is the number of this reading.
 */
static bool frames_name(struct reading *r, struct recorder_lane *lane, uint64_t change)
{
	struct stack_python *t = r->thread;
	uint32_t depth = r->stand;
	uint64_t parent = depth ? t->frame[depth - 1].id : 0;
	uint64_t path = depth ? t->frame[depth - 1].path : 0;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&t->changes, __ATOMIC_RELAXED) != change)
		return false; /* id and path may be of two different frames */
	for (uint32_t i = r->fresh; i-- > 0; depth++) {
		struct stack_python_frame *f = &t->frame[depth];
		const struct stack_python_frame *outer = depth ? &t->frame[depth - 1] : NULL;
		uint64_t flags = FRAME_IS_PYTHON, line, word;

		__atomic_store_n(&t->frames, 0, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		*f = t->fresh[i];
		f->id = parent;
		f->path = path;
		if (f->is_of_c)
			continue;
		line = code_line_id(lane, pyframes_code_of(f),
				    code_instruction(pyframes_code_of(f), f->instruction, f->copy));
		if (!line)
			return false;
		f->is_entry = frame_is_entry(f, outer);
		if (f->is_entry)
			flags |= FRAME_IS_ENTRY;
		if (!parent && r->outer)
			flags |= FRAME_IS_TRUNCATED;
		f->word = word = line | flags << RECORD_FRAME_SHIFT;
		f->path = path = frame_path(path, word);
		f->id = parent = frame_name(lane, parent, word, path);
		if (!parent)
			return false;
	}
	return true;
}

static uint64_t miss(const struct recorder_lane *lane)
{
	if (lane->mask)
		entry_count_lost(ENTRY_LOST_STACK);
	return 0;
}

static inline uint64_t path_outside(const struct stack_python *t, uint32_t frames)
{
	return frames > 1 ? t->frame[frames - 2].path : 0;
}

/*
 * If a signal handler reads a stack in between, it starts again and changes the number of readings;
 * then this reading is void. `stand` frames of the last stack are valid, 0: not known. They were
 * found when the thread's number of readings was `changes`.
 */
static __attribute__((noinline)) uint64_t stack_read(struct stack_python *t,
						     struct recorder_lane *lane, uint64_t at,
						     uint32_t stand, uint64_t changes)
{
	uint64_t epoch = epoch_now(), change = ++t->changes;
	struct reading r = { .thread = t };
	uint32_t frames;
	bool good;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	frames = t->epoch == epoch ? t->frames : 0;
	t->frames = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (frames && change == changes + 1 && !t->outer)
		r.stand = stand;
	good = frames_read(&r, at, frames);
	if (good && r.stand && r.outer) { /* too deep for the valid frames to continue beneath */
		r = (struct reading){ .thread = t };
		good = frames_read(&r, at, 0);
	}
	good = good && frames_name(&r, lane, change);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!good || t->changes != change)
		return miss(lane);
	t->epoch = epoch;
	t->outer = r.outer;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	frames = r.stand + r.fresh;
	t->frames = frames;
	if (!frames)
		return 0;
	if (!t->frame[frames - 1].is_of_c)
		leaf_keep(t, &t->frame[frames - 1], path_outside(t, frames), epoch);
	return t->frame[frames - 1].id;
}

/*
 * All of the `frames` are where they were, and only the innermost is at another instruction, where
 * it may have been before. Returns 0 if that is not known. If a signal handler reads in between, it
 * has found this frame at the same place.
 */
static inline uint64_t stack_read_leaf(struct stack_python *t, uint32_t frames, uint64_t changes)
{
	struct stack_python_frame *f = &t->frame[frames - 1];
	uint64_t instruction = frame_instruction(f->frame), change = ++t->changes;
	struct stack_python_leaf leaf;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (change != changes + 1 || f->is_of_c ||
	    pyframes_word_at(f->frame + python.layout.frame_code) != f->code ||
	    frame_flag(f->frame) != f->flag || frame_is_of_c(f->frame) ||
	    !leaf_find(t, f, path_outside(t, frames), instruction, t->epoch, &leaf))
		return 0;
	__atomic_store_n(&t->frames, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	f->instruction = instruction;
	f->word = leaf.word;
	f->path = leaf.path;
	f->id = leaf.id;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (t->changes != change)
		return 0;
	t->frames = frames;
	return leaf.id;
}

/*
 * Returns the id of the stack. 0: the thread runs no Python, or its frames cannot be read
 * (counted). `lane` is IN_RECORD.
 */
static uint64_t pyframes_stack(struct recorder_lane *lane)
{
	struct stack_thread *self = stack_self;
	struct stack_python *t = self && self->frame ? &self->python : stack_thread_python();
	uint32_t frames, same = 0;
	uint64_t at, id, changes;

	if (__builtin_expect(!t, 0))
		return 0;
	at = frame_innermost(t);
	if (!at)
		return 0;
	changes = t->changes;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	frames = __atomic_load_n(&t->frames, __ATOMIC_RELAXED);
	if (!frames || t->epoch != epoch_now() || !frames_are_linked(t, at, frames, &same))
		return stack_read(t, lane, at, 0, changes);
	if (same < frames) {
		id = same + 1 == frames ? stack_read_leaf(t, frames, changes++) : 0;
		return id ? id : stack_read(t, lane, at, same, changes);
	}
	id = t->frame[frames - 1].id;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&t->frames, __ATOMIC_RELAXED) == frames)
		return id;
	return stack_read(t, lane, at, 0, changes);
}

/* --- start --- */

void pyframes_refuse(enum limitation why)
{
	if (pyframes_are_asked_for())
		limitation_say(why, NULL);
}

static bool key_find(void)
{
	void *(*thread)(void) = (void *(*)(void))symbols_find_loaded(
		"PyGILState_GetThisThreadState");
	void *self = thread ? thread() : NULL;

	for (unsigned int key = 0; self && pthread_getspecific && key < KEYS_MAX; key++) {
		if (pthread_getspecific((pthread_key_t)key) != self)
			continue;
		python.key = (pthread_key_t)key;
		return true;
	}
	return false;
}

static void *find_either(const char *name, const char *other)
{
	void *found = symbols_find_loaded(name);

	return found ? found : symbols_find_loaded(other);
}

static bool text_is(const char *text, size_t bytes, const char *expected)
{
	return strlen(expected) == bytes && memcmp(text, expected, bytes) == 0;
}

/*
 * Reads this frame, or the next outer one that is a function's. Under -X perf a frame of C code
 * follows each function.
 */
static bool function_read(struct stack_python *t, uint64_t at, struct stack_python_frame *ret_frame)
{
	for (unsigned int i = 0; i < C_FRAMES_MAX; i++) {
		if (!pyframes_can_read(t, at, python.layout.frame_bytes))
			return false;
		frame_read(at, ret_frame);
		if (!ret_frame->is_of_c)
			return true;
		at = pyframes_word_at(at + python.layout.frame_back);
	}
	return false;
}

static bool example_is_read(const struct pyframes_example *example)
{
	struct stack_python *t = stack_thread_python();
	struct stack_python_frame inner, outer;
	struct code_line line;

	return t && function_read(t, frame_innermost(t), &inner) &&
	       function_read(t, pyframes_word_at(inner.frame + python.layout.frame_back), &outer) &&
	       pyframes_code_of(&inner) == example->code &&
	       pyframes_code_of(&outer) == example->outer_code &&
	       code_read(pyframes_code_of(&inner), inner.instruction, &line) &&
	       line.line == example->line &&
	       text_is(line.function, line.function_bytes, example->function) &&
	       text_is(line.file, line.file_bytes, example->file);
}

bool pyframes_begin(const struct python_layout *layout, void *runtime, void *code_type,
		    const struct pyframes_example *example)
{
	python.layout = *layout;
	python.runtime = (uint64_t)(uintptr_t)runtime;
	python.is_finalizing = (int (*)(void))find_either("Py_IsFinalizing", "_Py_IsFinalizing");
	python.current_thread = (void *(*)(void))find_either("PyThreadState_GetUnchecked",
							     "_PyThreadState_UncheckedGet");
	if (!python.is_finalizing || !key_find() || !codes_begin(&python.layout, code_type) ||
	    !large_map() || !example_is_read(example))
		return false;
	stack_python = pyframes_stack;
	large_begin();
	if (!stack_is_joined())
		return true;
	if (join_begin(&python.layout))
		stack_join = join_stacks;
	else
		limitation_say(LIMITATION_frames_both, NULL);
	return true;
}
