/* SPDX-License-Identifier: MIT */
/*
 * Detail windows (INTERCEPT_BUDGET): operators, blocks of the heap and memory of tensors are
 * recorded in whole steps that are drawn, everything else always. The families of FAMILY_DRAWN
 * (collector/format/families.def) have their gates shut between windows; PyTorch's callback for
 * operators is removed. Without INTERCEPT_BUDGET there is detail all the time; with
 * INTERCEPT_CAPTURE=trigger,light only in captures.
 *
 * A process that has no step, as a forked child until it counts its own, has windows of time, when
 * it has run for a while: the collector decides (collector/drain/time_windows.h), and hooks
 * notice.
 *
 * steps.c calls this at each step. Any thread; no lock, no allocation of ours.
 */
#ifndef PRELOAD_STEPS_DETAIL_H
#define PRELOAD_STEPS_DETAIL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/family.h"

extern _Atomic bool detail_off PRELOAD_HIDDEN;
extern const struct family family_detail PRELOAD_HIDDEN;

static inline bool detail_is_on(void)
{
	return !atomic_load_explicit(&detail_off, memory_order_relaxed);
}

/* Sets the function to call after a window has opened or shut. One, set once. */
void detail_on_change(void (*changed)(void));

/*
 * Step `number` is about to begin. A window opens before the event of the step, and shuts after the
 * event of the step that follows it, so that a window holds whole steps with their edges.
 */
void detail_before_step(uint64_t number);
void detail_after_step(uint64_t number);

/*
 * While it is held, all steps have detail, from step `number` on: the GPU is recorded in them. Call
 * it before the event of that step to begin, and after the event of step `number` to end.
 */
void detail_hold(bool on, uint64_t number);
/*
 * Whether steps are drawn now: not before the first of INTERCEPT_BUDGET have passed. `*ret_share`:
 * the share that the user wants, 0: what the budget allows.
 */
bool detail_is_drawing(uint64_t number, uint32_t *ret_share);

/* No step has begun, so the collector decides. */
bool detail_is_by_time(void);
/* Follows the collector. PyTorch's callback for operators calls it; hooks do so by themselves. */
void detail_look_at_time(void);

#endif
