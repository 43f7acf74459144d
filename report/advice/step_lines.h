/* SPDX-License-Identifier: MIT */
/*
 * Which lines of Python the thread of the loop was in, by what the time of its steps went to, from samples; and for how long it waited
 * for the GIL, and who had it then. Of whole settled steps only, as all evidence.
 *
 * A line is the innermost one of the user's own code (core/own.h), where there is one. Memory grows with places and with the samples of a step.
 */
#ifndef REPORT_ADVICE_STEP_LINES_H
#define REPORT_ADVICE_STEP_LINES_H

#include "report/advice/advice.h"
#include "report/advice/evidence.h"
#include "report/samples/sample_events.h"

enum step_lines_of {
	STEP_LINES_OUTSIDE,   /* of operators */
	STEP_LINES_OPERATORS, /* also of threads that it waits for (helpers/helpers.h) */
	STEP_LINES_WAITS,     /* values read from tensors, CUDA calls that wait */
	STEP_LINES_ZERO_GRAD,
	STEP_LINES_OPTIMIZER,
	STEP_LINES_DATALOADER,
	STEP_LINES_HOLDERS, /* of others that had the GIL while the loop waited for it */
	STEP_LINES_LIMIT,
};

struct step_lines_row {
	enum step_lines_of of;
	uint64_t place; /* what it is is known once all is read */
	uint64_t ns, looks;
};

struct step_lines {
	const struct evidence *evidence;
	const struct helpers *helpers;
	const struct samples *samples;
	struct run *run;
	struct source *source;
	struct step_lines_row *row;
	size_t row_count, row_room;
	struct map rows;
	uint64_t ns[STEP_LINES_LIMIT], looks[STEP_LINES_LIMIT];
	uint64_t all_ns, all_looks, gil_ns; /* gil_ns: also where nobody knows who had it */
	struct step_lines_pending *pending; /* of the steps that are under way */
	size_t pending_count, pending_room;
	uint64_t *last_ns; /* by thread */
	size_t last_room;
};

struct step_lines_options {
	uint32_t none;
};
ANALYSIS(step_lines, struct step_lines)

/* What the thread or its helpers are in at that time: of all that is open what says most, which is what the list has last. */
enum step_lines_of step_lines_open_on(const struct evidence *evidence,
				      const struct helpers *helpers, uint32_t thread,
				      uint64_t time_ns);

/* A line of the user's own code where there is one, and where it was called from, most often. */
struct step_line {
	uint32_t file, function, number;     /* file and function are indices of names */
	uint32_t caller_file, caller_number; /* SAMPLE_NONE: not known */
	bool is_users;
	bool of_cpu; /* its time is CPU time, without waits */
	uint64_t ns, looks;
};
/* The line with most of that time; false where too few samples were taken of it, or none stands out. */
bool step_lines_find(const struct step_lines *lines, enum step_lines_of of,
		     struct step_line *ret_line);
/* The line with most of all that the loop's thread was seen in; false: nothing was seen. */
bool step_lines_largest(const struct step_lines *lines, struct step_line *ret_line);
/* What of it was seen at `place`, FILE:LINE as step_line_put() has it; false: nothing was. */
bool step_lines_at(const struct step_lines *lines, const char *place, struct step_line *ret_line);
/* "train.py:41 (collate), called from train.py:60, mostly in numpy/random.py:15 (draw)" */
#define STEP_LINE_BYTES 480u
void step_line_text(const struct step_lines *lines, const struct step_line *line,
		    char text[STEP_LINE_BYTES]);
/* ", by 12 samples, so this is a guess", or nothing, where it rests on enough. */
#define STEP_LINE_GUESS_BYTES 64u
const char *step_line_guess(const struct step_line *line, char text[STEP_LINE_GUESS_BYTES]);
void step_line_put(const struct step_lines *lines, const struct step_line *line,
		   struct advice_place *place);
/* A sentence more for advice that has a line; nothing for other advice. */
void step_lines_say(const struct step_lines *lines, struct advice *advice);

#endif
