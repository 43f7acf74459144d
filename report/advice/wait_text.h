/* SPDX-License-Identifier: MIT */
/* Sentences of advice about waits: where a thread waited, and what other threads did meanwhile. */
#ifndef REPORT_ADVICE_WAIT_TEXT_H
#define REPORT_ADVICE_WAIT_TEXT_H

#include "report/advice/bottleneck.h"
#include "report/advice/place_text.h"

/*
 * One more sentence: the line that waited most of it, or the number of samples alone; the line
 * becomes the advice's place.
 */
/*
 * Sets the seconds and the share of the cause; true where there are enough samples of it, and the
 * share exceeds the rule's threshold.
 */
bool wait_cause_exceeds(const struct bottleneck *bottleneck, struct advice *advice,
			const struct wait_cause *cause);

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

/* advice_lock_wait() of a server: any thread of it; in advice_serving_work.c. */
bool serving_says_lock(const struct bottleneck *bottleneck, struct advice *advice);

/* "'loader' (4711)", without a name of its own "4711" */
void wait_thread_name(const struct source_thread *thread, char shown[PLACE_NAME_BYTES]);

#endif
