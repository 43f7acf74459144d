/* SPDX-License-Identifier: MIT */
/*
 * The first screen of the summary: what ran, one verdict, where the run and a step went, memory,
 * what is missing, the largest causes and the command to run next. At most SCREEN_LINES lines where
 * the screen has SCREEN_COLUMNS columns.
 */
#ifndef REPORT_SUMMARY_SUMMARY_SCREEN_H
#define REPORT_SUMMARY_SUMMARY_SCREEN_H

#include "report/summary/summary.h"

#define SCREEN_LINES 25u
#define SCREEN_COLUMNS 80u
#define SCREEN_LABEL 9u   /* columns, of what stands in front of a line */
#define GUESS_SAMPLES 20u /* a share that rests on fewer is called a guess */

/* `says_losses`: nobody else says what is missing. */
void summary_print_screen(const struct summary *summary, const struct screen *screen,
			  bool says_losses);

/* A labelled line, whose further lines are indented; to be ended by prose_end(). */
void screen_label_begin(struct prose *prose, const struct screen *screen, const char *label);
/*
 * The first file as a command takes it, without folders where it is long; FILE, where the screen
 * has no room for it. To be freed.
 */
char *summary_file_word(const struct summary *summary, const struct screen *screen);

/* What ran, for how long, how it ended; and what of it is shown. */
void summary_print_title(const struct summary *summary, const struct screen *screen);
/* The one sentence on what the time went to, or what grows. */
void summary_print_verdict(const struct summary *summary, const struct screen *screen);
/* A bar of the run and one of a step; nothing where they are not known. */
void summary_print_bars(const struct summary *summary, const struct screen *screen);
void summary_print_memory_line(const struct summary *summary, const struct screen *screen);
void summary_print_gpu_line(const struct summary *summary, const struct screen *screen);
void summary_print_missing(const struct summary *summary, const struct screen *screen);
/* At most `room` lines of causes. */
void summary_print_causes(const struct summary *summary, const struct screen *screen,
			  unsigned int room);
void summary_print_next(const struct summary *summary, const struct screen *screen);

/* The advice that the verdict is about; NULL: none is worth one. */
const struct advice *summary_first_cause(const struct summary *summary);

/* There is a verdict; else what summary_print_told() prints stands in its place. */
bool summary_has_verdict(const struct summary *summary);

/* The thread that ran or could have run for longest, and its times; NULL: nobody's are known. */
const struct source_thread *summary_busiest_thread(const struct summary *summary,
						   struct thread_times *ret_times);

#endif
