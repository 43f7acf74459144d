/* SPDX-License-Identifier: MIT */
/*
 * importlib's _find_and_load() gets find_and_load() as its vectorcall, which records a begin, calls
 * the original and records an end. The importer is the innermost frame outside of importlib's own
 * code.
 */
/* cases: python_imports */
#include "preload/imports/imports.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/symbols.h"
#include "preload/python/listeners.h"
#include "preload/python/place.h"
#include "preload/python/python_api.h"
#include "preload/python/python_string.h"
#include "preload/python/vectorcall.h"
#include "preload/record/event.h"
#include "preload/settings/settings.h"

#define IMPORTLIB "<frozen importlib"
#define FRAMES_MAX 64 /* limit for frames of importlib that are skipped to find the importer */
#define FRAME_BACK 3  /* the word of a frame that holds f_back, in 3.8 */
#define FRAME_CODE 4

/* What is looked up once. `original` is set last, when all others are set. */
static struct {
	void *builtin_type, *code_type;
	void *(*code_of)(void *frame); /* since 3.9, like the next one */
	void *(*back_of)(void *frame);
	_Atomic(vectorcall *) original;
} api;

/* --- recording --- */

static struct string imports_file_text(void *text)
{
	struct string file = python_string(text);
	size_t length = file.length;
	const char *shown = length ? place_file(file.bytes, &length) : "";

	return string_of_bytes(shown, length);
}

/*
 * For 3.8, which has no function for it. Attributes are not read, because the program's audit hooks
 * would be called and might refuse it. The result must be released. NULL: it is no object of that
 * type.
 */
static void *frame_word(void *frame, unsigned int word, void *type)
{
	void *value = ((void **)frame)[word];

	if (!value || vectorcall_type_of(value) != type)
		return NULL;
	python_api.Py_IncRef(value);
	return value;
}

/* The file of the frame's code, to be released. */
static void *imports_file_of(void *frame)
{
	void *code = api.code_of ? api.code_of(frame)
				 : frame_word(frame, FRAME_CODE, api.code_type);
	void *file = python_attribute(code, "co_filename");

	if (code)
		python_api.Py_DecRef(code);
	return file;
}

static bool is_importlib(void *file)
{
	struct string text = python_string(file);

	return text.length >= sizeof(IMPORTLIB) - 1 &&
	       memcmp(text.bytes, IMPORTLIB, sizeof(IMPORTLIB) - 1) == 0;
}

/* Returns the next outer frame and releases this one; NULL: there is none. */
static void *step_out(void *frame)
{
	void *back = api.back_of ? api.back_of(frame)
				 : frame_word(frame, FRAME_BACK, vectorcall_type_of(frame));

	python_api.Py_DecRef(frame);
	return back;
}

/*
 * Returns the file of the innermost frame outside of importlib, to be released, and its line; NULL:
 * there is none.
 */
static void *find_importer(uint64_t *ret_line)
{
	void *frame = python_api.PyEval_GetFrame(), *file = NULL;
	int line;

	if (frame)
		python_api.Py_IncRef(frame);
	for (int i = 0; frame && i < FRAMES_MAX; i++, frame = step_out(frame)) {
		file = imports_file_of(frame);
		if (file && !is_importlib(file)) {
			line = python_api.PyFrame_GetLineNumber(frame); /* -1: it has no line */
			*ret_line = line > 0 ? (uint64_t)line : 0;
			break;
		}
		if (file)
			python_api.Py_DecRef(file);
		file = NULL;
	}
	if (frame)
		python_api.Py_DecRef(frame);
	return file;
}

static bool imports_record_begin(void *name)
{
	uint64_t line = 0;
	void *importer = find_importer(&line);
	struct string module = python_string(name), file = imports_file_text(importer);
	bool is_recorded = recorder_record(EVT_FAMILY_imports, EVT_import_begin,
					   (struct recorder_field[]){ { .text = &module },
								      { .text = &file },
								      { .number = line } },
					   3);

	if (importer)
		python_api.Py_DecRef(importer);
	return is_recorded;
}

/*
 * importlib._bootstrap._find_and_load(name, import_). C calls it with its own __import__, Python
 * with a function of importlib.
 */
static void *find_and_load(void *callable, void *const *argument, size_t flags, void *names)
{
	vectorcall *original = vectorcall_original(&api.original);
	bool is_statement = (flags & ~PYTHON_ARGUMENTS_OFFSET) == 2 &&
			    vectorcall_type_of(argument[1]) == api.builtin_type;
	bool is_recorded = is_statement && imports_record_begin(argument[0]);
	void *module = original(callable, argument, flags, names);

	if (is_recorded)
		(void)recorder_record(EVT_FAMILY_imports, EVT_import_end,
				      &(struct recorder_field){ .number = !module }, 1);
	return module;
}

/* --- the way in --- */

static bool look_up_api(void)
{
	api.builtin_type = symbols_find_loaded("PyCFunction_Type");
	api.code_type = symbols_find_loaded("PyCode_Type");
	api.code_of = (void *(*)(void *))symbols_find_loaded("PyFrame_GetCode");
	api.back_of = (void *(*)(void *))symbols_find_loaded("PyFrame_GetBack");
	return vectorcall_find() && api.builtin_type && api.code_type &&
	       !api.code_of == !api.back_of;
}

/* The lookup searches all libraries, so it is done once. */
static bool find_api(void)
{
	static _Atomic int found; /* 1: yes, -1: no */

	if (!atomic_load(&found))
		atomic_store(&found, look_up_api() ? 1 : -1);
	return atomic_load(&found) > 0;
}

/*
 * Done at every import, because an interpreter that is created later has a function of its own,
 * often at the address of one that has ended.
 */
bool imports_see(void *arguments)
{
	void *importlib, *function;

	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_imports) || !find_api())
		return true;
	importlib = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(),
						    "_frozen_importlib");
	function = python_attribute(importlib, "_find_and_load");
	if (function) {
		(void)vectorcall_put(function, find_and_load, &api.original);
		python_api.Py_DecRef(function);
	}
	return true;
}
