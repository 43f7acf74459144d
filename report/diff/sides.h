/* SPDX-License-Identifier: MIT */
/*
 * The runs of a comparison: which files belong to each, opened, and the tables that are wanted of
 * each. The runs before come first, then the runs after. The sides own everything; sources stay
 * open, because cells borrow their texts.
 */
#ifndef REPORT_DIFF_SIDES_H
#define REPORT_DIFF_SIDES_H

#include "report/core/report_batch.h"

struct side {
	const char *name; /* of its first file, as given */
	char **file;
	size_t file_count;
	struct options options;
	struct report_request request;
	struct batch batch;
	bool is_open;
	double steps; /* what stacks are divided by; 1 unless they are counted per step */
};

struct sides {
	struct side *side;
	size_t count;  /* at least two */
	size_t before; /* number of runs before; the others are after */
	struct report_request *outer;
	char **file; /* all files, in the order of the sides */
	size_t file_count;
};

/* Returns the last run after: all sides have the same reports. */
static inline const struct side *sides_after(const struct sides *sides)
{
	return &sides->side[sides->count - 1];
}

/*
 * Groups the request's files by run and opens them. Returns a status, with the request's message.
 */
int sides_open(struct sides *sides, struct report_request *request, char **file, size_t count,
	       size_t against);
/* Adds the report to the batch of each side; returns its index there. */
size_t sides_add(struct sides *sides, enum report_id id, enum key_id by);
/* The same, with options of its own: batch_add_own(). */
size_t sides_add_own(struct sides *sides, enum report_id id, enum key_id by);
/* Returns whether the report is of stacks that were sampled, so that a run may miss some. */
bool sides_is_sampled(const struct sides *sides, size_t place);
int sides_read(struct sides *sides);
/* Reports the faults of all files on stderr; returns STATUS_OK or STATUS_INPUT. */
int sides_say_faults(const struct sides *sides);
void sides_release(struct sides *sides);

#endif
