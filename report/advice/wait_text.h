/* SPDX-License-Identifier: MIT */
/* Sentences of advice about waits: where a thread waited, and what other threads did meanwhile. */
#ifndef REPORT_ADVICE_WAIT_TEXT_H
#define REPORT_ADVICE_WAIT_TEXT_H

#include "report/advice/bottleneck.h"
#include "report/advice/place_text.h"

#define WAIT_SYNC_TODO                                                                            \
	"fsync() waits until the disk has the data. Write several times and call it once, every " \
	"so many steps, or leave it to another thread. A database does so for each transaction: " \
	"commit many rows at once."

/* Whether the time without a CPU is so much of it that waits would seem to be few. */
bool wait_lacks_cpu(uint64_t ready_ns, uint64_t all_ns);
#define WAIT_WITHOUT_CPU ", not counting when it was ready to run and had no CPU"

/*
 * Sets the seconds and the share of the cause; true where there are enough samples of it, and the
 * share exceeds the rule's threshold.
 */
bool wait_cause_exceeds(const struct bottleneck *bottleneck, struct advice *advice,
			const struct wait_cause *cause);

/*
 * One more sentence: the line that waited most of it, or the number of samples alone; the line
 * becomes the advice's place.
 */
void wait_say_line(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		   struct advice *advice);
void wait_say_line_of(const struct bottleneck *bottleneck, const struct line_sums *lines,
		      uint64_t ns, uint64_t looks, struct advice *advice);
/*
 * The same of the thread that was at work for most of the wait. That it is what the other one
 * waited for was not recorded: the sentence says so. Where one thread alone was at work for nearly
 * all of it, its line becomes the advice's place.
 */
void wait_say_beside(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		     struct advice *advice);

/*
 * Of a loop's thread: one more sentence with what it mostly waits for outside of operators. Returns
 * that; NULL: nothing is said.
 */
const struct wait_cause *wait_say_cause(const struct bottleneck *bottleneck, struct advice *advice);
/* Likewise which part of Python's library runs there; what is faster becomes what to do. */
void wait_say_work(const struct bottleneck *bottleneck, struct advice *advice);

/* advice_lock_wait() of a server: any thread of it; in advice_serving_work.c. */
bool serving_says_lock(const struct bottleneck *bottleneck, struct advice *advice);

/* "'loader' (4711)", without a name of its own "4711" */
void wait_thread_name(const struct source_thread *thread, char shown[PLACE_NAME_BYTES]);

#endif
