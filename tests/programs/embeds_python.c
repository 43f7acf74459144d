/* SPDX-License-Identifier: MIT */
/*
 * usage: embeds_python CODE
 * Runs Python code as programs do that have an interpreter in them: no main function of CPython, and so none of
 * its audit events. libpython has to be preloaded.
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

int main(int argc, char **argv)
{
	void (*initialize)(int) = (void (*)(int))function("Py_InitializeEx");
	int (*run)(const char *,
		   void *) = (int (*)(const char *, void *))function("PyRun_SimpleStringFlags");
	int (*finalize)(void) = (int (*)(void))function("Py_FinalizeEx");
	int status;

	if (argc != 2 || !initialize || !run || !finalize)
		return 2;
	initialize(1);
	status = run(argv[1], NULL);
	return finalize() < 0 || status != 0;
}
