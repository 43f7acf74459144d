/* SPDX-License-Identifier: MIT */
/*
 * The largest causes on the first screen: what is wrong, the time at stake, the line, the command
 * that shows more.
 */
#include <stdlib.h>
#include <string.h>

#include "report/advice/cause.h"
#include "report/base/text.h"
#include "report/summary/summary_screen.h"

#define CAUSES_MAX 3u
#define CAUSE_INDENT 3u
#define FIGURES_LINES 2u
#define SMALL_SHARE 2.0 /* % of the steps or the run */
#define HEADING_WIDTH 76u
#define HEADING_MORE ", with the time at stake"

/* "5.06 s, 17 % of the steps": all the time that the advice is about. */
static void put_stake(const struct bottleneck *bottleneck, const struct advice *advice, FILE *out)
{
	char time[UNIT_TEXT_BYTES];

	if (advice->gain_ns)
		fprintf(out, ": %s, %.0f %% of the %s", unit_format_ns(time, advice->gain_ns),
			advice_share(bottleneck, advice),
			advice_base_of(advice) == ADVICE_OF_STEPS ? "steps"
								  : advice_base_text(advice));
}

struct cause_form {
	unsigned int number;
	bool has_figures; /* also of what is about time */
	bool hides_place;
};

/* Shares of steps are of those that are settled, which are fewer than the bar of the run has. */
static void print_heading(const struct bottleneck *bottleneck, const struct screen *screen)
{
	bool is_wide = screen->width >= HEADING_WIDTH;

	putc('\n', screen->out);
	screen_print(screen, SCREEN_BOLD, "what to look at first%s%s", is_wide ? HEADING_MORE : "",
		     is_wide && bottleneck->loop.warm_steps ? "; of steps: after the warm-up" : "");
	putc('\n', screen->out);
}

/*
 * A text that lost its end ends with a sentence or a clause if that leaves most of it, otherwise
 * with a word. `length`: without the mark.
 */
static void cut_at_words(char *text, size_t length, const char *mark)
{
	size_t end = length, word = 0;

	while (end > length / 2 && !(text[end - 1] == '.' && text[end] == ' '))
		end--;
	if (end > length / 2) {
		text[end] = '\0';
		return;
	}
	end = length;
	while (end > length / 2 && !(strchr(";:,", text[end - 1]) && text[end] == ' '))
		end--;
	for (word = length; word && text[word - 1] != ' ';)
		word--;
	if (end > length / 2)
		end--;
	else
		end = word ? word - 1 : length;
	sprintf(text + end, " %s", mark);
}

/* Of what is about no time; and of the first cause, where no line says where it is. */
static void print_figures(const struct advice *advice, const struct screen *screen)
{
	const char *mark = screen->utf8 ? "\xe2\x80\xa6" : "..";
	char text[ADVICE_BYTES], shown[ADVICE_BYTES + 8];
	size_t width = screen->width > 40 ? screen->width - CAUSE_INDENT : 40, length;
	struct prose prose;

	cause_figures(advice, text);
	length = text_shorten_end(shown, text, strlen(text), FIGURES_LINES * width - 8, mark);
	if (length != strlen(text) || strcmp(shown, text) != 0)
		cut_at_words(shown, length - strlen(mark), mark);
	fprintf(screen->out, "%*s", (int)CAUSE_INDENT, "");
	prose_begin(&prose, screen);
	prose.used = prose.indent = CAUSE_INDENT;
	fputs(shown, prose.screen.out);
	prose_end(&prose, screen);
}

/* The line and the command, on one line of the screen where they have room. */
static void print_place(const struct advice *advice, const struct screen *screen, const char *file,
			bool hides_place)
{
	char place[CAUSE_PLACE_BYTES] = "";
	size_t command = strlen("prof-report  ") + strlen(advice->command) + strlen(file);
	struct prose prose;

	if (!screen->uncut && CAUSE_INDENT + command > screen->width) {
		command -= strlen(file);
		file = SCREEN_FILE;
		command += strlen(file);
	}
	if (!hides_place)
		cause_place(advice, place);
	fprintf(screen->out, "%*s", (int)CAUSE_INDENT, "");
	if (place[0] &&
	    CAUSE_INDENT + text_width(place, strlen(place)) + 3 + command <= screen->width) {
		fprintf(screen->out, "%s   ", place);
	} else if (place[0]) {
		prose_begin(&prose, screen);
		prose.used = prose.indent = CAUSE_INDENT;
		fputs(place, prose.screen.out);
		prose_end(&prose, screen);
		fprintf(screen->out, "%*s", (int)CAUSE_INDENT, "");
	}
	fprintf(screen->out, "prof-report %s %s\n", advice->command, file);
}

