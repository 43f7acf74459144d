/* SPDX-License-Identifier: MIT */
/*
 * The lines of Python in which the loop's thread was sampled, by the category of its steps' time;
 * and how long it waited for the GIL, and who held it then. Only complete settled steps count, as
 * for all evidence.
 *
 * A line is the innermost one of the user's own code (core/own.h), if there is one. Memory grows
 * with places and with the samples of a step.
 */
#ifndef REPORT_ADVICE_STEP_LINES_H
#define REPORT_ADVICE_STEP_LINES_H

#include "report/advice/advice.h"
#include "report/advice/evidence.h"
#include "report/samples/library_place.h"
#include "report/samples/sample_events.h"

#define STEP_LINES_SURE_LOOKS 20u /* samples; fewer prove little, and are called a guess */

enum step_lines_of {
	STEP_LINES_OUTSIDE, /* outside of operators */
	STEP_LINES_GAPS,    /* the same, in a long gap between them */
	STEP_LINES_HELPED,  /* threads for which it waits are in operators (helpers/helpers.h) */
	STEP_LINES_OPERATORS,
	STEP_LINES_CLONES,   /* operators that copy tensors */
	STEP_LINES_HOST,     /* operators on the CPU, of a process that launches work of a GPU */
	STEP_LINES_BACKWARD, /* functions of autograd, on the thread itself */
	STEP_LINES_MALLOCS,  /* of memory of the device: cudaMalloc() */
	STEP_LINES_FREES,
	STEP_LINES_COPIES, /* to the device, from memory that is not pinned */
	STEP_LINES_WAITS,  /* values read from tensors, and CUDA calls that wait */
	STEP_LINES_ZERO_GRAD,
	STEP_LINES_OPTIMIZER,
	STEP_LINES_DATALOADER,
	STEP_LINES_HOLDERS, /* of threads that held the GIL while the loop waited for it */
	STEP_LINES_BEFORE,  /* of main threads, before the first step */
	STEP_LINES_WARM,    /* the same, in the first steps, which are not settled */
	STEP_LINES_AFTER,   /* of loops' threads, after the last complete step */
	/*
	 * It sleeps, or waits for a file or a socket, in no operator and no call of CUDA that is
	 * known, in steps whose calls of CUDA were recorded if there were any. Counted beside the
	 * others.
	 */
	STEP_LINES_RESTS,
	STEP_LINES_STARVED, /* it waits for the GIL; counted beside the others as well */
	STEP_LINES_LIMIT,
};

/* A set of them. */
#define STEP_LINES(of) (1u << STEP_LINES_##of)
#define STEP_LINES_OF_LOOP (STEP_LINES(HOLDERS) - 1)

struct step_lines_row {
	enum step_lines_of of;
	uint64_t place; /* its meaning is known after the reading */
	uint64_t ns, looks;
	uint32_t process; /* of those before the first step */
};

/* A sample in a complete settled step. */
struct step_look {
	uint32_t process;
	uint64_t step, place, ns;
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
	struct step_look *look;
	size_t look_count, look_room;
	uint64_t ns[STEP_LINES_LIMIT], looks[STEP_LINES_LIMIT];
	uint64_t all_ns, all_looks, gil_ns; /* gil_ns: also if the holder is not known */
	uint64_t told_ns;                   /* of all_ns, in steps in which RESTS are looked for */
	uint64_t sleep_ns;                  /* sleeps in RESTS */
	struct step_lines_pending *pending; /* of the steps that are under way */
	size_t pending_count, pending_room;
	uint64_t *last_ns; /* by thread */
	size_t last_room;
};

struct step_lines_options {
	uint32_t none;
};
ANALYSIS(step_lines, struct step_lines)

/*
 * Returns what the thread or its helpers are in at that time: of all that is open, the last kind in
 * the list, which is the most specific.
 */
enum step_lines_of step_lines_open_on(const struct evidence *evidence,
				      const struct helpers *helpers, uint32_t thread,
				      uint64_t time_ns);

