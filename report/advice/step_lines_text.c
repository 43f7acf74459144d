/* SPDX-License-Identifier: MIT */
/*
 * Lines of steps in sentences, and as places of advice. A name is shown without its folders there,
 * and whole in a place.
 */
#include <stdio.h>
#include <string.h>

#include "report/advice/step_lines.h"
#include "report/base/text.h"
#include "report/samples/own_places.h"

#define NAME_SHOWN 60u /* bytes of a file's name, and of a function's */

static void step_lines_show_name(const struct source *source, uint32_t name, bool is_file,
				 char shown[NAME_SHOWN + 1])
{
	size_t length;
	const char *text = name_text(source_name_at(source, name), &length);
	const char *slash = is_file ? memrchr(text, '/', length) : NULL;

	if (slash) {
		length -= (size_t)(slash + 1 - text);
		text = slash + 1;
	}
	text_escape(shown, NAME_SHOWN + 1, text, length);
}

void step_line_put_name(const struct source *source, uint32_t name, uint32_t number,
			char shown[ADVICE_LINE_BYTES])
{
	char escaped[ADVICE_LINE_BYTES - 16];
	size_t length;
	const char *text = name_text(source_name_at(source, name), &length);

	text_escape(escaped, sizeof(escaped), text, length);
	if (number)
		snprintf(shown, ADVICE_LINE_BYTES, "%s:%u", escaped, number);
	else
		snprintf(shown, ADVICE_LINE_BYTES, "%s", escaped);
}

/*
 * Finds the package's function in which the user's line spends its time. Returns false if none
 * stands out.
 */
static bool step_lines_find_library(const struct step_lines *lines, const struct step_line *line,
				    char text[LIBRARY_PLACE_BYTES])
{
	const struct library_caller caller = { .file = line->file,
					       .number = line->number,
					       .of_cpu = line->of_cpu };
	struct library_place place;
	struct own own;
	bool is_found;

	text[0] = '\0';
	if (line->has_library && line->library.number)
		library_place_text(lines->source, &line->library, text);
	if (!line->is_users || line->of_function || line->has_library)
		return text[0];
	own_places_init(&own, lines->samples, lines->source, run_options(lines->run));
	is_found = library_place_find(lines->samples, &own, &caller, &place);
	if (is_found)
		library_place_text(lines->source, &place, text);
	own_release(&own);
	return is_found;
}

void step_line_put(const struct step_lines *lines, const struct step_line *line,
		   struct advice_place *place)
{
	place->samples = line->looks;
	if (!line->is_users)
		return;
	step_line_put_name(lines->source, line->file, line->number, place->line);
	step_line_put_name(lines->source, line->function, 0, place->function);
	if (line->caller_file != SAMPLE_NONE)
		step_line_put_name(lines->source, line->caller_file, line->caller_number,
				   place->caller);
	step_lines_find_library(lines, line, place->library);
}

void step_line_text(const struct step_lines *lines, const struct step_line *line,
		    char text[STEP_LINE_BYTES])
{
	char file[NAME_SHOWN + 1], function[NAME_SHOWN + 1], caller[NAME_SHOWN + 1];
	char library[LIBRARY_PLACE_BYTES];
	const char *others = line->of_function ? " and what it calls" : "";
	bool has_caller = line->caller_file != SAMPLE_NONE;
	bool has_library = step_lines_find_library(lines, line, library);
	size_t used;

	step_lines_show_name(lines->source, line->file, true, file);
	step_lines_show_name(lines->source, line->function, false, function);
	if (has_caller)
		step_lines_show_name(lines->source, line->caller_file, true, caller);
	if (has_caller)
		snprintf(text, STEP_LINE_BYTES, "%s:%u (%s%s), called from %s:%u", file,
			 line->number, function, others, caller, line->caller_number);
	else
		snprintf(text, STEP_LINE_BYTES, "%s:%u (%s%s)", file, line->number, function,
			 others);
	used = strlen(text);
	if (has_library)
		snprintf(text + used, STEP_LINE_BYTES - used, ", mostly in %s", library);
}

bool step_line_is_guess(const struct step_line *line)
{
	return line->looks < STEP_LINES_SURE_LOOKS;
}

