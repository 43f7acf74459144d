/* SPDX-License-Identifier: MIT */
/*
 * What the collector must know of a program's CPython to read its stacks from outside. The program
 * checks it at its start, on its own frames.
 */
#ifndef COLLECTOR_REGION_PYTHON_LAYOUT_H
#define COLLECTOR_REGION_PYTHON_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* How a code object maps instructions to lines. */
enum python_table {
	PYTHON_LNOTAB,    /* 3.8, 3.9: pairs of bytes and lines to advance */
	PYTHON_RANGES,    /* 3.10: the same for ranges, some of which have no line */
	PYTHON_LOCATIONS, /* since 3.11: entries of several forms, with columns */
};

struct python_layout {
	uint16_t minor;
	uint16_t table;        /* enum python_table */
	uint16_t interpreters; /* in _PyRuntime: the first interpreter */
	/* in an interpreter: the next one, and its first thread */
	uint16_t interpreter_next, threads;
	uint16_t thread_next, thread_id; /* in a thread: the id is pthread_self() */
	uint16_t thread_native;          /* gettid(); 0: not there */
	uint16_t thread_frame;           /* its innermost frame, or a struct that has it: */
	uint16_t has_cframe, cframe_frame;
	uint16_t frame_code, frame_back, frame_bytes;
	uint16_t frame_at; /* the instruction: its number, or with code_start its address */
	/* a byte, at least PYTHON_OWNER_C in a frame that is no function's; 0: not there */
	uint16_t frame_owner;
	uint16_t frame_tag; /* tag bits in the pointer to the code */
	/* an int: which copy of the code's instructions it runs; 0: not there */
	uint16_t frame_copy;
	uint16_t frame_entry; /* a byte, not 0 if C code has called the function; 0: not there */
	uint16_t entry_chain,
		entry_previous; /* in a thread: structs of the interpreter's C frames; 0: none */
	uint16_t code_line, code_file, code_name, code_table;
	uint16_t code_start; /* the first instruction; 0: instructions are a separate object */
	/* the number of copies and their addresses; the first is at code_start; 0: none */
	uint16_t code_copies;
	uint16_t code_bytes;  /* of a code object, up to the last of the fields above */
	uint16_t gil;         /* in _PyRuntime; 0: */
	uint16_t gil_pointer; /* in an interpreter, a pointer to it */
	/* in the GIL: the thread that has or last had it; an int, 1 while a thread has it */
	uint16_t gil_holder, gil_locked;
	uint16_t object_type;             /* in an object */
	uint16_t bytes_size, bytes_data;  /* in bytes */
	uint16_t text_length, text_state; /* in a str: its number of characters; a word: */
	/* from this bit on: three bits for the bytes per character, then compact, then ASCII */
	uint16_t text_shift;
	uint16_t ascii_data, wide_data; /* in a str: where its characters begin */
};

#define PYTHON_GIL_BYTES 208u
#define PYTHON_GIL_HEAD_BYTES 32u /* of the GIL, up to the last of the fields above */
#define PYTHON_OWNER_C 3u
#define PYTHON_THREAD_BYTES 184u /* of a thread, the same */
#define PYTHON_FRAME_BYTES 128u  /* maximum for a frame */
#define PYTHON_CODE_BYTES 192u   /* maximum for a code object */
#define PYTHON_TEXT_BYTES 64u    /* maximum for the head of a str */

/* NULL: no offsets are known in advance for that version (see python_offsets.h). */
static inline const struct python_layout *python_layout_of(unsigned int minor)
{
	static const struct python_layout layouts[] = {
#define PYTHON_LAYOUT(number, ...) { .minor = (number), __VA_ARGS__ },
#include "collector/region/python_layout.def"
	};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

/* region_process.python: in one word, what the program says of its CPython; 0: nothing (yet). */
enum python_standing {
	PYTHON_STANDS_CHECKED = 1, /* its stacks can be read */
	PYTHON_STANDS_UNKNOWN,     /* a version without a layout here */
	PYTHON_STANDS_DIFFERENT,   /* the layout does not match this build */
	PYTHON_STANDS_REFUSED,     /* the kernel allows nobody to read memory in this way */
};

#define PYTHON_HZ_MAX 1000u

struct python_word {
	unsigned int minor, hz;
	unsigned int tid_offset; /* from pthread_self() to the thread's id; 0: unknown */
	enum python_standing standing;
};

static inline uint64_t python_word_pack(const struct python_word *word)
{
	return word->minor | (uint64_t)word->hz << 8 | (uint64_t)word->tid_offset << 24 |
	       (uint64_t)word->standing << 40;
}

static inline struct python_word python_word_of(uint64_t packed)
{
	return (struct python_word){ .minor = packed & 0xff,
				     .hz = packed >> 8 & 0xffff,
				     .tid_offset = packed >> 24 & 0xffff,
				     .standing = (enum python_standing)(packed >> 40 & 7) };
}

#endif
