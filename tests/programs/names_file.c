/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: names_file NAMES FILE
 * Writes a recording in which everything that has a name has each of the names in turn. NAMES has
 * them, each ended by a NUL byte; at most 64. For each there is a process, whose command and module
 * it is, of one thread: in a range of that domain and name, in an operator, in a function of a
 * file, that reads a file, allocates a block that stays from a line of Python and one from the
 * module, and launches a kernel. A function's record has tabs between its parts: a tab of a name is
 * a space there.
 */
#include <stdio.h>

#include "collector/format/frame_flags.h"
#include "tests/unit/recording.h"

#define NAMES_MAX 64u
#define TEXT_MAX (1u << 20)
#define NAME_US 1000u
#define MAPPED 0x400000u

enum { NAME_CALL = 1, NAME_NAMES, NAME_FUNCTIONS = NAME_NAMES + NAMES_MAX };

static void put_text(struct frame_writer *fw, uint64_t id, const char *text)
{
	FRAME_PUT(fw, 0, string, .id = id, .text = { (uintptr_t)text, strlen(text) });
}

/* What has the name number i: its process and its stacks. Returns the stack of Python. */
static uint64_t put_start(struct recording *r, uint64_t i, const char *name)
{
	uint64_t at = i * NAME_US * 1000, id = NAME_NAMES + i, line = PYTHON_LINE_BIT | (i + 1);
	char *function = malloc(2 * strlen(name) + 8);
	size_t length = (size_t)sprintf(function, "%s\t%s", name, name);

	for (size_t tabs = 0; tabs < length; tabs++)
		if (function[tabs] == '\t' && tabs != strlen(name))
			function[tabs] = ' ';
	memmove(function + 3, function, length + 1);
	memcpy(function, "12\t", 3);
	put_text(r->fw, id, name);
	put_text(r->fw, NAME_FUNCTIONS + i, function);
	free(function);
	FRAME_PUT(r->fw, at, process, .process = i + 1, .pid = 1000 + i, .command = id,
		  .executable = id);
	FRAME_PUT(r->fw, at, thread, .stream = i + 1, .process = i + 1, .tid = 1000 + i);
	FRAME_PUT(r->fw, at, thread_name, .process = i + 1, .tid = 1000 + i, .name = id);
	FRAME_PUT(r->fw, at, module, .process = i + 1, .start = MAPPED, .bytes = MAPPED,
		  .path = id);
	FRAME_PUT(r->fw, at, python_code, .id = i + 1, .function = id, .file = id, .line = 1);
	FRAME_PUT(r->fw, at, python_line, .id = line, .function = id, .file = id, .line = 2);
	FRAME_PUT(r->fw, at, python_place, .id = i + 1, .code = i + 1, .line = 2);
	return recording_stack(r, 0, line, FRAME_IS_PYTHON | FRAME_IS_ENTRY);
}

static void put_work(struct frame_writer *fw, uint64_t i, uint64_t stack)
{
	uint64_t at = i * NAME_US * 1000 + 1000, id = NAME_NAMES + i, block = (i + 1) << 20;

	FRAME_PUT(fw, at, python_sample, .place = i + 1);
	FRAME_PUT(fw, at += 1000, nvtx_push, .domain = id, .name = id);
	FRAME_PUT(fw, at += 1000, torch_begin, .name = id);
	FRAME_PUT(fw, at += 1000, function_enter, .function = NAME_FUNCTIONS + i);
	FRAME_PUT(fw, at += 1000, io_open, .function = NAME_CALL, .fd = 3, .kind = 1, .path = id,
		  .duration = 10);
	FRAME_PUT(fw, at += 1000, io_read, .function = NAME_CALL, .fd = 3, .bytes = 4096,
		  .duration = 500);
	FRAME_PUT(fw, at += 1000, malloc, .ptr = block, .size = 1000, .caller = STACK_WORD | stack);
	FRAME_PUT(fw, at += 1000, malloc, .ptr = block + 4096, .size = 2000, .caller = MAPPED + 16);
	FRAME_PUT(fw, at += 1000, cuda_launch, .function = NAME_CALL, .kernel = id,
		  .correlation = i + 1, .duration_ns = 500);
	FRAME_PUT(fw, at += 10000, gpu_kernel, .ago_ns = 5000, .duration_ns = 5000,
		  .correlation = i + 1, .stream = 7, .kernel = id, .grid_x = 1, .grid_y = 1,
		  .grid_z = 1, .block_x = 1, .block_y = 1, .block_z = 1);
	FRAME_PUT(fw, at += 1000, nvtx_mark, .domain = id, .name = id);
	FRAME_PUT(fw, at += 1000, function_return, .function = NAME_FUNCTIONS + i);
	frame_put(fw, EVT_torch_end, at += 1000, NULL);
	FRAME_PUT(fw, at += 1000, nvtx_pop, .domain = id);
	FRAME_PUT(fw, at += 1000, python_sample, .place = i + 1, .state = 1, .cpu_us = 10,
		  .looks = 1);
}

/* The names in `text`, of `length` bytes; how many. */
static uint64_t put_names(struct recording *r, const char *text, size_t length)
{
	uint64_t stacks[NAMES_MAX], count = 0;

	frame_begin_block(r->fw, 0);
	put_text(r->fw, NAME_CALL, "read");
	for (const char *name = text; name < text + length && count < NAMES_MAX;
	     name += strlen(name) + 1, count++)
		stacks[count] = put_start(r, count, name);
	frame_end_block(r->fw);
	for (uint64_t i = 0; i < count; i++) {
		frame_begin_block(r->fw, (uint32_t)i + 1);
		put_work(r->fw, i, stacks[i]);
		frame_end_block(r->fw);
	}
	return count;
}

int main(int argc, char **argv)
{
	static char text[TEXT_MAX + 1];
	const struct file_header header = { .version = FILE_VERSION,
					    .base_mono = 1000000000,
					    .base_real = 1700000000000000000,
					    .pid = 1000,
					    .session = "names",
					    .host = "node0" };
	FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out;
	struct recording r;
	uint64_t end_ns;

	if (!in) {
		fprintf(stderr, "usage: names_file NAMES FILE\n");
		return 2;
	}
	recording_start(&r, &header);
	end_ns = put_names(&r, text, fread(text, 1, TEXT_MAX, in)) * NAME_US * 1000;
	fclose(in);
	recording_close_frame(&r, end_ns);
	recording_finish(&r, end_ns);
	out = fopen(argv[2], "wb");
	if (!out || fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	recording_release(&r);
	return 0;
}