const char *step_line_guess(const struct step_line *line, char text[STEP_LINE_GUESS_BYTES])
{
	text[0] = 0;
	if (step_line_is_guess(line))
		snprintf(text, STEP_LINE_GUESS_BYTES, ", by %u samples, so this is a guess",
			 (unsigned int)line->looks);
	return text;
}

static void step_lines_say_line(const struct step_lines *lines, const char *words, double percent,
				const struct step_line *line, struct advice *advice)
{
	char text[STEP_LINE_BYTES], guess[STEP_LINE_GUESS_BYTES];
	size_t used = strlen(advice->text);

	step_line_text(lines, line, text);
	if (!*advice->place
		      .line) /* else the rule has a better line: a worker's, or a lock owner's */
		step_line_put(lines, line, &advice->place);
	snprintf(advice->text + used, sizeof(advice->text) - used,
		 " By samples, %.0f %% of the %s was in %s%s.", percent, words, text,
		 step_line_guess(line, guess));
}

/* Operators of many lines have at least a function, as a model's forward(). */
#define OF_FORWARD (STEP_LINES(OPERATORS) | STEP_LINES(CLONES) | STEP_LINES(HOST))

void step_lines_say(const struct step_lines *lines, struct advice *advice)
{
	static const struct {
		bool (*look)(const struct bottleneck *bottleneck, struct advice *advice);
		unsigned int of;
		const char *words;
	} lined[] = {
		{ advice_between_operators, STEP_LINES(GAPS), "time outside of operators" },
		{ advice_dataloader, STEP_LINES(DATALOADER), "time in the DataLoader" },
		{ advice_worker_restarts, STEP_LINES(DATALOADER), "time in the DataLoader" },
		{ advice_optimizer, STEP_LINES(OPTIMIZER), "optimizer's time" },
		{ advice_dense_embedding, STEP_LINES(OPTIMIZER), "optimizer's time" },
		{ advice_zero_grad, STEP_LINES(ZERO_GRAD), "time in zero_grad()" },
		{ advice_item, STEP_LINES(WAITS), "time in such calls" },
		{ advice_synchronising, STEP_LINES(WAITS), "time in such calls" },
		{ advice_pageable_copies, STEP_LINES(COPIES), "time in such copies" },
		{ advice_device_allocations, STEP_LINES(FREES), "time in cudaFree()" },
		{ advice_device_allocations, STEP_LINES(MALLOCS), "time in cudaMalloc()" },
		{ advice_copies, STEP_LINES(CLONES), "host's time in such copies" },
		{ advice_small_copies, STEP_LINES(COPIES), "time in such copies" },
		{ advice_host_operators, STEP_LINES(HOST), "time in such operators" },
		/* backward repeats what forward calls: that line is to be changed */
		{ advice_small_operators, OF_FORWARD, "time in operators outside of backward" },
		{ advice_small_operators,
		  STEP_LINES(HELPED) | STEP_LINES(OPERATORS) | STEP_LINES(CLONES) |
			  STEP_LINES(HOST) | STEP_LINES(BACKWARD),
		  "time in operators" },
		{ advice_launch_bound,
		  STEP_LINES_OF_LOOP & ~STEP_LINES(HELPED) & ~STEP_LINES(BACKWARD) &
			  ~STEP_LINES(GAPS) & ~STEP_LINES(HOST),
		  "time in which the host launches, outside of backward," },
		{ advice_gpu_idle,
		  STEP_LINES_OF_LOOP & ~STEP_LINES(HELPED) & ~STEP_LINES(BACKWARD) &
			  ~STEP_LINES(WAITS),
		  "host's time outside of backward" },
	};
	struct step_line line;
	double percent;

	for (size_t i = 0; i < sizeof(lined) / sizeof(lined[0]); i++)
		if (lined[i].look == advice->rule->look &&
		    (step_lines_find(lines, lined[i].of, &line, &percent) ||
		     (lined[i].of == OF_FORWARD &&
		      step_lines_find_function(lines, lined[i].of, &line, &percent)))) {
			step_lines_say_line(lines, lined[i].words, percent, &line, advice);
			return;
		}
}
