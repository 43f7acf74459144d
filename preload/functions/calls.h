/* SPDX-License-Identifier: MIT */
/* The records of calls, for both ways of seeing them. With the GIL; errno is preserved. */
#ifndef PRELOAD_FUNCTIONS_CALLS_H
#define PRELOAD_FUNCTIONS_CALLS_H

#include "preload/functions/call_types.h"
#include "preload/functions/function_names.h"
#include "preload/functions/stack_switch.h"
#include "preload/record/strings.h"

static inline __attribute__((always_inline)) void call_put(uint32_t event, uint64_t id)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_functions, RECORDER_IN_RECORD);

	if (!lane)
		return;
	(void)recorder_put(lane, event, recorder_now(), &id, 1);
	recorder_leave(lane);
}

/* Returns false if the function is left out. */
static inline __attribute__((always_inline)) bool call_of_code(uint32_t event, void *code)
{
	uint64_t id = function_of_code(code);

	stack_switch_look();
	if (__builtin_expect(id > FUNCTION_LEFT_OUT && string_is_sent(id), 1)) {
		call_put(event, id);
		return true;
	}
	if (id == FUNCTION_LEFT_OUT)
		return false;
	return function_record_code(event, code) != FUNCTION_LEFT_OUT;
}

static inline void call_of_method(uint32_t event, void *method, void *callable)
{
	uint64_t id = function_of_method(method);

	stack_switch_look();
	if (__builtin_expect(id && string_is_sent(id), 1))
		call_put(event, id);
	else
		function_record_method(event, method, callable);
}

/* The two ways. They return false if the interpreter does not have it, or somebody else uses it. */
bool monitor_begin(void *globals) PRELOAD_HIDDEN;
bool profile_begin(void) PRELOAD_HIDDEN;
void profile_see_set(void) PRELOAD_HIDDEN;

#endif
