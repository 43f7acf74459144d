/* SPDX-License-Identifier: MIT */
/* The names of the functions are made when they are seen first. */
#include "preload/functions/call_requests.h"

#include <errno.h>
#include <string.h>

#include "preload/python/python_api.h"
#include "preload/record/limitation.h"
#include "preload/requests/marks.h"

#define NAME_BYTES 128u
#define RETURN_VALUE 83     /* the operation, in CPython 3.8 to 3.11 */
#define CODE_SUSPENDS 0x2a0 /* CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR */

struct call_requests call_requests;

static char call_request_names[CALL_REQUESTS][NAME_BYTES];

/* Copies what fits and returns its length. */
static size_t call_request_copy(char *to, size_t room, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (length > room)
		length = room;
	memcpy(to, text ? text : "", length);
	return length;
}

/* "MODULE:FUNCTION" */
static void call_request_name(char text[NAME_BYTES], const char *module, const char *function)
{
	size_t used = call_request_copy(text, NAME_BYTES / 2, module);

	text[used++] = ':';
	used += call_request_copy(text + used, NAME_BYTES - 1 - used, function);
	text[used] = 0;
}

void call_request_look(void *code, const char *module)
{
	void *qualified = python_attribute(code, "co_qualname");
	void *named = python_attribute(code, "co_name");
	size_t length;
	const char *whole = python_utf8(qualified, &length), *name = python_utf8(named, &length);

	if (name && marks_has_function(module, whole, name)) {
		if (call_requests.count < CALL_REQUESTS) {
			python_api.Py_IncRef(code);
			call_request_name(call_request_names[call_requests.count], module,
					  whole ? whole : name);
			call_requests.code[call_requests.count++] = code;
		} else {
			limitation_note(LIMITATION_requests_functions, NULL);
		}
	}
	if (qualified)
		python_api.Py_DecRef(qualified);
	if (named)
		python_api.Py_DecRef(named);
}

void call_request_begin(unsigned int number, void *frame)
{
	const struct string name = string_of(call_request_names[number]);

	if (frame)
		marks_begin_call((uintptr_t)frame, &name);
}

void call_request_end(void *frame, bool failed)
{
	if (frame)
		marks_end((uintptr_t)frame, failed);
}

/* -1: not known. */
static long call_request_number(void *object, const char *name)
{
	void *value = python_attribute(object, name);
	long number = value ? python_api.PyLong_AsLong(value) : -1;

	if (value)
		python_api.Py_DecRef(value);
	python_api.PyErr_Clear();
	return number;
}

static bool call_request_suspends(void *code)
{
	return call_request_number(code, "co_flags") & CODE_SUSPENDS;
}

/* Returns whether the frame is at its return, and not at an await or a yield. */
static bool call_request_returns(void *code, void *frame)
{
	long at = call_request_number(frame, "f_lasti");
	void *bytes;
	bool returns = true;

	if (!call_request_suspends(code))
		return true;
	bytes = at >= 0 ? python_attribute(code, "co_code") : NULL;
	if (bytes) {
		returns = (unsigned char)python_api.PyBytes_AsString(bytes)[at] == RETURN_VALUE;
		python_api.Py_DecRef(bytes);
	}
	return returns;
}

void call_request_profile(void *code, void *frame, bool ends, const void *result)
{
	unsigned int number = call_request_of(code);
	void *type, *value, *trace;
	int saved = errno;

	if (number == CALL_REQUESTS)
		return;
	python_api.PyErr_Fetch(&type, &value, &trace);
	if (!ends && !(call_request_suspends(code) && marks_is_open((uintptr_t)frame)))
		call_request_begin(number, frame);
	else if (ends && (!result || call_request_returns(code, frame)))
		call_request_end(frame, !result);
	python_api.PyErr_Restore(type, value, trace);
	errno = saved;
}
