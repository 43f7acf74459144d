/* SPDX-License-Identifier: MIT */
/*
 * The struct is filled from a table of names and offsets made of PYTHON_API. Code runs under a file
 * name of importlib's, so that its frames are left out of tracebacks.
 */
#include "preload/python/python_api.h"

#include <stddef.h>
#include <string.h>

#include "preload/base/symbols.h"

#define PY_FILE_INPUT 257 /* Py_file_input */

struct python_api python_api;

bool python_api_find(void)
{
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = {
#define FUNCTION(returns, name, parameters) { #name, offsetof(struct python_api, name) },
		PYTHON_API(FUNCTION)
#undef FUNCTION
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = symbols_find_loaded(functions[i].name);

		if (!found)
			return false;
		memcpy((char *)&python_api + functions[i].offset, &found, sizeof(found));
	}
	return true;
}

void *python_globals(void)
{
	void *globals = python_api.PyDict_New();

	if (globals)
		(void)python_api.PyDict_SetItemString(globals, "__builtins__",
						      python_api.PyEval_GetBuiltins());
	return globals;
}

void python_put_methods(void *globals, struct python_method *methods, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *function = python_api.PyCFunction_NewEx(&methods[i], NULL, NULL);

		if (!function)
			continue;
		(void)python_api.PyDict_SetItemString(globals, methods[i].name, function);
		python_api.Py_DecRef(function);
	}
}

/* Types are objects, too: the type of PyType_Type is itself. */
unsigned int python_type_word(void)
{
	void *const *type = symbols_find_loaded("PyType_Type");

	for (unsigned int word = 1; type && word <= 3; word += 2)
		if (type[word] == type)
			return word;
	return 0;
}

bool python_run(const char *text, void *globals)
{
	void *type, *value, *trace, *code, *result = NULL;

	python_api.PyErr_Fetch(&type, &value, &trace);
	/*
	 * importlib removes frames of this file from the tracebacks of failed imports, and ours
	 * with them
	 */
	code = python_api.Py_CompileString(text, "<frozen importlib._bootstrap>", PY_FILE_INPUT);
	if (code) {
		result = python_api.PyEval_EvalCode(code, globals, globals);
		python_api.Py_DecRef(code);
	}
	if (result)
		python_api.Py_DecRef(result);
	else
		python_api.PyErr_Clear();
	python_api.PyErr_Restore(type, value, trace);
	return result != NULL;
}