static void print_cause(const struct summary *summary, const struct advice *advice,
			const struct screen *screen, struct cause_form form)
{
	char title[CAUSE_TITLE_BYTES], *file = summary_file_word(summary, screen);
	struct prose prose;

	screen_print(screen, SCREEN_BOLD, "%u. ", form.number);
	prose_begin(&prose, screen);
	prose.used = prose.indent = CAUSE_INDENT;
	fputs(cause_title(advice, title), prose.screen.out);
	put_stake(&summary->bottleneck, advice, prose.screen.out);
	prose_end(&prose, screen);
	if (!advice->gain_ns || form.has_figures)
		print_figures(advice, screen);
	print_place(advice, screen, file, form.hides_place);
	free(file);
}

static unsigned int lines_of(const char *text)
{
	unsigned int lines = 0;

	while ((text = strchr(text, '\n'))) {
		lines++;
		text++;
	}
	return lines;
}

/* The cause as text; to be freed. */
static char *make_cause(const struct summary *summary, const struct advice *advice,
			const struct screen *screen, struct cause_form form)
{
	struct screen own = *screen;
	char *text = NULL;
	size_t length;

	own.out = open_memstream(&text, &length);
	if (!own.out)
		return NULL;
	print_cause(summary, advice, &own, form);
	fclose(own.out);
	return text;
}

/*
 * With figures where it is the first, no line says where it is, and they have room. The first may
 * be without its place, which the verdict has. NULL: it has no room.
 */
static char *make_fitting(const struct summary *summary, const struct advice *advice,
			  const struct screen *screen, unsigned int number,
			  struct summary_causes as)
{
	bool has_place = advice->place.line[0] || advice->place.function[0];
	bool may_hide = has_place && advice == summary_first_cause(summary);
	struct cause_form form = { .number = number,
				   .has_figures = number == 1 && !has_place,
				   .hides_place = may_hide && as.hides_place };
	char *text = make_cause(summary, advice, screen, form);

	form.hides_place = may_hide;
	if ((form.has_figures || may_hide) && text && lines_of(text) > as.room) {
		free(text);
		form.has_figures = false;
		text = make_cause(summary, advice, screen, form);
	}
	if (text && lines_of(text) <= as.room)
		return text;
	free(text);
	return NULL;
}

/* Nobody would look at it while there is another. */
static bool summary_causes_is_small(const struct bottleneck *bottleneck,
				    const struct advice *advice)
{
	return advice->gain_ns && advice_share(bottleneck, advice) < SMALL_SHARE;
}

/* The one that the verdict is about comes first; NULL: there are no more. */
static const struct advice *summary_cause_at(const struct summary *summary, size_t number)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;
	const struct advice *first = summary_first_cause(summary), *advice;

	if (number >= bottleneck->advice_count || !first)
		return number < bottleneck->advice_count ? &bottleneck->advice[number] : NULL;
	if (!number)
		return first;
	advice = &bottleneck->advice[number - 1];
	return advice < first ? advice : advice + 1;
}

bool summary_print_causes(const struct summary *summary, const struct screen *screen,
			  struct summary_causes as, unsigned int *ret_shown)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;
	const struct advice *advice;
	unsigned int shown = 0;

	*ret_shown = 0;
	if (as.room < 2)
		return false;
	as.room -= 2; /* an empty line and the heading */
	for (size_t i = 0; shown < CAUSES_MAX && (advice = summary_cause_at(summary, i)); i++) {
		char *text;

		if (!cause_is_of_program(advice) ||
		    (shown && summary_causes_is_small(bottleneck, advice)))
			continue;
		text = make_fitting(summary, advice, screen, shown + 1, as);
		if (!text)
			return false;
		if (!shown++)
			print_heading(bottleneck, screen);
		fputs(text, screen->out);
		*ret_shown = shown;
		as.room -= lines_of(text);
		free(text);
	}
	return true;
}
