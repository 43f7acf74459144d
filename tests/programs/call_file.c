/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: call_file FILE <CALLS
 * Writes a recording of one thread that calls and returns as the lines of CALLS say: "NS
 * enter|return NUMBER", in the order of time. Function NUMBER is named "NUMBER +
 * 1<tab>fNUMBER<tab>made.py".
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/recording.h"

#define FUNCTIONS 64u
#define FRAME_CALLS 20000u

static void put_start(struct frame_writer *fw)
{
	char text[64];

	frame_begin_block(fw, 0);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		int length = snprintf(text, sizeof(text), "%u\tf%u\tmade.py", i + 1, i);

		FRAME_PUT(fw, 0, string, .id = 1 + i,
			  .text = { (uint64_t)(uintptr_t)text, (uint64_t)length });
	}
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000, .command = 1);
	FRAME_PUT(fw, 0, thread, .stream = 1, .process = 1, .tid = 1000);
	frame_end_block(fw);
}

/* The calls of one frame; the time of the last one, 0: there is none. */
static uint64_t put_calls(struct frame_writer *fw)
{
	uint64_t time_ns, last_ns = 0;
	unsigned int function;
	char what[8];

	frame_begin_block(fw, 1);
	for (unsigned int i = 0; i < FRAME_CALLS; i++) {
		if (scanf("%" SCNu64 " %7s %u", &time_ns, what, &function) != 3 ||
		    function >= FUNCTIONS)
			break;
		last_ns = time_ns;
		if (what[0] == 'e')
			FRAME_PUT(fw, time_ns, function_enter, .function = 1 + function);
		else
			FRAME_PUT(fw, time_ns, function_return, .function = 1 + function);
	}
	frame_end_block(fw);
	return last_ns;
}

int main(int argc, char **argv)
{
	struct file_header header = { .version = FILE_VERSION,
				      .base_mono = 1000000000,
				      .base_real = 2000000000,
				      .pid = 1000,
				      .session = "calls",
				      .host = "host" };
	struct recording r;
	uint64_t last_ns, end_ns = 0;
	FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!out) {
		fprintf(stderr, "usage: call_file FILE <CALLS\n");
		return 2;
	}
	recording_start(&r, &header);
	put_start(r.fw);
	while ((last_ns = put_calls(r.fw)) && r.seek_count < RECORDING_FRAMES_MAX - 2)
		recording_close_frame(&r, end_ns = last_ns);
	if (!feof(stdin)) {
		fprintf(stderr,
			"call_file: standard input has too many calls, or a line that is none\n");
		return 1;
	}
	recording_finish(&r, end_ns);
	if (fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	recording_release(&r);
	return 0;
}
