/* SPDX-License-Identifier: MIT */
/*
 * Prints the first screen in its order. Parts are written to memory first, because the causes get
 * the lines that are left.
 */
#include "report/summary/summary_screen.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/shell_word.h"

#define PATH_WIDTH 24u
#define COMMAND_WIDTH 40u /* of the longest commands */

/* --- parts --- */

struct screen_part {
	struct screen screen;
	char *text;
	size_t length;
};

static void part_begin(struct screen_part *part, const struct screen *screen)
{
	*part = (struct screen_part){ .screen = *screen };
	part->screen.out = open_memstream(&part->text, &part->length);
	if (!part->screen.out)
		part->screen.out = screen->out;
}

/* The text of the part is complete. If there was no memory for it, it has been written already. */
static void part_close(struct screen_part *part, const struct screen *screen)
{
	if (part->screen.out != screen->out)
		fclose(part->screen.out);
}

static unsigned int part_lines(const struct screen_part *part)
{
	unsigned int lines = 0;

	for (size_t i = 0; i < part->length; i++)
		lines += part->text[i] == '\n';
	return lines;
}

static void part_write(struct screen_part *part, const struct screen *screen)
{
	if (part->length)
		fwrite(part->text, 1, part->length, screen->out);
	free(part->text);
}

void screen_label_begin(struct prose *prose, const struct screen *screen, const char *label)
{
	fprintf(screen->out, "%-*s", (int)SCREEN_LABEL, label);
	prose_begin(prose, screen);
	prose->used = prose->indent = SCREEN_LABEL;
}

/* A narrow screen may have more lines for the same words. */
static unsigned int lines_of_screen(const struct screen *screen)
{
	if (screen->width >= SCREEN_COLUMNS || !screen->width)
		return SCREEN_LINES;
	return SCREEN_LINES * SCREEN_COLUMNS / (unsigned int)screen->width;
}

char *summary_file_word(const struct summary *summary, const struct screen *screen)
{
	struct source_file *const *file;
	const char *path = source_files(summary->source, &file) ? file[0]->path : "run.evt";
	const char *slash = strrchr(path, '/');
	char *word;

	path = strlen(path) <= PATH_WIDTH || !slash ? path : slash + 1;
	word = memory_grow(NULL, shell_word_room(path) + sizeof(SCREEN_FILE), 1);
	shell_word(word, shell_word_room(path), path);
	if (!screen->uncut && strlen(word) + COMMAND_WIDTH > screen->width &&
	    strlen(word) > PATH_WIDTH)
		memcpy(word, SCREEN_FILE, sizeof(SCREEN_FILE));
	return word;
}

/* --- the screen --- */

/* Prints the answer as a paragraph of its own. */
static void print_answer(const struct summary *summary, const struct screen *screen)
{
	summary_print_title(summary, screen);
	summary_print_verdict(summary, screen);
}

static void summary_screen_print_figures(const struct summary *summary, const struct screen *screen,
					 bool says_losses)
{
	summary_print_bars(summary, screen);
	summary_print_requests(summary, screen);
	summary_print_memory_line(summary, screen);
	summary_print_gpu_line(summary, screen);
	if (says_losses)
		summary_print_missing(summary, screen);
}

/* The causes and the commands to run next, in so many lines. */
struct screen_end {
	struct screen_part causes, next;
	unsigned int shown;
	bool is_whole;
};

static struct screen_end end_make(const struct summary *summary, const struct screen *screen,
				  unsigned int lines, size_t most_next, bool hides_place)
{
	struct summary_causes as = { .hides_place = hides_place };
	struct screen_end end;

	part_begin(&end.next, screen);
	summary_print_next(summary, &end.next.screen, most_next);
	part_close(&end.next, screen);
	as.room = part_lines(&end.next) < lines ? lines - part_lines(&end.next) : 0;
	part_begin(&end.causes, screen);
	end.is_whole = summary_print_causes(summary, &end.causes.screen, as, &end.shown);
	part_close(&end.causes, screen);
	/* without memory it has been written */
	end.is_whole |= end.causes.screen.out == screen->out;
	return end;
}

/*
 * One more cause is worth more than a place that the verdict has as well, and than further
 * commands: each cause has one of its own.
 */
static void summary_screen_print_end(const struct summary *summary, const struct screen *screen,
				     unsigned int lines)
{
	struct screen_end end = end_make(summary, screen, lines, SUMMARY_NEXT_MAX, false), other;

	for (size_t most = SUMMARY_NEXT_MAX; most && !end.is_whole; most--) {
		bool is_better;

		other = end_make(summary, screen, lines, most, true);
		is_better = other.shown > end.shown;
		free(is_better ? end.causes.text : other.causes.text);
		free(is_better ? end.next.text : other.next.text);
		end = is_better ? other : end;
	}
	part_write(&end.causes, screen);
	part_write(&end.next, screen);
}

void summary_print_screen(const struct summary *summary, const struct screen *screen,
			  bool says_losses)
{
	struct screen_part answer, figures;
	unsigned int used, lines = lines_of_screen(screen);

	part_begin(&answer, screen);
	print_answer(summary, &answer.screen);
	part_close(&answer, screen);
	part_begin(&figures, screen);
	summary_screen_print_figures(summary, &figures.screen, says_losses);
	part_close(&figures, screen);
	used = part_lines(&answer) + part_lines(&figures);
	used += figures.length != 0;
	used += summary_shows_all(summary, screen); /* the same causes as without --all */
	part_write(&answer, screen);
	if (figures.length)
		putc('\n', screen->out);
	part_write(&figures, screen);
	summary_screen_print_end(summary, screen, used < lines ? lines - used : 0);
}