/* A line of the user's own code if there is one, and its most frequent caller. */
struct step_line {
	uint32_t file, function, number;     /* file and function are indices of names */
	uint32_t caller_file, caller_number; /* SAMPLE_NONE: not known */
	bool is_users;
	bool of_cpu;      /* its time is CPU time, without waits */
	bool of_function; /* its time is the function's, with what that calls */
	bool has_library; /* `library` is what counts, its number 0: none stands out */
	struct library_place library;
	uint64_t ns, looks;
};
/*
 * Finds the line with most of the time in what the set has; returns false if no line stands out. A
 * line by few samples must have more of them, and is a guess. `ret_percent` is the line's share.
 */
bool step_lines_find(const struct step_lines *lines, unsigned int of, struct step_line *ret_line,
		     double *ret_percent);
/*
 * Finds the user's function, innermost in whole stacks, that has half of the time in what the set
 * has, with what it calls; returns false if there is none, or if there are few samples.
 */
bool step_lines_find_function(const struct step_lines *lines, unsigned int of,
			      struct step_line *ret_line, double *ret_percent);
/* Returns the time of the loop's thread in that line, of what the set has. */
uint64_t step_lines_line_ns(const struct step_lines *lines, unsigned int of,
			    const struct step_line *line);
/* Finds the line with the most samples of the loop's thread; returns false if there are none. */
bool step_lines_largest(const struct step_lines *lines, struct step_line *ret_line);
/*
 * Finds the line with most of the time of the chosen steps, or a function of the user's, or the
 * package's function that the line calls then, or one that several lines call; returns false if
 * there are too few samples, or if none of them has half of that time and more of it than in the
 * other steps. `choose` tells whether a step of a process (index) is one of them.
 */
typedef bool step_lines_choose(const void *state, uint32_t process, uint64_t step);
bool step_lines_of_steps(const struct step_lines *lines, step_lines_choose *choose,
			 const void *state, struct step_line *ret_line, double *ret_percent);
/*
 * Finds the line with the most time of that process before its first step, imports left out;
 * returns false if no line of the user's has enough samples. `ret_percent`: of all that time.
 */
bool step_lines_before(const struct step_lines *lines, uint32_t process, struct step_line *ret_line,
		       double *ret_percent);
/* The same in its first steps, which are not settled, if the line has half of their time. */
bool step_lines_warm(const struct step_lines *lines, uint32_t process, struct step_line *ret_line,
		     double *ret_percent);
/* The same with nothing but imports: the line that imports. */
bool step_lines_warm_imports(const struct step_lines *lines, uint32_t process,
			     struct step_line *ret_line, double *ret_percent);
/* The same of the loop's thread after the last complete step of the process. */
bool step_lines_after(const struct step_lines *lines, uint32_t process, struct step_line *ret_line,
		      double *ret_percent);
/*
 * Finds the samples at `place`, FILE:LINE in the form of step_line_put(); returns false if there
 * are none.
 */
bool step_lines_at(const struct step_lines *lines, const char *place, struct step_line *ret_line);
/* "train.py:41 (collate), called from train.py:60, mostly in numpy/random.py:15 (draw)" */
#define STEP_LINE_BYTES 480u
void step_line_text(const struct step_lines *lines, const struct step_line *line,
		    char text[STEP_LINE_BYTES]);
/* Returns whether there are too few samples for more than a guess. */
bool step_line_is_guess(const struct step_line *line);
/* ", by 12 samples, so this is a guess", or nothing if there are enough samples. */
#define STEP_LINE_GUESS_BYTES 64u
const char *step_line_guess(const struct step_line *line, char text[STEP_LINE_GUESS_BYTES]);
/* Writes "FILE:LINE", escaped; without a line's number the name alone. */
void step_line_put_name(const struct source *source, uint32_t name, uint32_t number,
			char shown[ADVICE_LINE_BYTES]);
void step_line_put(const struct step_lines *lines, const struct step_line *line,
		   struct advice_place *place);
/* Adds a sentence to advice that has a line; does nothing for other advice. */
void step_lines_say(const struct step_lines *lines, struct advice *advice);

#endif
