/* SPDX-License-Identifier: MIT */
/* A str of Python as a text for records. With the GIL. */
#ifndef PRELOAD_PYTHON_PYTHON_STRING_H
#define PRELOAD_PYTHON_PYTHON_STRING_H

#include "preload/python/python_api.h"
#include "preload/record/strings.h"

/* A view, valid as long as the str; the empty string if `text` is NULL or no str. No exception stays. */
static inline struct string python_string(void *text)
{
	size_t length;
	const char *bytes = python_utf8(text, &length);

	return string_of_bytes(bytes ? bytes : "", length);
}

#endif
