/* SPDX-License-Identifier: MIT */
/* The stack of an event, whether the recording has stacks or callers only. */
#ifndef REPORT_STACKS_EVENT_STACK_H
#define REPORT_STACKS_EVENT_STACK_H

#include "report/session/source.h"

/* `caller`: a return address, 0 where none is known. Without a stack the caller is one of one frame. */
static inline uint32_t event_stack(struct source *source, uint32_t stack, uint64_t caller)
{
	if (stack != STACK_NONE || !caller)
		return stack;
	return stacks_add(source_stacks(source), STACK_NONE, caller, 0);
}

#endif
