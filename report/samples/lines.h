/* SPDX-License-Identifier: MIT */
/*
 * Samples by line or by function: of the line itself, and of stacks that contain it. They are made
 * from an analysis's counts, after the reading. Lines with the same number, function and file are
 * one line, in whichever process they ran. Their heap memory is added if it is known
 * (line_memory.h), and so is GPU work (line_gpu.h).
 *
 * With only the user's own code (lines_make_own()), the time of libraries counts for the innermost
 * line of the user's that called them. A stack without such a line counts for its innermost line.
 * Imports are one line. The sums stay the same.
 */
#ifndef REPORT_SAMPLES_LINES_H
#define REPORT_SAMPLES_LINES_H

#include "report/core/own.h"
#include "report/samples/gil_events.h"
#include "report/samples/line_links.h"

struct line_memory {
	uint64_t allocations, bytes_allocated;
	uint64_t live_bytes; /* never freed */
	uint64_t peak_bytes; /* at the heap's peak */
};

struct line_gpu {
	uint64_t gpu_ns;               /* GPU time of its calls */
	uint64_t copies, copied_bytes; /* between host and device, launched by the line */
};

struct line {
	uint32_t file, function; /* indices of names; SAMPLE_NONE: not known */
	uint32_t number;         /* 0: none, or not known */
	uint32_t first_line;     /* of the function */
	bool is_torn;            /* represents stacks that could not be read */
	bool is_outside;         /* represents all samples outside of the steps */
	bool is_import;          /* represents imports of modules that are not the user's own */
	struct sample_counts self, total;
	struct line_memory memory, total_memory;
	struct line_gpu gpu, total_gpu;
	struct gil_counts gil;
	uint64_t seen; /* the stack that was added last */
};

/* What distinguishes lines, beside the file. */
enum lines_by {
	LINES_BY_LINE, /* the number, and the function: a lambda differs from the code around it */
	LINES_BY_FUNCTION, /* by function, whose first line is the number */
	/* the number alone: a stack through two functions of one line counts once */
	LINES_BY_NUMBER,
};

struct lines {
	struct line *line;
	size_t count, room;
	struct map map;
	uint64_t stacks; /* number of stacks that were added */
	enum lines_by by;
	struct own *own;         /* NULL: lines of any code */
	struct line_links links; /* of the user's own lines */
};

void lines_make(struct lines *lines, const struct samples *samples, enum lines_by by);
/*
 * Makes lines of the user's own code. With `of_steps`, all samples outside of the steps are one
 * line, if there were steps. Of a server, samples before its first request and after its last are
 * left out.
 */
void lines_make_own(struct lines *lines, const struct samples *samples, enum lines_by by,
		    struct own *own, bool of_steps);
/* Makes lines of threads that had the GIL or waited for it; only line->gil is filled. */
void lines_make_gil(struct lines *lines, const struct gil *gil, enum lines_by by, struct own *own);
/*
 * Returns the line of the code, for lines that are distinguished by `by`; `first` is the first line
 * of its function.
 */
struct line lines_place(enum lines_by by, uint32_t file, uint32_t function, uint32_t number,
			uint32_t first);
/*
 * Returns the line that equals `wanted`, which is added if it does not exist; valid until the next
 * line is added.
 */
struct line *lines_line(struct lines *lines, const struct line *wanted);
void lines_release(struct lines *lines);

#endif
