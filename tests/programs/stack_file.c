/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: stack_file PATH
 * Writes a recording with stacks: two processes of one thread each. Both have the same four stacks
 * of allocations and marks, one with each flag of a frame, and one allocation and mark without a
 * stack. The second process has 2000 allocations more from stacks of 50 frames that no other has,
 * 100,000 frames in all, in a frame of the file for each thousand.
 */
#include <stdio.h>

#include "collector/format/frame_flags.h"
#include "tests/unit/recording.h"

#define DEEP_STACKS 2000u
#define DEEP_FRAMES 50u

static void put_start(struct recording *r)
{
	frame_begin_block(r->fw, 0);
	FRAME_PUT(r->fw, 0, string, .id = 1, .text = { (uintptr_t) "/usr/bin/stacked", 16 });
	for (uint64_t i = 1; i <= 2; i++) {
		FRAME_PUT(r->fw, 0, process, .process = i, .pid = 1000 + i, .command = 1);
		FRAME_PUT(r->fw, 0, thread, .stream = i, .process = i, .tid = 1000 + i);
		FRAME_PUT(r->fw, 0, module, .process = i, .start = 0x400000, .bytes = 0x100000,
			  .path = 1);
	}
	frame_end_block(r->fw);
}

static void put_both(struct recording *r, uint64_t *time_ns, uint64_t stack)
{
	const uint64_t mark[EVT_WORDS_MAX] = { 0, 1 };

	*time_ns += 1024;
	frame_put_born(r->fw, EVT_malloc, *time_ns, 0x100000 + *time_ns, 64,
		       stack ? STACK_WORD | stack : 0x400777);
	if (stack)
		frame_put_stack(r->fw, EVT_nvtx_mark, *time_ns, mark, stack);
	else
		frame_put(r->fw, EVT_nvtx_mark, *time_ns, mark);
}

static void put_few(struct recording *r, uint32_t stream)
{
	uint64_t outer = recording_stack(r, 0, 0x400100, FRAME_IS_TRUNCATED);
	uint64_t main = recording_stack(r, outer, 0x400200, 0);
	uint64_t stopped = recording_stack(r, main, 0x400300, FRAME_IS_EXACT);
	uint64_t wrapper = recording_stack(r, main, 0x400400, FRAME_IS_WRAPPER);
	uint64_t time_ns = 0;

	frame_begin_block(r->fw, stream);
	put_both(r, &time_ns, outer);
	put_both(r, &time_ns, main);
	put_both(r, &time_ns, stopped);
	put_both(r, &time_ns, wrapper);
	put_both(r, &time_ns, 0);
	frame_end_block(r->fw);
}

static void put_deep(struct recording *r, uint32_t first, uint32_t count)
{
	frame_begin_block(r->fw, 2);
	for (uint32_t i = first; i < first + count; i++) {
		uint64_t id = 0;

		for (uint32_t depth = 0; depth < DEEP_FRAMES; depth++)
			id = recording_stack(r, id, 0x400000 + (i * 31 + depth * 7919) % 0x100000,
					     0);
		frame_put_born(r->fw, EVT_malloc, 10000 + i * 64, 0x200000 + i * 16, 16,
			       STACK_WORD | id);
	}
	frame_end_block(r->fw);
}

int main(int argc, char **argv)
{
	static const struct file_header header = { .version = FILE_VERSION,
						   .pid = 1001,
						   .session = "stacks",
						   .host = "host",
						   .program = "stacked" };
	struct recording r;
	FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!out) {
		fprintf(stderr, "usage: stack_file PATH\n");
		return 2;
	}
	recording_start(&r, &header);
	put_start(&r);
	put_few(&r, 1);
	put_few(&r, 2);
	recording_close_frame(&r, 9999);
	for (uint32_t i = 0; i < DEEP_STACKS; i += 1000) {
		put_deep(&r, i, 1000);
		recording_close_frame(&r, 10000 + (i + 1000) * 64);
	}
	recording_finish(&r, 10000 + DEEP_STACKS * 64);
	if (fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out))
		return 1;
	recording_release(&r);
	return 0;
}
