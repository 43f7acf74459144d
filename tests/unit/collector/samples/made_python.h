/* SPDX-License-Identifier: MIT */
/*
 * The memory of a made-up CPython of any layout: one interpreter, threads, a stack of frames that
 * all of them share, code objects. A reader of it takes made_python_read() for process_vm_readv():
 * outside of it nothing is mapped.
 */
#ifndef TESTS_UNIT_COLLECTOR_SAMPLES_MADE_PYTHON_H
#define TESTS_UNIT_COLLECTOR_SAMPLES_MADE_PYTHON_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "tests/unit/python_layouts.h"

#define MADE_BYTES 0x10000u
#define MADE_THREADS 64u
#define MADE_FRAMES 16u
#define MADE_CODES 4u
#define MADE_TID_OFFSET 32u

/* Where what lies. */
enum {
	MADE_GATES = 0x0010,
	MADE_CODE_TYPE = 0x0800,
	MADE_CFRAME = 0x0900,
	MADE_RUNTIME = 0x0a00,
	MADE_INTERPRETER = 0x2000,
	MADE_FRAME = 0x4000,
	MADE_CODE = 0x5000,
	MADE_TEXT = 0x5800,
	MADE_TABLE = 0x6000,
	MADE_COPIES = 0x6200, /* of code: their list, and one */
	MADE_COPY = 0x6400,
	MADE_IDS = 0x6800, /* what pthread_self() is in versions that know no more */
	MADE_THREAD = 0x8000,
};

static struct made_python {
	_Alignas(4096) uint8_t bytes[MADE_BYTES];
	const struct python_layout *layout;
	int error; /* errno of every read, 0: they succeed */
	unsigned int reads;
} made;

static inline uint64_t made_address(uint32_t offset)
{
	return (uint64_t)(uintptr_t)made.bytes + offset;
}

static inline void made_put(uint32_t offset, uint64_t word)
{
	memcpy(made.bytes + offset, &word, sizeof(word));
}

static inline ssize_t made_python_read(uint32_t pid, const struct iovec *local, size_t local_count,
				       const struct iovec *remote, size_t remote_count)
{
	ssize_t all = 0;

	(void)pid;
	(void)local_count;
	made.reads++;
	errno = made.error ? made.error : EFAULT;
	for (size_t i = 0; i < remote_count && !made.error; i++) {
		uint64_t offset = (uint64_t)(uintptr_t)remote[i].iov_base - made_address(0);
		size_t bytes = remote[i].iov_len;

		if (offset >= MADE_BYTES)
			break;
		if (bytes > MADE_BYTES - offset)
			bytes = MADE_BYTES - offset;
		memcpy(local[i].iov_base, made.bytes + offset, bytes);
		all += (ssize_t)bytes;
		if (bytes < remote[i].iov_len)
			break;
	}
	return all ? all : -1;
}

static inline uint32_t made_thread(uint32_t index)
{
	return MADE_THREAD + index * 256;
}

static inline void made_tid(uint32_t index, uint32_t tid)
{
	const struct python_layout *layout = made.layout;
	uint32_t id = MADE_IDS + index * 64;

	made_put(made_thread(index) + layout->thread_id, made_address(id));
	if (layout->thread_native)
		made_put(made_thread(index) + layout->thread_native, tid);
	else
		made_put(id + MADE_TID_OFFSET, tid);
}

static inline void made_text(uint32_t offset, const char *text)
{
	const struct python_layout *layout = made.layout;

	made_put(offset + layout->text_length, strlen(text));
	made_put(offset + layout->text_state, 0x19u << layout->text_shift);
	memcpy(made.bytes + offset + layout->ascii_data, text, strlen(text));
}

