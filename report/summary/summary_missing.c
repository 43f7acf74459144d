/* SPDX-License-Identifier: MIT */
/*
 * What is missing from the recording, in a line or two of the first screen. The whole list stands
 * in front of any other report.
 */
#include <string.h>

#include "report/base/text.h"
#include "report/session/limitations.h"
#include "report/summary/summary_screen.h"

#define WORDS_BYTES 512
#define LINES_MAX 2u

/* The first limitation, and how many there are. */
struct limits {
	char first[WORDS_BYTES];
	size_t count;
};

static void limits_take(void *context, const struct limitation_told *told)
{
	struct limits *limits = context;
	char subject[WORDS_BYTES / 4] = "";

	if (limits->count++)
		return;
	if (told->subject)
		text_escape(subject, sizeof(subject), told->subject->text, told->subject->length);
	snprintf(limits->first, sizeof(limits->first), "%s%s%s", subject, *subject ? " " : "",
		 told->sentence);
}

static const char *put_lost(const struct summary *summary, FILE *out)
{
	const struct source_loss *loss, *first = NULL;
	size_t count = source_losses(summary->source, &loss), kinds = 0;
	char text[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		if (!loss[i].count)
			continue;
		first = first ? first : &loss[i];
		kinds++;
	}
	if (!first)
		return "";
	fprintf(out, "%s %s lost: %s", unit_format_count(text, first->count),
		lost_is_of_events(first->reason)   ? "events"
		: lost_is_of_stacks(first->reason) ? "stacks"
						   : "libraries",
		source_loss_text(first));
	if (kinds > 1)
		fprintf(out, ", and %zu more loss%s", kinds - 1, kinds == 2 ? "" : "es");
	return "; ";
}

static const char *put_faults(const struct summary *summary, FILE *out, const char *before)
{
	const struct source_fault *fault;
	size_t faults = source_faults(summary->source, &fault);

	if (!faults)
		return before;
	fprintf(out, "%s%zu fault%s in the files", before, faults, unit_plural(faults));
	return "; ";
}

static void put_limits(const struct summary *summary, FILE *out, const char *before)
{
	struct limits limits = { .count = 0 };

	limitations_tell(summary->source, run_families(summary->run), limits_take, &limits);
	if (!limits.count)
		return;
	fprintf(out, "%s%s", before, limits.first);
	if (limits.count > 1)
		fprintf(out, ", and %zu more limit%s", limits.count - 1,
			unit_plural(limits.count - 1));
}

void summary_print_missing(const struct summary *summary, const struct screen *screen)
{
	size_t room = (screen->width > 40 ? screen->width - SCREEN_LABEL : 31) * LINES_MAX - 24;
	char text[3 * WORDS_BYTES] = "", shown[3 * WORDS_BYTES + 8];
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	const char *before;
	struct prose prose;

	if (!out)
		return;
	before = put_lost(summary, out);
	before = put_faults(summary, out, before);
	put_limits(summary, out, before);
	fclose(out);
	if (!text[0])
		return;
	text_shorten_end(shown, text, strlen(text), room, screen->utf8 ? "\xe2\x80\xa6" : "..");
	if (screen->color)
		fputs("\033[" SCREEN_RED "m", screen->out);
	screen_label_begin(&prose, screen, "MISSING");
	fprintf(prose.screen.out, "%s (--all says more)", shown);
	prose_end(&prose, screen);
	if (screen->color)
		fputs("\033[0m", screen->out);
}
