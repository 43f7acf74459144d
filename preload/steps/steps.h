/* SPDX-License-Identifier: MIT */
/*
 * Steps of a training loop: where one ends, and, with INTERCEPT_SCHEDULE, which of them are
 * recorded.
 *
 * A step lasts from the end of the previous step to its own end. INTERCEPT_STEP says what ends one:
 *   auto   a user scope `ProfilerStep#...` that closes (torch.profiler's own steps). While none is
 *          open in the process: a user scope `Optimizer.step#...` of any optimizer that closes (as
 *          Kineto's daemon counts). Gradients accumulated over several batches are one step, two
 *          optimizers in turn are two, and validation belongs to the step after it.
 *   NAME   a user scope or an NVTX range of that name that closes (`NAME*`: any such beginning).
 * If such scopes are nested on a thread, the outermost ends the step. Steps are counted per
 * process, from 0, on whichever thread they end. Step 0 begins with the process. Where its loop
 * begins is marked, for the report, by the first of: a data loader's __next__, zero_grad, what ends
 * a step.
 *
 * A forked child follows its parent: at its own operators it checks whether the parent's schedule
 * records now. From the first step that it ends itself, it follows the schedule on its own.
 *
 * Any thread; no lock; no allocation but names and one page, by mmap().
 */
#ifndef PRELOAD_STEPS_STEPS_H
#define PRELOAD_STEPS_STEPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/family.h"
#include "preload/record/strings.h"

/*
 * Number of open scopes that may end a step. If it is not 0, each scope that closes must be
 * reported.
 */
extern _Atomic uint32_t steps_open PRELOAD_HIDDEN;
/* INTERCEPT_SCHEDULE is set. */
extern bool steps_scheduled PRELOAD_HIDDEN;
/* INTERCEPT_STEP names a range, so NVTX has to report its ranges. */
extern bool steps_named PRELOAD_HIDDEN;

/*
 * Opens the gates at the start as the schedule says. In a child, forgets what it cannot continue.
 */
extern const struct family family_steps PRELOAD_HIDDEN;

/*
 * Adds a function to call at each edge, where a step ends and number `step` begins, and at the mark
 * of the first: once before that is recorded and once after it. At most two of them; call it before
 * the first step.
 */
typedef void steps_edge_seen(uint64_t step, bool is_recorded);
void steps_on_edge(steps_edge_seen *edge);

/* Called before each mark of a step is recorded, unless it is NULL. */
extern void (*steps_before_mark)(void) PRELOAD_HIDDEN;

/* A range opens and is not recorded yet. `key` identifies it while it is open, and is never 0. */
void steps_begin(uint64_t key, const struct string *name);
/* A range closes and has been recorded. Does nothing if it ends no step. */
void steps_end(uint64_t key);

void steps_follow_parent(void);
/*
 * True if nobody else decides what is recorded here: there is no schedule, or this process counts
 * its steps.
 */
bool steps_lead(void);

/* Call once per operator: a child of the schedule's process checks whether to record. */
static inline void steps_look(void)
{
	if (__builtin_expect(steps_scheduled, 0))
		steps_follow_parent();
}

#endif
