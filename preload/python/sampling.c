/* SPDX-License-Identifier: MIT */
/*
 * The check reads through process_vm_readv() of this process, so a wrong offset gives an error and
 * no crash. If the kernel refuses the call here, it refuses it to the collector too.
 */
#include "preload/python/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/region/python_layout.h"
#include "collector/region/python_offsets.h"
#include "preload/base/own_memory.h"
#include "preload/base/symbols.h"
#include "preload/pyframes/pyframes.h"
#include "preload/python/python_api.h"
#include "preload/python/thread_state.h"
#include "preload/record/entry.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

#define TID_OFFSET_MAX 4096u /* glibc's struct pthread is shorter */
#define INTERPRETERS_MAX 64u
#define THREADS_MAX 4096u
#define C_FRAMES_MAX 8u /* limit for C frames in a row */

/* The arguments of check_layout() in bootstrap.py, in this order. */
enum argument {
	ARGUMENT_CODE, /* code of the innermost function, which calls us */
	ARGUMENT_OUTER,
	ARGUMENT_FILE,
	ARGUMENT_NAME,
	ARGUMENT_TABLE,
	ARGUMENT_NUMBERS, /* "first line:bytes of code:bytes of the table" */
	ARGUMENT_WIDE,    /* a str that is not ASCII */
	ARGUMENT_LINE,    /* line of the call, as a str */
	ARGUMENT_LIMIT,
};

static struct {
	struct python_layout layout;
	uint64_t word, runtime, code_type;
	bool yama; /* the kernel lets only ancestors read a program, and processes that it names */
} told;

bool sampling_is_wanted(void)
{
	return settings.sample_hz != 0;
}

/* --- reading ourselves --- */

/* 0: it cannot be read. */
static uint64_t sampling_word_at(uint64_t address)
{
	uint64_t word = 0;

	return own_memory_read(address, &word, sizeof(word)) ? word : 0;
}

static uint32_t sampling_half_at(uint64_t address)
{
	uint32_t half = 0;

	return own_memory_read(address, &half, sizeof(half)) ? half : 0;
}

