/* SPDX-License-Identifier: MIT */
/*
 * Examines the events import, exec and compile. The program has begun if the outermost frame runs a
 * file that is not frozen. Without a frame, it has begun unless the import is one of CPython's own.
 */
#include "preload/python/embedding.h"

#include <stddef.h>
#include <string.h>

#include "preload/base/symbols.h"
#include "preload/python/python_api.h"

#define FRAMES_MAX 256
#define FROZEN "<frozen "

static bool text_is_one_of(void *text, const char *const *names)
{
	size_t length;
	const char *bytes = python_utf8(text, &length);

	if (!bytes)
		return false;
	while (*names && strcmp(*names, bytes) != 0)
		names++;
	return *names;
}

/* True for what CPython imports by itself before it runs a program. */
static bool is_of_start(const char *event, void *arguments)
{
	static const char *const modules[] = { "site", "readline", "rlcompleter", NULL };

	return strcmp(event, "import") == 0 &&
	       (python_api.PyTuple_Size(arguments) < 1 ||
		text_is_one_of(python_api.PyTuple_GetItem(arguments, 0), modules));
}

/*
 * Returns the outermost frame, to be released, and takes `frame`. NULL: not known, as in 3.8, which
 * has no function for it.
 */
static void *outermost_of(void *frame)
{
	static void *(*back_of)(void *frame);
	void *back;

	if (!back_of)
		back_of = (void *(*)(void *))symbols_find_loaded("PyFrame_GetBack");
	for (int i = 0; back_of && i < FRAMES_MAX; i++, frame = back) {
		back = back_of(frame);
		if (!back)
			return frame;
		python_api.Py_DecRef(frame);
	}
	python_api.Py_DecRef(frame);
	return NULL;
}

/* While `site` is imported, importlib is further out, and importlib is frozen. */
static bool is_code_of_program(void *frame)
{
	void *(*code_of)(void *frame) = (void *(*)(void *))symbols_find_loaded("PyFrame_GetCode");
	void *code = code_of ? code_of(frame) : NULL;
	void *file = python_attribute(code, "co_filename");
	size_t length;
	const char *text = python_utf8(file, &length);
	bool is_of_program = text && strncmp(text, FROZEN, strlen(FROZEN)) != 0;

	if (file)
		python_api.Py_DecRef(file);
	if (code)
		python_api.Py_DecRef(code);
	return is_of_program;
}

bool embedding_begins(const char *event, void *arguments)
{
	void *frame;
	bool begins;

	if ((strcmp(event, "import") != 0 && strcmp(event, "exec") != 0 &&
	     strcmp(event, "compile") != 0) ||
	    !python_api.Py_IsInitialized())
		return false;
	frame = python_api.PyEval_GetFrame();
	if (!frame)
		return !is_of_start(event, arguments);
	python_api.Py_IncRef(frame);
	frame = outermost_of(frame);
	begins = frame && is_code_of_program(frame);
	if (frame)
		python_api.Py_DecRef(frame);
	return begins;
}
