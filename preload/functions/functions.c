/* SPDX-License-Identifier: MIT */
/*
 * Runs functions.py, which is embedded as bytes and passes us the function that labels callables.
 * Then starts sys.monitoring or, if there is none, the profile function.
 */
/* cases: python_functions python_function_times */
#include "preload/functions/functions.h"

#include <stddef.h>
#include <stdint.h>

#include "preload/base/symbols.h"
#include "preload/functions/calls.h"
#include "preload/functions/monitor.h"
#include "preload/functions/stack_switch.h"
#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/requests/marks.h"
#include "preload/settings/settings.h"

/* The bytes of functions.py, followed by a 0. */
__asm__(".pushsection .rodata\n"
	"functions_text:\n"
	".incbin \"preload/functions/functions.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char functions_text[] __attribute__((visibility("hidden")));

static bool is_ready;

/* given(label, DISABLE) of functions.py */
static void *take_given(void *self, void *arguments)
{
	(void)self;
	is_ready = call_types_find() &&
		   function_names_begin(python_api.PyTuple_GetItem(arguments, 0));
	monitor_disable = python_api.PyTuple_GetItem(arguments, 1);
	python_api.Py_IncRef(monitor_disable);
	python_api.Py_IncRef(arguments);
	return arguments;
}

bool functions_begin(void *arguments)
{
	static struct python_method methods[] = {
		{ "given", take_given, PYTHON_METH_VARARGS, NULL },
	};
	void *globals;

	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_functions) && !marks_of_functions)
		return true;
	globals = python_globals();
	if (!globals)
		return true;
	python_put_methods(globals, methods, 1);
	if (!python_run(functions_text, globals) || !is_ready)
		limitation_say(LIMITATION_functions_unknown, NULL);
	else if (!monitor_begin(globals) && !profile_begin())
		limitation_say(LIMITATION_functions_in_use, NULL);
	if (is_ready)
		stack_switch_begin();
	python_api.Py_DecRef(globals);
	return true;
}

bool functions_see_interpreter(void *arguments)
{
	static void *(*now)(void);
	static int64_t (*id_of)(void *interpreter), highest; /* id 0 is the main interpreter */
	int64_t id;

	(void)arguments;
	if (!is_ready)
		return true;
	if (!now) {
		now = (void *(*)(void))symbols_find_loaded("PyInterpreterState_Get");
		id_of = (int64_t(*)(void *))symbols_find_loaded("PyInterpreterState_GetID");
	}
	id = now && id_of ? id_of(now()) : 0;
	if (id > highest) {
		(void)recorder_record(
			EVT_FAMILY_functions, EVT_function_interpreter,
			&(struct recorder_field){ .number = (uint64_t)(id - highest) }, 1);
		highest = id;
	}
	return true;
}

bool functions_see_setprofile(void *arguments)
{
	(void)arguments;
	if (is_ready)
		profile_see_set();
	return true;
}
