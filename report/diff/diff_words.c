/* SPDX-License-Identifier: MIT */
/* Prints the lines that people read around a comparison. */
#include "report/diff/diff.h"

#include <string.h>

#include "report/base/text.h"

/* NULL: it is not known. */
static const char *diff_words_command(const struct side *side)
{
	struct source_process *const *process;

	return source_processes(side->request.source, &process) && process[0]->command
		       ? process[0]->command->text
		       : NULL;
}

static void print_side(const struct screen *screen, const char *role, const struct side *side)
{
	const char *command = diff_words_command(side);
	char text[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out, "%s: ", role);
	text_print(line.screen.out, side->name);
	fprintf(line.screen.out, ", %s", unit_format_ns(text, source_end_ns(side->request.source)));
	if (command) {
		fputs(", ", line.screen.out);
		text_print(line.screen.out, command);
	}
	prose_end(&line, screen);
}

const char *diff_other_command(const struct sides *sides)
{
	const char *first = diff_words_command(&sides->side[0]), *other;

	for (size_t i = 1; first && i < sides->count; i++) {
		other = diff_words_command(&sides->side[i]);
		if (other && strcmp(first, other) != 0)
			return other;
	}
	return NULL;
}

/* Returns the first one of that key, of the session or of a process; NULL: there is none. */
static const struct source_meta *meta_like(const struct source *source,
					   const struct source_meta *like)
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);

	for (size_t i = 0; i < count; i++)
		if (!meta[i].process == !like->process &&
		    meta[i].key->length == like->key->length && meta[i].key->text &&
		    !memcmp(meta[i].key->text, like->key->text, like->key->length))
			return &meta[i];
	return NULL;
}

/* Prints facts of the environment that differ between the runs: versions, threads, settings. */
static void diff_words_print_environment(const struct screen *screen, const struct source *before,
					 const struct source *after)
{
	static const char *const facts[] = { "python_version",  "torch_version",
					     "torch_cuda",      "torch_threads",
					     "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
					     "WORLD_SIZE",      "preset",
					     "trace",           "stacks",
					     "sample" };
	const struct source_meta *meta;
	size_t count = source_metas(after, &meta);

	for (size_t i = 0; i < count; i++) {
		const struct source_name *was, *is = meta[i].value;
		const struct source_meta *other;
		size_t known = 0;
		struct prose line;

		if (!meta[i].key->text || meta_like(after, &meta[i]) != &meta[i])
			continue;
		while (known < sizeof(facts) / sizeof(facts[0]) &&
		       strcmp(facts[known], meta[i].key->text) != 0)
			known++;
		other = meta_like(before, &meta[i]);
		was = other ? other->value : NULL;
		if (known == sizeof(facts) / sizeof(facts[0]) || !was || !was->text || !is ||
		    !is->text || !strcmp(was->text, is->text))
			continue;
		prose_begin(&line, screen);
		fprintf(line.screen.out, "%s: ", facts[known]);
		text_print(line.screen.out, was->text);
		fputs(" before, ", line.screen.out);
		text_print(line.screen.out, is->text);
		fputs(" after", line.screen.out);
		prose_end(&line, screen);
	}
}

static bool side_draws_steps(const struct side *side)
{
	const struct source_meta *meta;
	size_t count = source_metas(side->request.source, &meta);

	for (size_t i = 0; i < count; i++)
		if (meta[i].key->text && !strcmp(meta[i].key->text, "budget"))
			return true;
	return false;
}

/* Runs need not have detail in as many steps as each other. */
static void print_drawn(const struct screen *screen, const struct sides *sides)
{
	bool draws = false;

	for (size_t i = 0; i < sides->count; i++)
		draws |= side_draws_steps(&sides->side[i]);
	if (draws)
		screen_print_prose(
			screen, "INTERCEPT_BUDGET was set: sums of operators and allocations are "
				"of the steps that have detail, or of such windows in a process "
				"without steps, which may be more in one run; compare figures per "
				"call");
}

void diff_head(const struct document *document, const struct screen *screen)
{
	const struct diff *diff = document->context;
	const struct sides *sides = &diff->sides;

	for (size_t i = 0; i < sides->count; i++)
		print_side(screen, i < sides->before ? "before" : "after", &sides->side[i]);
	if (diff_other_command(sides))
		screen_print_prose(screen, "The runs had different commands, so that what changed "
					   "may be what was asked of them.");
	diff_words_print_environment(screen, sides->side[0].request.source,
				     sides_after(sides)->request.source);
	print_drawn(screen, sides);
	if (diff->has_report && diff->changes.count)
		screen_print_prose(screen, "report %s%s%s", report_infos[diff->report].name,
				   diff->by == KEY_ID_LIMIT ? "" : " by ",
				   diff->by == KEY_ID_LIMIT ? "" : key_list[diff->by].name);
	putc('\n', screen->out);
}

void diff_foot(const struct document *document, const struct screen *screen)
{
	const struct diff *diff = document->context;
	bool is_undecided = false;

	for (int i = 0; i < REPORT_LIMIT; i++)
		if (diff->is_one_sided[i])
			screen_print_prose(screen, "%s: not all of the runs have rows of it%s",
					   report_infos[i].name,
					   diff->has_report ? ""
							    : ", so that it is not compared here");
	for (size_t i = 0; i < diff->changes.count; i++)
		is_undecided |= diff->changes.change[i].change.verdict == VERDICT_NONE;
	if (is_undecided)
		screen_print_prose(screen,
				   "No verdict: not enough runs to tell a change from noise (three "
				   "or more baselines are needed: --against).");
}
