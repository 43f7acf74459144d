/* SPDX-License-Identifier: MIT */
/*
 * Samples by line or by function: what was seen there itself, and in stacks that it is part of. Made of what an analysis
 * has counted, once everything is read. Lines of the same number, function and file are one, whatever process ran them. What they
 * have of the heap is added where it is known (line_memory.h), and of the GPU (line_gpu.h).
 *
 * Of the user's own code alone (lines_make_own()) what libraries did is the time of the innermost line of the user's that
 * called them. A stack without such a line counts for its innermost one. Imports are one line. The sums stay the same.
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
	uint64_t gpu_ns;               /* what the GPU did for its calls */
	uint64_t copies, copied_bytes; /* between host and device, as it asked for them */
};

struct line {
	uint32_t file, function; /* indices of names; SAMPLE_NONE: not known */
	uint32_t number;         /* 0: none, or not known */
	uint32_t first_line;     /* of the function */
	bool is_torn;            /* stacks that could not be read */
	bool is_outside;         /* all that was seen outside of the steps */
	bool is_import;          /* imports of modules that are not the user's own */
	struct sample_counts self, total;
	struct line_memory memory, total_memory;
	struct line_gpu gpu, total_gpu;
	struct gil_counts gil;
	uint64_t seen; /* the stack that was added last */
};

/* What distinguishes lines, beside the file. */
enum lines_by {
	LINES_BY_LINE, /* a number, and the function: a lambda is another than what is around it */
	LINES_BY_FUNCTION, /* whose first line is the number */
	LINES_BY_NUMBER, /* the number alone: a stack through two functions of one line counts once */
};

struct lines {
	struct line *line;
	size_t count, room;
	struct map map;
	uint64_t stacks; /* that were added */
	enum lines_by by;
	struct own *own;         /* NULL: lines are anybody's */
	struct line_links links; /* of the user's own lines */
};

void lines_make(struct lines *lines, const struct samples *samples, enum lines_by by);
/* Lines of the user's own code. With `of_steps` all that was seen outside of the steps is one line, if there were steps. */
void lines_make_own(struct lines *lines, const struct samples *samples, enum lines_by by,
		    struct own *own, bool of_steps);
/* Those that had the GIL or waited for it; only line->gil is filled. */
void lines_make_gil(struct lines *lines, const struct gil *gil, enum lines_by by, struct own *own);
/* The line that code is, for lines that are told apart by `by`; `first` is that of its function. */
struct line lines_place(enum lines_by by, uint32_t file, uint32_t function, uint32_t number,
			uint32_t first);
/* The line that is the same as `wanted`, which is added as it is where there is none; valid until the next one is. */
struct line *lines_line(struct lines *lines, const struct line *wanted);
void lines_release(struct lines *lines);

#endif