static uint64_t sampling_address_of(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

/* --- the check --- */

static uint64_t sampling_code_of(const struct python_layout *layout, uint64_t frame)
{
	return sampling_word_at(frame + layout->frame_code) & ~(uint64_t)layout->frame_tag;
}

static bool thread_is_listed(const struct python_layout *layout, uint64_t runtime, uint64_t self)
{
	uint64_t interpreter = sampling_word_at(runtime + layout->interpreters);

	for (unsigned int i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
		uint64_t thread = sampling_word_at(interpreter + layout->threads);

		for (unsigned int j = 0; thread && j < THREADS_MAX; j++) {
			if (thread == self)
				return true;
			thread = sampling_word_at(thread + layout->thread_next);
		}
		interpreter = sampling_word_at(interpreter + layout->interpreter_next);
	}
	return false;
}

static bool thread_is_right(const struct python_layout *layout, uint64_t thread)
{
	return sampling_word_at(thread + layout->thread_id) == (uint64_t)pthread_self() &&
	       (!layout->thread_native ||
		sampling_word_at(thread + layout->thread_native) == (uint64_t)syscall(SYS_gettid));
}

/* True if the instruction is inside the code. */
static bool place_is_right(const struct python_layout *layout, uint64_t frame, uint64_t code,
			   uint64_t code_bytes)
{
	uint64_t at;

	if (layout->code_start)
		at = sampling_word_at(frame + layout->frame_at) - code - layout->code_start;
	else
		at = (uint64_t)sampling_half_at(frame + layout->frame_at) *
		     (layout->table == PYTHON_RANGES ? 2 : 1);
	return at && at < code_bytes;
}

/*
 * Returns the frame itself, or the next outer frame that is a function's; 0: none. A frame of C
 * code is between a function and its caller wherever the interpreter is entered again. Under -X
 * perf and under a foreign frame evaluator that is every call.
 */
static uint64_t frame_of_function(const struct python_layout *layout, uint64_t frame)
{
	uint8_t owner;

	for (unsigned int i = 0; layout->frame_owner && frame && i < C_FRAMES_MAX; i++) {
		if (!own_memory_read(frame + layout->frame_owner, &owner, sizeof(owner)))
			return 0;
		if (owner < PYTHON_OWNER_C)
			return frame;
		frame = sampling_word_at(frame + layout->frame_back);
	}
	return layout->frame_owner ? 0 : frame;
}

static bool frames_are_right(const struct python_layout *layout, uint64_t thread,
			     const uint64_t *argument, uint64_t code_bytes)
{
	uint64_t frame = sampling_word_at(thread + layout->thread_frame), outer;

	if (layout->has_cframe)
		frame = sampling_word_at(frame + layout->cframe_frame);
	frame = frame_of_function(layout, frame);
	outer = frame ? frame_of_function(layout, sampling_word_at(frame + layout->frame_back)) : 0;
	return outer && sampling_code_of(layout, frame) == argument[ARGUMENT_CODE] &&
	       place_is_right(layout, frame, argument[ARGUMENT_CODE], code_bytes) &&
	       sampling_code_of(layout, outer) == argument[ARGUMENT_OUTER];
}

static bool code_is_right(const struct python_layout *layout, const uint64_t *argument,
			  uint64_t code_type, uint64_t first_line, uint64_t table_bytes)
{
	uint64_t code = argument[ARGUMENT_CODE];

	return sampling_word_at(code + layout->object_type) == code_type &&
	       sampling_word_at(code + layout->code_file) == argument[ARGUMENT_FILE] &&
	       sampling_word_at(code + layout->code_name) == argument[ARGUMENT_NAME] &&
	       sampling_word_at(code + layout->code_table) == argument[ARGUMENT_TABLE] &&
	       sampling_half_at(code + layout->code_line) == first_line &&
	       sampling_word_at(argument[ARGUMENT_TABLE] + layout->bytes_size) == table_bytes;
}

/* Checks that the name is "innermost" and the wide text is two characters U+4E2D. */
static bool texts_are_right(const struct python_layout *layout, const uint64_t *argument)
{
	static const char expected[] = "innermost";
	uint64_t name = argument[ARGUMENT_NAME], wide = argument[ARGUMENT_WIDE];
	char text[sizeof(expected) - 1];

	return sampling_word_at(name + layout->text_length) == sizeof(text) &&
	       (sampling_half_at(name + layout->text_state) >> layout->text_shift & 0x1f) ==
		       (1 | 1 << 3 | 1 << 4) &&
	       own_memory_read(name + layout->ascii_data, text, sizeof(text)) &&
	       memcmp(text, expected, sizeof(text)) == 0 &&
	       (sampling_half_at(wide + layout->text_state) >> layout->text_shift & 0x1f) ==
		       (2 | 1 << 3) &&
	       sampling_half_at(wide + layout->wide_data) == 0x4e2d4e2d;
}

static bool layout_is_right(const struct python_layout *layout, const uint64_t *argument,
			    const char *numbers)
{
	void *(*this_thread)(void) = (void *(*)(void))symbols_find_loaded(
		"PyGILState_GetThisThreadState");
	char *end;
	uint64_t first_line = strtoull(numbers, &end, 10), code_bytes, table_bytes, thread;

	if (!this_thread || *end != ':')
		return false;
	code_bytes = strtoull(end + 1, &end, 10);
	table_bytes = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
	thread = sampling_address_of(this_thread());
	return thread_is_listed(layout, told.runtime, thread) && thread_is_right(layout, thread) &&
	       frames_are_right(layout, thread, argument, code_bytes) &&
	       code_is_right(layout, argument, told.code_type, first_line, table_bytes) &&
	       texts_are_right(layout, argument);
}

/* --- what the collector needs besides the layout --- */

/* Found, since no header says so. */
unsigned int sampling_tid_offset(void)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);
	uint64_t self = (uint64_t)pthread_self();

	for (unsigned int offset = 64; offset < TID_OFFSET_MAX; offset += sizeof(tid))
		if (sampling_half_at(self + offset) == tid)
			return offset;
	return 0;
}

/*
 * If /proc/sys/kernel/yama/ptrace_scope is 1, the program must name the collector, which is no
 * ancestor.
 */
static bool yama_is_on(void)
{
	char scope = 0;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope",
			      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (syscall(SYS_read, fd, &scope, 1) != 1)
		scope = 0;
	(void)syscall(SYS_close, fd);
	return scope == '1';
}

