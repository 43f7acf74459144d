/* SPDX-License-Identifier: MIT */
/* Calls that are known once they return: of CUDA, and of input and output. Their first field is the function's name. */
#ifndef REPORT_IDLE_IDLE_CALLS_H
#define REPORT_IDLE_IDLE_CALLS_H

#include "report/core/analysis.h"
#include "report/idle/idle.h"

void idle_calls_read(struct run *run, analysis_take *take, void *state);

/* Of their events. One that CUPTI alone has told of is what its function's name says. */
enum idle_kind idle_call_kind(uint32_t id, const struct source_name *function);
uint64_t idle_call_duration_ns(const struct event *event);
/* A call that CUDA made itself inside of another: that one is the innermost that the program made. */
bool idle_call_is_nested(const struct event *event);

#endif
