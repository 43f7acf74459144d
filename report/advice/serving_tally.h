/* SPDX-License-Identifier: MIT */
/*
 * Time that a server's threads spent in one kind of work or wait: in all, of the thread (or chain
 * of threads, thread_chains.h) with most of it, and by line of the user's. For the rules about
 * servers.
 */
#ifndef REPORT_ADVICE_SERVING_TALLY_H
#define REPORT_ADVICE_SERVING_TALLY_H

#include "report/advice/bottleneck.h"
#include "report/advice/place_text.h"

#define SERVING_LOOKS_MIN 5u /* with fewer samples nothing is said */

struct serving_tally {
	struct line_sums lines;
	uint64_t ns, looks;
	uint64_t *by_thread; /* a chain of threads has its sum at its first one */
	uint64_t *alone;     /* the same of each thread of a chain */
	size_t threads;      /* length of both */
};

/* Whether the row at this index is of that kind. */
typedef bool serving_kind(const struct bottleneck *bottleneck, size_t row);

/* Adds up the rows of serving processes that `is_wanted` accepts; to be released. */
void serving_tally_make(struct serving_tally *tally, const struct bottleneck *bottleneck,
			serving_kind *is_wanted);
void serving_tally_release(struct serving_tally *tally);

/* Returns the index of the thread with the most time, or of the first of such a chain. */
size_t serving_tally_thread(const struct serving_tally *tally);

/*
 * "thread 'loader' (4711)", or of a chain "threads that ran one after another, as 'a' (4711),"
 */
#define SERVING_WHO_BYTES (PLACE_NAME_BYTES + 48)
void serving_say_who(const struct bottleneck *bottleneck, size_t thread,
		     char text[SERVING_WHO_BYTES]);

/*
 * Sets what is at stake: the time of the thread with the most, in % of the time that the program
 * served. Returns whether that exceeds the rule's threshold and rests on enough samples; fewer than
 * WAIT_LOOKS_MIN make it a note.
 */
bool serving_tally_exceeds(const struct serving_tally *tally, const struct bottleneck *bottleneck,
			   struct advice *advice);

#endif
