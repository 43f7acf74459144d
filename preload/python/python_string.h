/* SPDX-License-Identifier: MIT */
/* Turns a str of Python into a text for records. With the GIL. */
#ifndef PRELOAD_PYTHON_PYTHON_STRING_H
#define PRELOAD_PYTHON_PYTHON_STRING_H

#include "preload/python/python_api.h"
#include "preload/record/strings.h"

/*
 * Returns a view, valid as long as the str; the empty string if `text` is NULL or no str. Leaves no
 * exception.
 */
static inline struct string python_string(void *text)
{
	size_t length;
	const char *bytes = python_utf8(text, &length);

	return string_of_bytes(bytes ? bytes : "", length);
}

#endif
