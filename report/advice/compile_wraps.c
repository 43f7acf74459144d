/* SPDX-License-Identifier: MIT */
/*
 * The wrapper is compile_wrapper() in torch/_dynamo/eval_frame.py. What is compiled opens regions
 * (regions.h): where no process has one, nothing compiled ran.
 */
#include "report/advice/compile_wraps.h"

#include "report/base/text.h"
#include "report/samples/place_roles.h"

#define WRAPPER "compile_wrapper"
#define WRAPPER_FILE "torch/_dynamo/eval_frame.py"
#define WRAPS_LOOKS_MIN 10u
#define WRAPS_MIN 15.0 /* %: a forward pass is much more, and the rest is the advice's */

static bool compile_wraps_is_wrapper(const struct step_lines *lines, const struct sample_code *code)
{
	size_t length, file_length;
	const char *name = name_text(source_name_at(lines->source, code->function), &length);
	const char *file = name_text(source_name_at(lines->source, code->file), &file_length);

	return text_is(name, length, WRAPPER) && place_file_is(file, file_length, WRAPPER_FILE);
}

static bool compile_wraps_has(const struct step_lines *lines, uint64_t key)
{
	const struct sample_place *place = samples_place(lines->samples, key);

	for (unsigned int depth = 0; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct sample_code *code = samples_code(lines->samples, place->code);

		if (code && compile_wraps_is_wrapper(lines, code))
			return true;
		place = place->from ? samples_place(lines->samples, place->from) : NULL;
	}
	return false;
}

double compile_wraps_percent(const struct step_lines *lines)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < lines->row_count; i++)
		if (STEP_LINES_OF_LOOP & 1u << lines->row[i].of &&
		    compile_wraps_has(lines, lines->row[i].place))
			ns += lines->row[i].ns;
	return lines->all_looks >= WRAPS_LOOKS_MIN && lines->all_ns
		       ? 100.0 * (double)ns / (double)lines->all_ns
		       : 0;
}

void compile_wraps_say(const struct bottleneck *bottleneck, struct advice *advice)
{
	double percent = compile_wraps_percent(bottleneck->lines);

	if (percent < WRAPS_MIN || bottleneck->evidence->regions.count || bottleneck->sampled ||
	    !bottleneck->loop.work.operators)
		return;
	advice_add(
		advice,
		" By samples, %.0f %% of the steps' time is in what torch.compile was given, but "
		"nothing that it compiled ran: it gave up.",
		percent);
	advice->todo =
		"See why torch.compile gave up: set TORCH_LOGS=graph_breaks, or "
		"torch.compile(fullgraph=True), which fails there. Usual reasons are item(), "
		"prints and branches that depend on data, inside of a loop.";
}
