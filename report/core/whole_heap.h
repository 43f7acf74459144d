/* SPDX-License-Identifier: MIT */
/*
 * Whether a recording with INTERCEPT_BUDGET has the heap of the whole run: a sample of it
 * (INTERCEPT_HEAP_EVERY) goes on between the steps with detail. Only of the C heap: blocks of
 * Python and tensors are those of steps with detail.
 */
#ifndef REPORT_CORE_WHOLE_HEAP_H
#define REPORT_CORE_WHOLE_HEAP_H

#include <stdbool.h>

#include "report/session/source.h"

/* Known as soon as the first event of a program is read. */
bool whole_heap_is_recorded(const struct source *source);

#endif
