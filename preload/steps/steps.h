/* SPDX-License-Identifier: MIT */
/*
 * Steps of a training loop: where one ends, and with INTERCEPT_SCHEDULE which of them are recorded.
 *
 * A step goes from the end of the one before to its own. INTERCEPT_STEP says what ends one:
 *   auto   a user scope `ProfilerStep#...` that closes (torch.profiler's own steps); while none is open
 *          in the process, a user scope `Optimizer.step#...` that closes, whichever optimizer's it is
 *          (as Kineto's daemon counts). Gradients accumulated over several batches are one step, two
 *          optimizers in turn are two, validation belongs to the step after it.
 *   NAME   a user scope or an NVTX range of that name that closes (`NAME*`: that begins so).
 * Of such scopes inside of each other on a thread the outermost ends the step. Steps are counted in the
 * process, from 0, on whichever thread they end. Step 0 begins with the process; where its loop begins
 * is marked, for the report, by the first of: a data loader's __next__, zero_grad, what ends a step.
 *
 * A forked child does as its parent does: it looks at its own operators whether the parent's schedule
 * records now. From the first step that it ends itself on it follows the schedule on its own.
 *
 * Any thread; no lock; no allocation but of names and one page, by mmap().
 */
#ifndef PRELOAD_STEPS_STEPS_H
#define PRELOAD_STEPS_STEPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/family.h"
#include "preload/record/strings.h"

/* Scopes that will end a step are open: a scope that closes may be one. */
extern _Atomic uint32_t steps_open PRELOAD_HIDDEN;
/* INTERCEPT_SCHEDULE is set. */
extern bool steps_scheduled PRELOAD_HIDDEN;
/* INTERCEPT_STEP names a range: NVTX has to tell of its own. */
extern bool steps_named PRELOAD_HIDDEN;

/* Opens the gates at the start as the schedule wants it; what a child may not go on with. */
extern const struct family family_steps PRELOAD_HIDDEN;

/* A range opens, not yet recorded. `key` is its own while it is open, never 0. */
void steps_begin(uint64_t key, const struct string *name);
/* One closes and has been recorded; nothing when it ends no step. */
void steps_end(uint64_t key);

void steps_follow_parent(void);
/* Nobody else decides what is recorded here: there is no schedule, or this process counts its steps. */
bool steps_lead(void);

/* Once an operator: what a child of the schedule's process has to see to. */
static inline void steps_look(void)
{
	if (__builtin_expect(steps_scheduled, 0))
		steps_follow_parent();
}

#endif