static inline void made_code(uint32_t index, const char *name, uint32_t line)
{
	static const uint8_t tables[][6] = { [PYTHON_LNOTAB] = { 4, 1, 4, 1 },
					     [PYTHON_RANGES] = { 4, 1, 4, 1 },
					     [PYTHON_LOCATIONS] = { 0x80 | 10 << 3 | 7, 0, 0,
								    0x80 | 11 << 3 | 1, 0, 0 } };
	const struct python_layout *layout = made.layout;
	uint32_t code = MADE_CODE + index * 256, text = MADE_TEXT + index * 256;
	uint32_t table = MADE_TABLE + index * 64;

	made_text(text, "made.py");
	made_text(text + 128, name);
	made_put(table + layout->bytes_size, sizeof(tables[0]));
	memcpy(made.bytes + table + layout->bytes_data, tables[layout->table], sizeof(tables[0]));
	made_put(code + layout->object_type, made_address(MADE_CODE_TYPE));
	made_put(code + layout->code_file, made_address(text));
	made_put(code + layout->code_name, made_address(text + 128));
	made_put(code + layout->code_table, made_address(table));
	memcpy(made.bytes + code + layout->code_line, &line, sizeof(line));
	if (!layout->code_copies)
		return;
	made_put(code + layout->code_copies, made_address(MADE_COPIES + index * 64));
	made_put(MADE_COPIES + index * 64, 2);
	made_put(MADE_COPIES + index * 64 + 16, made_address(MADE_COPY + index * 64));
}

/*
 * Frame `index` runs that code (every other one a copy, where there are), at its fourth byte, and
 * was called by the next one.
 */
static inline void made_frame(uint32_t index, uint32_t code, uint32_t is_last)
{
	const struct python_layout *layout = made.layout;
	uint32_t frame = MADE_FRAME + index * 128, number = 4;

	made_put(frame + layout->frame_code,
		 made_address(MADE_CODE + code * 256) | (layout->frame_tag & index));
	made_put(frame + layout->frame_back, is_last ? 0 : made_address(frame + 128));
	if (layout->frame_copy && index % 2) {
		made_put(frame + layout->frame_copy, 1);
		made_put(frame + layout->frame_at, made_address(MADE_COPY + code * 64) + 4);
	} else if (layout->code_start)
		made_put(frame + layout->frame_at,
			 made_address(MADE_CODE + code * 256) + layout->code_start + 4);
	else
		memcpy(made.bytes + frame + layout->frame_at, &number, sizeof(number));
}

/*
 * `threads` of them, all of which run the same frames; their ids in the kernel are `tid` and those
 * that follow.
 */
static inline void made_python_init(unsigned int minor, uint32_t threads, uint32_t tid)
{
	char name[16];

	memset(&made, 0, sizeof(made));
	made.layout = layout_of(minor);
	if (offset_words_of(minor))
		memcpy(made.bytes + MADE_RUNTIME, offset_words_of(minor), 81 * sizeof(uint64_t));
	made_put(MADE_GATES, 1);
	made_put(MADE_RUNTIME + made.layout->interpreters, made_address(MADE_INTERPRETER));
	if (!made.layout->gil)
		made_put(MADE_INTERPRETER + made.layout->gil_pointer, made_address(MADE_CFRAME));
	made_put(MADE_INTERPRETER + made.layout->threads,
		 threads ? made_address(made_thread(0)) : 0);
	made_put(MADE_CFRAME + made.layout->cframe_frame, made_address(MADE_FRAME));
	for (uint32_t i = 0; i < threads; i++) {
		made_put(made_thread(i) + made.layout->thread_next,
			 i + 1 < threads ? made_address(made_thread(i + 1)) : 0);
		made_put(made_thread(i) + made.layout->thread_frame,
			 made_address(made.layout->has_cframe ? MADE_CFRAME : MADE_FRAME));
		made_tid(i, tid + i);
	}
	for (uint32_t i = 0; i < MADE_CODES; i++) {
		snprintf(name, sizeof(name), "function%u", i);
		made_code(i, name, 10 * (i + 1));
	}
	for (uint32_t i = 0; i < MADE_FRAMES; i++)
		made_frame(i, i % MADE_CODES, i + 1 == MADE_FRAMES);
}

#endif
