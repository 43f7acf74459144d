/* SPDX-License-Identifier: MIT */
/*
 * Report `watch`: looks once a second. On a terminal each output replaces the previous one;
 * otherwise the blocks follow each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/talk.h"
#include "report/core/report_kind.h"
#include "report/watch/board.h"
#include "report/watch/terminal.h"
#include "report/watch/watch_stuck.h"
#include "report/watch/watched.h"

#define INTERVAL_MS 1000u
#define INTERVAL_MIN_S 0.05
#define INTERVAL_MAX_S 86400.0
#define WINDOW_S 10u
#define WINDOW_MAX_S 3600.0
#define COUNT_MAX 1e9
#define ROWS 24u /* for a terminal that does not tell */

struct watch {
	struct watched watched;
	struct watch_stuck stuck;
	struct screen screen;
	unsigned int interval_ms, window_s;
	uint64_t looks, looks_max; /* 0: unlimited */
	bool draws;
	size_t rows;
};

/* --- the command line --- */

/* Parses the number of option `which`; `number` is unchanged if the option is not given. */
static int report_watch_take_number(struct report_request *request, enum report_option which,
				    const char *name, double least, double most, double *number)
{
	const char *text = request->options->of_report[which].text;
	char *end;
	double value;

	if (!text)
		return STATUS_OK;
	value = strtod(text, &end);
	if (end == text || *end || !(value >= least && value <= most)) {
		snprintf(request->message, sizeof(request->message),
			 "--%s '%s' is not a number from %g to %g, such as %g", name, text, least,
			 most, *number >= least ? *number : 3);
		return STATUS_USAGE;
	}
	*number = value;
	return STATUS_OK;
}

static int watch_take_options(struct watch *watch, struct report_request *request)
{
	double interval_s = INTERVAL_MS / 1000.0, window_s = WINDOW_S, count = 0;
	int status = report_watch_take_number(request, REPORT_OPTION_interval, "interval",
					      INTERVAL_MIN_S, INTERVAL_MAX_S, &interval_s);

	if (!status)
		status = report_watch_take_number(request, REPORT_OPTION_window, "window", 1,
						  WINDOW_MAX_S, &window_s);
	if (!status)
		status = report_watch_take_number(request, REPORT_OPTION_count, "count", 1,
						  COUNT_MAX, &count);
	if (!status && request->options->file_count != 1) {
		snprintf(request->message, sizeof(request->message),
			 "watch takes one recording or one pid, not %zu; its session is found",
			 request->options->file_count);
		status = STATUS_USAGE;
	}
	watch->interval_ms = (unsigned int)(interval_s * 1000);
	watch->window_s = (unsigned int)window_s;
	watch->looks_max = (uint64_t)count;
	return status;
}

/* --- looks --- */

static void watch_print(struct watch *watch, FILE *out, bool is_drawn)
{
	const struct board board = {
		.name = watch->watched.path,
		.follower = watch->watched.follower,
		.count = watch->watched.count,
		.rows = is_drawn ? watch->rows : 0,
		.has_ended = watched_has_ended(&watch->watched),
		.is_live = is_drawn,
		.verdict = watch->stuck.verdict,
	};
	struct screen screen = watch->screen;

	screen.out = out;
	board_print(&board, &screen);
}

static void watch_draw(struct watch *watch)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	terminal_size(&watch->screen.width, &watch->rows);
	out = open_memstream(&text, &length);
	if (!out) {
		memory_grow(NULL, SIZE_MAX, 1); /* ends the program with the usual message */
		return;
	}
	watch_print(watch, out, true);
	if (!fclose(out))
		terminal_draw(text, length);
	free(text);
}

static void watch_show(struct watch *watch)
{
	if (watch->draws) {
		watch_draw(watch);
		return;
	}
	if (watch->looks)
		fputc('\n', watch->screen.out);
	watch_print(watch, watch->screen.out, false);
	fflush(watch->screen.out);
}

/* False: the user has closed it. */
static bool watch_wait(struct watch *watch)
{
	enum terminal_event event;

	do {
		event = terminal_wait(watch->interval_ms);
		if (event == TERMINAL_DRAW && watch->draws)
			watch_draw(watch);
	} while (event == TERMINAL_DRAW);
	return event == TERMINAL_TIME;
}

static int watch_run(struct watch *watch, struct report_request *request)
{
	int status;

	do {
		status = watched_look(&watch->watched, request->message, sizeof(request->message));
		if (!status) {
			watch_stuck_look(&watch->stuck, &watch->watched);
			watch_show(watch);
		}
		watch->looks++;
		if (status || ferror(watch->screen.out) || watched_has_ended(&watch->watched) ||
		    (watch->looks_max && watch->looks >= watch->looks_max))
			return status;
	} while (watch_wait(watch));
	return status;
}

/* The last output stays on the screen, below what was there before. */
static void watch_leave(struct watch *watch, int status)
{
	terminal_close();
	if (watch->draws && !status)
		watch_print(watch, watch->screen.out, false);
}

/* A file that was truncated or damaged counts as one that could not be read completely. */
static int watch_status(const struct watch *watch)
{
	const struct source_fault *fault;

	for (size_t i = 0; i < watch->watched.count; i++)
		if (watch->watched.follower[i]->is_cut_short ||
		    source_faults(watch->watched.follower[i]->source, &fault))
			return STATUS_INPUT;
	return STATUS_OK;
}

static int watch_files(struct report_request *request)
{
	struct watch watch = { .screen = request->screen,
			       .rows = ROWS,
			       .stuck.options = request->options };
	int status = watch_take_options(&watch, request);

	if (!status)
		status = watched_open(&watch.watched, request->options->file[0], watch.window_s,
				      request->message, sizeof(request->message));
	if (status)
		return status;
	watch.draws = terminal_is_there();
	terminal_open(watch.draws);
	status = watch_run(&watch, request);
	watch_leave(&watch, status);
	if (!status)
		status = watch_status(&watch);
	watched_release(&watch.watched);
	watch_stuck_release(&watch.stuck);
	return status;
}

const struct report_kind report_kind_watch = { .read_files = watch_files };
