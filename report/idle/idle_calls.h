/* SPDX-License-Identifier: MIT */
/*
 * Calls that are known when they return: of CUDA, and of input and output. Their first field is the
 * function's name.
 */
#ifndef REPORT_IDLE_IDLE_CALLS_H
#define REPORT_IDLE_IDLE_CALLS_H

#include "report/core/analysis.h"
#include "report/idle/idle.h"

void idle_calls_read(struct run *run, analysis_take *take, void *state);

/*
 * The kind of a call by its event. A call that only CUPTI has reported is classified by its
 * function's name.
 */
enum idle_kind idle_call_kind(uint32_t id, const struct source_name *function);
uint64_t idle_call_duration_ns(const struct event *event);
/*
 * True for a call that CUDA itself made inside of another one, which is then the innermost that the
 * program made.
 */
bool idle_call_is_nested(const struct event *event);

#endif
