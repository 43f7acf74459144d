/* SPDX-License-Identifier: MIT */
/* Writes a place as a frame, and a stack as one line for each frame. */
#include "report/samples/sample_frame.h"

#include <string.h>

void sample_frame_print(FILE *out, const struct samples *samples, struct source *source,
			const struct sample_place *place)
{
	const struct sample_code *code = samples_code(samples, place->code);
	size_t function_bytes, file_bytes;
	const char *function, *file, *slash;

	if (!code) {
		fputs("(unknown)", out);
		return;
	}
	function = name_text(source_name_at(source, code->function), &function_bytes);
	file = name_text(source_name_at(source, code->file), &file_bytes);
	slash = memrchr(file, '/', file_bytes);
	if (slash) {
		file_bytes -= (size_t)(slash + 1 - file);
		file = slash + 1;
	}
	fwrite(function, 1, function_bytes, out);
	fputs(" (", out);
	fwrite(file, 1, file_bytes, out);
	if (place->line)
		fprintf(out, ":%u", place->line);
	putc(')', out);
}

void sample_stack_print(FILE *out, const struct samples *samples, struct source *source,
			const struct sample_place *place, unsigned int most)
{
	unsigned int depth = 0;

	/* the depth is limited: a damaged file may link places in a circle */
	for (; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		if (depth && depth <= most)
			putc('\n', out);
		if (depth < most)
			sample_frame_print(out, samples, source, place);
		place = place->from ? samples_place(samples, place->from) : NULL;
	}
	if (depth > most)
		fprintf(out, "(%u more)", depth - most);
}
