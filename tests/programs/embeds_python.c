/* SPDX-License-Identifier: MIT */
/*
 * usage: embeds_python [-s] CODE
 * Runs Python code as programs do that have an interpreter in them: by none of CPython's functions
 * that raise an audit event cpython.run_*. With -s by PyRun_SimpleString(), as gdb does. libpython
 * has to be preloaded.
 */
#include <dlfcn.h>
#include <stdio.h>

static void *function(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		fprintf(stderr, "embeds_python: no '%s': preload libpython\n", name);
	return found;
}

static void *(*compile)(const char *, const char *, int);
static void *(*evaluate)(void *, void *, void *);
static void *(*new_dictionary)(void);
static int (*set_item)(void *, const char *, void *);
static void *(*builtins)(void);
static int (*run_simple)(const char *);

#define FILE_INPUT 257 /* Py_file_input */

static int run(const char *text)
{
	void *globals = new_dictionary(), *code = compile(text, "embedded", FILE_INPUT);

	return !globals || !code || set_item(globals, "__builtins__", builtins()) < 0 ||
	       !evaluate(code, globals, globals);
}

int main(int argc, char **argv)
{
	void (*initialize)(int) = (void (*)(int))function("Py_InitializeEx");
	int (*finalize)(void) = (int (*)(void))function("Py_FinalizeEx");
	int status;

	*(void **)&compile = function("Py_CompileString");
	*(void **)&evaluate = function("PyEval_EvalCode");
	*(void **)&new_dictionary = function("PyDict_New");
	*(void **)&set_item = function("PyDict_SetItemString");
	*(void **)&builtins = function("PyEval_GetBuiltins");
	*(void **)&run_simple = function("PyRun_SimpleString");
	if (argc < 2 || argc > 3 || !run_simple || !initialize || !finalize || !compile ||
	    !evaluate || !new_dictionary || !set_item || !builtins)
		return 2;
	initialize(1);
	status = argc == 2 ? run(argv[1]) : run_simple(argv[2]);
	return finalize() < 0 || status != 0;
}
