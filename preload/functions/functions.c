/* SPDX-License-Identifier: MIT */
/* See functions.h. */
#include "preload/functions/functions.h"

#include <stddef.h>

#include "preload/base/log.h"
#include "preload/base/symbols.h"
#include "preload/functions/calls.h"
#include "preload/functions/monitor.h"
#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/settings/settings.h"

/* The bytes of functions.py and a 0 behind them. */
__asm__(".pushsection .rodata\n"
	"functions_text:\n"
	".incbin \"preload/functions/functions.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char functions_text[] __attribute__((visibility("hidden")));

static struct {
	void *function, *descriptor, *code,
		*method; /* types; method: of C functions that know their class */
	unsigned int type_word;
} types;
static bool is_ready;

bool call_types_find(void)
{
	void *type_type = symbols_find_loaded("PyType_Type");

	types.function = symbols_find_loaded("PyCFunction_Type");
	types.descriptor = symbols_find_loaded("PyMethodDescr_Type");
	types.method = symbols_find_loaded("PyCMethod_Type");
	types.code = symbols_find_loaded("PyCode_Type");
	if (!types.function || !types.descriptor || !types.code || !type_type)
		return false;
	for (types.type_word = 1; types.type_word <= 3; types.type_word += 2)
		if (((void **)types.function)[types.type_word] == type_type)
			return true;
	return false;
}

/* PyCFunctionObject: head, m_ml. PyMethodDescrObject: head, d_type, d_name, d_qualname, d_method. */
void *call_method_of(void *callable, bool takes_descriptors)
{
	void **words = callable, *type = words[types.type_word];

	if (type == types.function || (type == types.method && type))
		return words[types.type_word + 1];
	if (takes_descriptors && type == types.descriptor)
		return words[types.type_word + 4];
	return NULL;
}

/* PyFrameObject: head, size, f_back, f_code */
void *call_code_in(void *frame)
{
	void **code = ((void **)frame)[types.type_word + 3];

	return code && code[types.type_word] == types.code ? code : NULL;
}

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
	if (!(settings.trace & 1u << SETTINGS_FAMILY_functions))
		return true;
	globals = python_globals();
	if (!globals)
		return true;
	python_put_methods(globals, methods, 1);
	if (!python_run(functions_text, globals) || !is_ready)
		log_line("this version of CPython is not supported: no functions are recorded; "
			 "docs/COMPATIBILITY.md lists versions that work");
	else if (!monitor_begin(globals) && !profile_begin())
		log_line("no functions are recorded: both tool ids 3 and 4 of sys.monitoring are "
			 "in use");
	python_api.Py_DecRef(globals);
	return true;
}

bool functions_see_setprofile(void *arguments)
{
	(void)arguments;
	if (is_ready)
		profile_see_set();
	return true;
}