static const char *sampling_argument(void *arguments, int index)
{
	size_t length;
	const char *text = python_utf8(python_api.PyTuple_GetItem(arguments, index), &length);

	return text ? text : "";
}

/* The layout has been checked, so this thread's own frames may be readable too. */
static void begin_frames(const struct python_word *word, const struct python_layout *layout,
			 const uint64_t *argument, void *arguments)
{
	struct pyframes_example example = {
		.code = argument[ARGUMENT_CODE],
		.outer_code = argument[ARGUMENT_OUTER],
		.function = sampling_argument(arguments, ARGUMENT_NAME),
		.file = sampling_argument(arguments, ARGUMENT_FILE),
		.line = (uint32_t)strtoul(sampling_argument(arguments, ARGUMENT_LINE), NULL, 10),
	};

	if (word->standing == PYTHON_STANDS_UNKNOWN)
		pyframes_refuse(LIMITATION_frames_version);
	else if (word->standing == PYTHON_STANDS_REFUSED)
		pyframes_refuse(LIMITATION_frames_memory);
	else if (word->standing != PYTHON_STANDS_CHECKED ||
		 !pyframes_begin(layout, symbols_find_loaded("_PyRuntime"),
				 symbols_find_loaded("PyCode_Type"), &example))
		pyframes_refuse(LIMITATION_frames_build);
}

/* Takes the layout from a table of ours, or from the interpreter's own description. */
static bool sampling_layout_find(unsigned int minor, struct python_layout *ret_layout)
{
	const struct python_layout *known = python_layout_of(minor);
	uint64_t word[PYTHON_OFFSETS_WORDS];

	if (known)
		*ret_layout = *known;
	else
		return own_memory_read(told.runtime, word, sizeof(word)) &&
		       python_offsets_take(word, minor, ret_layout);
	return true;
}

static enum python_standing standing_of(unsigned int minor, const uint64_t *argument,
					const char *numbers)
{
	if (!python_layout_of(minor) && !python_offset_words_of(minor))
		return PYTHON_STANDS_UNKNOWN;
	if (!own_memory_is_readable())
		return PYTHON_STANDS_REFUSED;
	if (told.runtime && told.code_type && sampling_layout_find(minor, &told.layout) &&
	    layout_is_right(&told.layout, argument, numbers))
		return PYTHON_STANDS_CHECKED;
	return PYTHON_STANDS_DIFFERENT;
}

void sampling_check(void *arguments)
{
	struct python_word word = { .minor = python_minor(), .hz = settings.sample_hz };
	uint64_t argument[ARGUMENT_LIMIT];
	const char *numbers;
	int saved = errno;

	for (int i = 0; i < ARGUMENT_LIMIT; i++)
		argument[i] = sampling_address_of(python_api.PyTuple_GetItem(arguments, i));
	numbers = sampling_argument(arguments, ARGUMENT_NUMBERS);
	told.runtime = sampling_address_of(symbols_find_loaded("_PyRuntime"));
	told.code_type = sampling_address_of(symbols_find_loaded("PyCode_Type"));
	word.standing = standing_of(word.minor, argument, numbers);
	if (word.standing == PYTHON_STANDS_CHECKED)
		word.tid_offset = sampling_tid_offset();
	told.yama = yama_is_on();
	if (pyframes_are_wanted())
		begin_frames(&word, &told.layout, argument, arguments);
	told.word = sampling_is_wanted() ? python_word_pack(&word) : 0;
	sampling_tell();
	errno = saved;
}

void sampling_tell(void)
{
	struct region_process *own = entry_own();
	uint32_t collector;

	if (!own || !told.word)
		return;
	atomic_store(&own->python_runtime, told.runtime);
	atomic_store(&own->python_code_type, told.code_type);
	atomic_store(&own->region_at, sampling_address_of(entry_region()));
	atomic_store(&own->gates, sampling_address_of(recorder_gates->gate));
	collector = atomic_load(&entry_region()->collector_pid);
	/* before the collector is asked to look, because it gives up after one refusal */
	if (told.yama && collector)
		(void)syscall(SYS_prctl, PR_SET_PTRACER, (unsigned long)collector, 0, 0, 0);
	atomic_store_explicit(&own->python, told.word, memory_order_release);
}
