/* SPDX-License-Identifier: MIT */
/*
 * Stacks of events that have no line of the user's on their own thread.
 *
 * A helper (helpers/helpers.h), as a thread of autograd's, runs for a thread that waits for it. What it does was asked for by
 * the line at which that thread waits, in loss.backward(). So the helper's stack is put under the stack of that thread, up to
 * and without the frame of torch.autograd that called the engine: these frames are certain to be open while the engine runs.
 * The waiting thread's stack is that of the operator that it began last. Only where that one was begun inside of
 * torch.autograd is it known that the thread has been in backward() since: torch.autograd makes the first gradient,
 * ones_like(). With explicit gradients (out.backward(g), torch.autograd.grad()) there is no such operator, but the engine
 * allocates memory before it begins: the stack of the thread's last block is asked next. Where neither is in torch.autograd
 * the event keeps its own stack.
 *
 * A call that only CUPTI saw (a launch of cuBLAS's) has no stack. Its stack is that of the operator that is open around
 * it: that one began on the same line.
 *
 * As an analysis: it sees each event before those that want it. Memory grows with threads and distinct stacks.
 */
#ifndef REPORT_STACKS_HELPED_STACKS_H
#define REPORT_STACKS_HELPED_STACKS_H

#include "report/core/analysis.h"

struct helped_stacks;

struct helped_stacks *helped_stacks_want(struct run *run);

/*
 * The stack of the event, with that of who waits for it below; its own where there is none. `event` is the one that is
 * being taken. What is put together stays in source_stacks().
 */
uint32_t helped_stacks_of(struct helped_stacks *helped, const struct source_event *event);

#endif
