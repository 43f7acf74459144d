/* SPDX-License-Identifier: MIT */
/*
 * The callbacks of sys.monitoring. CPython calls no other callback of the tool while one is
 * running.
 */
#include "preload/functions/monitor.h"

#include <stddef.h>
#include <sys/types.h>

#include "preload/base/symbols.h"
#include "preload/functions/call_requests.h"
#include "preload/functions/callback.h"
#include "preload/functions/calls.h"
#include "preload/python/python_api.h"
#include "preload/settings/settings.h"

#define OF_C 3u /* the last callbacks, which requests do not need */

void *monitor_disable;
static void *none; /* immortal since 3.12 */

/* The arguments begin with the code and the position in it. */
#define CALLBACK(name) \
	static void *name(void *self, void *const *argument, size_t flags, void *names)
#define HAS_ARGUMENTS(number) has_arguments(self, flags, names, number)

static inline bool has_arguments(void *self, size_t flags, void *names, size_t number)
{
	(void)self;
	(void)names;
	return __builtin_expect(CALLBACK_COUNT(flags) >= number, 1);
}

static inline void *monitor_see(uint32_t event, void *code)
{
	if (__builtin_expect(call_of_code(event, code), 1) ||
	    call_request_of(code) != CALL_REQUESTS)
		return none;
	python_api.Py_IncRef(monitor_disable);
	return monitor_disable;
}

CALLBACK(see_enter)
{
	return HAS_ARGUMENTS(1) ? monitor_see(EVT_function_enter, argument[0]) : none;
}

/* A call of the function begins; see_enter() also sees a coroutine that goes on. */
CALLBACK(see_start)
{
	void *answer = see_enter(self, argument, flags, names);
	unsigned int number = HAS_ARGUMENTS(1) ? call_request_of(argument[0]) : CALL_REQUESTS;

	if (__builtin_expect(number != CALL_REQUESTS, 0))
		call_request_begin(number, python_api.PyEval_GetFrame());
	return answer;
}

CALLBACK(see_return)
{
	return HAS_ARGUMENTS(1) ? monitor_see(EVT_function_return, argument[0]) : none;
}

static inline void monitor_end_request(void *code, bool failed)
{
	if (__builtin_expect(call_request_of(code) != CALL_REQUESTS, 0))
		call_request_end(python_api.PyEval_GetFrame(), failed);
}

CALLBACK(see_leave)
{
	if (HAS_ARGUMENTS(1))
		monitor_end_request(argument[0], false);
	return see_return(self, argument, flags, names);
}

/* These events cannot be disabled for a single position. */
CALLBACK(see_throw)
{
	if (HAS_ARGUMENTS(1))
		(void)call_of_code(EVT_function_enter, argument[0]);
	return none;
}

CALLBACK(see_unwind)
{
	if (!HAS_ARGUMENTS(1))
		return none;
	monitor_end_request(argument[0], true);
	(void)call_of_code(EVT_function_return, argument[0]);
	return none;
}

/*
 * Arguments: code, position, callable, first argument. Most calls are of Python functions, which
 * have a begin event of their own.
 */
static inline bool is_left_out(void *code)
{
	return settings.functions[0] && function_of_code(code) == FUNCTION_LEFT_OUT;
}

CALLBACK(see_call)
{
	void *method = HAS_ARGUMENTS(3) ? call_method_of(argument[2], true) : NULL;

	if (HAS_ARGUMENTS(1) && __builtin_expect(is_left_out(argument[0]), 0)) {
		python_api.Py_IncRef(monitor_disable);
		return monitor_disable;
	}
	if (method)
		call_of_method(EVT_function_enter, method, argument[2]);
	return none;
}

CALLBACK(see_c_return)
{
	void *method = HAS_ARGUMENTS(3) ? call_method_of(argument[2], true) : NULL;

	if (method && !is_left_out(argument[0]))
		call_of_method(EVT_function_return, method, argument[2]);
	return none;
}

bool monitor_begin(void *globals)
{
	static const struct callback callbacks[] = {
		{ "PY_START", see_start },   { "PY_RESUME", see_enter },
		{ "PY_THROW", see_throw },   { "PY_RETURN", see_leave },
		{ "PY_YIELD", see_return },  { "PY_UNWIND", see_unwind },
		{ "CALL", see_call },        { "C_RETURN", see_c_return },
		{ "C_RAISE", see_c_return },
	};
	bool has_calls_of_c = settings.trace & 1u << SETTINGS_FAMILY_functions;
	size_t count = sizeof(callbacks) / sizeof(callbacks[0]) - (has_calls_of_c ? 0 : OF_C);
	void *table, *function, *result = NULL;

	none = symbols_find_loaded("_Py_NoneStruct");
	function = python_api.PyDict_GetItemString(globals, "monitor");
	if (!none || !function || monitor_disable == none)
		return false;
	table = python_api.PyDict_New();
	if (table && callbacks_put(table, call_types.type_word + 1, callbacks, count))
		result = python_api.PyObject_CallFunctionObjArgs(function, table, NULL);
	if (table)
		python_api.Py_DecRef(table);
	if (!result) {
		python_api.PyErr_Clear();
		return false;
	}
	table = symbols_find_loaded("_Py_TrueStruct");
	python_api.Py_DecRef(result);
	return result == table;
}
