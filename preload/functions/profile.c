/* SPDX-License-Identifier: MIT */
/*
 * Calls seen by the profile function that each thread state has, CPython 3.8 to 3.11.
 *
 * A new thread state becomes the head of the interpreter's list before its thread runs any Python.
 * So the next callback, on any thread, finds it there. If the program sets the profile function
 * itself, we lose that thread. What we miss is recorded as the call of a function of that name. In
 * the main thread we return when the program has removed its own function.
 */
#include <stddef.h>
#include <string.h>

#include "preload/base/symbols.h"
#include "preload/functions/call_requests.h"
#include "preload/functions/calls.h"
#include "preload/python/python_api.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/settings/settings.h"

#define AWAY "0\t<not recorded: the program's own profile function>\t~"
#define LOOKS_MAX 100000u /* limit for thread states that are examined */

enum what {
	WHAT_CALL = 0,
	WHAT_RETURN = 3,
	WHAT_C_CALL = 4,
	WHAT_C_EXCEPTION = 5,
	WHAT_C_RETURN = 6,
};

typedef int profile_function(void *self, void *frame, int what, void *argument);

static struct {
	void (*set)(profile_function *function, void *object);                /* for this thread */
	int (*set_in)(void *state, profile_function *function, void *object); /* since 3.9 */
	void *(*code_of)(void *frame);                                        /* since 3.9 */
	void *(*swap)(void *state);
	void *(*interpreter)(void);
	void *(*head)(void *interpreter);
	void *(*next)(void *state);
	void *(*state)(void);
	int (*call_later)(int (*function)(void *), void *argument);
} api;

static void *interpreter, *last_head, *main_state;
static bool has_calls_of_c; /* +functions: they are recorded, too */
static bool is_setting;     /* our own code is setting it; with the GIL */
static bool is_away;        /* the main thread's profile function is the program's */

static int profile_see(void *self, void *frame, int what, void *argument);

/* --- threads --- */

static void profile_set_in(void *state)
{
	void *before;

	is_setting = true;
	if (api.set_in) {
		if (api.set_in(state, profile_see, NULL) < 0)
			python_api.PyErr_Clear();
	} else if (state == api.state()) {
		api.set(profile_see, NULL);
	} else {
		before = api.swap(state);
		api.set(profile_see, NULL);
		(void)api.swap(before);
	}
	is_setting = false;
}

/* New thread states are before the one that was first. */
static void look_for_threads(void *head)
{
	void *known = last_head, *state = head;

	last_head = head;
	for (unsigned int i = 0; state && state != known && i < LOOKS_MAX; i++) {
		if (state == main_state) /* the state that we knew is gone */
			break;
		profile_set_in(state);
		state = api.next(state);
	}
}

/* --- what CPython calls --- */

/* NULL: 3.8 has it elsewhere. Released by code_release(). */
static void *profile_code_of(void *frame)
{
	return api.code_of ? api.code_of(frame) : call_code_in(frame);
}

static void code_release(void *code)
{
	if (api.code_of)
		python_api.Py_DecRef(code);
}

static void see_code(uint32_t event, void *frame, const void *result)
{
	void *code = profile_code_of(frame);

	if (!code)
		return;
	(void)call_of_code(event, code);
	if (__builtin_expect(call_request_of(code) != CALL_REQUESTS, 0))
		call_request_profile(code, frame, event == EVT_function_return, result);
	code_release(code);
}

static void see_c(uint32_t event, void *frame, void *callable)
{
	void *method = call_method_of(callable, false), *code;

	if (!method)
		return;
	code = profile_code_of(frame);
	if (!code)
		return;
	if (function_of_code(code) != FUNCTION_LEFT_OUT)
		call_of_method(event, method, callable);
	code_release(code);
}

static int profile_see(void *self, void *frame, int what, void *argument)
{
	void *head = api.head(interpreter);

	(void)self;
	if (__builtin_expect(head != last_head, 0))
		look_for_threads(head);
	stack_switch_look_at(frame, what == WHAT_CALL, what == WHAT_RETURN);
	if (what == WHAT_CALL)
		see_code(EVT_function_enter, frame, NULL);
	else if (what == WHAT_RETURN)
		see_code(EVT_function_return, frame, argument);
	else if (!has_calls_of_c)
		return 0;
	else if (what == WHAT_C_CALL)
		see_c(EVT_function_enter, frame, argument);
	else if (what == WHAT_C_RETURN || what == WHAT_C_EXCEPTION)
		see_c(EVT_function_return, frame, argument);
	return 0;
}

/* --- the program's own --- */

static void record_away(uint32_t event)
{
	const struct string text = string_of(AWAY);

	(void)recorder_record(EVT_FAMILY_functions, event,
			      &(struct recorder_field){ .text = &text }, 1);
}

static bool has_none(void)
{
	void *sys = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(), "sys");
	void *get = sys ? python_api.PyObject_GetAttrString(sys, "getprofile") : NULL;
	void *now = get ? python_api.PyObject_CallFunctionObjArgs(get, NULL) : NULL;
	bool is_none = now && now == symbols_find_loaded("_Py_NoneStruct");

	if (!now)
		python_api.PyErr_Clear();
	else
		python_api.Py_DecRef(now);
	if (get)
		python_api.Py_DecRef(get);
	return is_none;
}

/* Called in the main thread, soon after its profile function was set. */
static int profile_come_back(void *nothing)
{
	(void)nothing;
	if (is_away && api.state() == main_state && has_none()) {
		is_away = false;
		record_away(EVT_function_return);
		profile_set_in(main_state);
	}
	return 0;
}

void profile_see_set(void)
{
	static bool is_said;

	if (is_setting || !interpreter)
		return;
	if (!is_said)
		limitation_say(LIMITATION_functions_left, NULL);
	is_said = true;
	if (api.state() != main_state) {
		record_away(EVT_function_enter);
		return;
	}
	if (!is_away)
		record_away(EVT_function_enter);
	is_away = true;
	(void)api.call_later(profile_come_back, NULL);
}

/* --- the way in --- */

bool profile_begin(void)
{
	if (symbols_find_loaded("PyUnstable_Code_GetExtra")) /* 3.12: sys.monitoring or nothing */
		return false;
	api.set = (void (*)(profile_function *, void *))symbols_find_loaded("PyEval_SetProfile");
	api.set_in = (int (*)(void *, profile_function *, void *))symbols_find_loaded(
		"_PyEval_SetProfile");
	api.code_of = (void *(*)(void *))symbols_find_loaded("PyFrame_GetCode");
	api.swap = (void *(*)(void *))symbols_find_loaded("PyThreadState_Swap");
	api.interpreter = (void *(*)(void))symbols_find_loaded("PyInterpreterState_Main");
	api.head = (void *(*)(void *))symbols_find_loaded("PyInterpreterState_ThreadHead");
	api.next = (void *(*)(void *))symbols_find_loaded("PyThreadState_Next");
	api.state = (void *(*)(void))symbols_find_loaded("PyThreadState_Get");
	api.call_later = (int (*)(int (*)(void *), void *))symbols_find_loaded("Py_AddPendingCall");
	if (!api.set || !api.swap || !api.interpreter || !api.head || !api.next || !api.state ||
	    !api.call_later)
		return false;
	has_calls_of_c = settings.trace & 1u << SETTINGS_FAMILY_functions;
	main_state = api.state();
	interpreter = api.interpreter();
	last_head = api.head(interpreter);
	profile_set_in(main_state);
	return true;
}
