/* SPDX-License-Identifier: MIT */
/*
 * Stacks of events that have no line of the user's code on their own thread.
 *
 * A helper (helpers/helpers.h), such as a thread of autograd's, runs for a thread that waits for
 * it. Its work was caused by the line at which that thread waits, in loss.backward(). So the
 * helper's stack is put under the stack of the waiting thread, up to but without the frame of
 * torch.autograd that called the engine. These frames are certainly open while the engine runs. The
 * waiting thread's stack is that of the operator that it began last. It is certain that the thread
 * has been in backward() since then only if that operator began inside of torch.autograd:
 * torch.autograd makes the first gradient, ones_like(). With explicit gradients (out.backward(g),
 * torch.autograd.grad()) there is no such operator, but the engine allocates memory before it
 * begins: so the stack of the thread's last block is examined next. If neither is in
 * torch.autograd, the event keeps its own stack.
 *
 * A call that only CUPTI saw (a launch of cuBLAS's) has no stack. It gets the stack of the operator
 * that is open around it, which began on the same line.
 *
 * This is an analysis: it sees each event before the analyses that want it. Memory grows with
 * threads and distinct stacks.
 */
#ifndef REPORT_STACKS_HELPED_STACKS_H
#define REPORT_STACKS_HELPED_STACKS_H

#include "report/core/analysis.h"

struct helped_stacks;

struct helped_stacks *helped_stacks_want(struct run *run);

/*
 * Returns the stack of the event, joined with that of the waiting thread; the event's own if there
 * is no waiting thread. `event` must be the one that is being taken. Joined stacks stay in
 * source_stacks().
 */
uint32_t helped_stacks_of(struct helped_stacks *helped, const struct source_event *event);

#endif
