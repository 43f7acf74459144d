/* SPDX-License-Identifier: MIT */
/*
 * The first screen of the summary: what ran, one verdict, how the run and a step used their time,
 * memory, what is missing, the largest causes, and the command to run next. It has at most
 * SCREEN_LINES lines on a screen of SCREEN_COLUMNS columns.
 */
#ifndef REPORT_SUMMARY_SUMMARY_SCREEN_H
#define REPORT_SUMMARY_SUMMARY_SCREEN_H

#include "report/summary/summary.h"

#define SCREEN_LINES 25u
#define SCREEN_COLUMNS 80u
#define SCREEN_LABEL 9u    /* columns of the label in front of a line */
#define SCREEN_FILE "FILE" /* in place of a name for which a command has no room */
#define GUESS_SAMPLES 20u  /* a share of fewer samples is called a guess */

/* `says_losses`: no other text says what is missing. */
void summary_print_screen(const struct summary *summary, const struct screen *screen,
			  bool says_losses);

/* Begins a line with a label, whose further lines are indented; to be ended by prose_end(). */
void screen_label_begin(struct prose *prose, const struct screen *screen, const char *label);
/*
 * Returns the first file as a word of a command, without folders if it is long; FILE if the screen
 * has no room for it. To be freed.
 */
char *summary_file_word(const struct summary *summary, const struct screen *screen);

/* Prints what ran, for how long, how it ended, and which part of it is shown. */
void summary_print_title(const struct summary *summary, const struct screen *screen);
/* Prints the one sentence on what used the time, or what grows. */
void summary_print_verdict(const struct summary *summary, const struct screen *screen);
/* Prints a bar of the run and one of a step; nothing if they are not known. */
void summary_print_bars(const struct summary *summary, const struct screen *screen);
/*
 * Where the time of the steps on which the advice is based went, without those of the warm-up: by
 * phase, and the parts of them that are none. If the GPU is the limit the host waits for it in any
 * phase, so the time is what the GPU works for each of them. Returns false if there are no steps.
 */
#define SUMMARY_STEP_GC STEP_PHASE_LIMIT
#define SUMMARY_STEP_OUTSIDE (STEP_PHASE_LIMIT + 1)
#define SUMMARY_STEP_WAITS (STEP_PHASE_LIMIT + 2)
#define SUMMARY_STEP_PARTS (STEP_PHASE_LIMIT + 3)
struct summary_step {
	uint64_t ns[SUMMARY_STEP_PARTS];
	bool is_of_gpu;
};
bool summary_step_parts(const struct summary *summary, struct summary_step *ret_step);
/* Prints how many requests a server has answered, how long they took, and for what. */
void summary_print_requests(const struct summary *summary, const struct screen *screen);
/* Writes which endpoint has most of the requests' time, in one sentence; false: there are none. */
bool summary_requests_verdict(const struct summary *summary, char *text, size_t room);
/* Where the time of an endpoint's requests went. */
enum request_part {
	REQUEST_PART_QUEUE,
	REQUEST_PART_CPU,
	REQUEST_PART_GIL,
	REQUEST_PART_LOCKS,
	REQUEST_PART_IO,
	REQUEST_PART_SLEEP,
	REQUEST_PART_AWAITS,
	REQUEST_PART_LOOP,  /* their event loop was busy, with them or with others */
	REQUEST_PART_GPU,   /* waits for it, on a CPU or not */
	REQUEST_PART_OTHER, /* not known */
	REQUEST_PART_LIMIT,
};
struct request_bar {
	char tail[96]; /* behind the bar */
	uint64_t ns[REQUEST_PART_LIMIT];
};
void summary_print_request_bar(const struct request_bar *of, const struct screen *screen);
void summary_print_memory_line(const struct summary *summary, const struct screen *screen);
void summary_print_gpu_line(const struct summary *summary, const struct screen *screen);
void summary_print_missing(const struct summary *summary, const struct screen *screen);
struct summary_causes {
	unsigned int room; /* lines */
	bool hides_place;  /* of the first, which the verdict has as well */
};
/* Prints causes. Returns whether there was room for all that matter. */
bool summary_print_causes(const struct summary *summary, const struct screen *screen,
			  struct summary_causes as, unsigned int *ret_shown);
#define SUMMARY_NEXT_MAX 3u
/* Prints at most so many of the commands that help, and --all. */
void summary_print_next(const struct summary *summary, const struct screen *screen, size_t most);

/* Returns the advice that the verdict is about; NULL: none is worth one. */
const struct advice *summary_first_cause(const struct summary *summary);

/* Returns whether there is a verdict; otherwise summary_print_told() prints something instead. */
bool summary_has_verdict(const struct summary *summary);

/*
 * Returns the thread that ran or could have run for the longest time, and its times; NULL: none is
 * known.
 */
const struct source_thread *summary_busiest_thread(const struct summary *summary,
						   struct thread_times *ret_times);

#endif
