/* SPDX-License-Identifier: MIT */
/* The names of Python source files as they may appear in the recording. */
#ifndef PRELOAD_PYTHON_PLACE_H
#define PRELOAD_PYTHON_PLACE_H

#include <string.h>

#include "collector/region/region.h"
#include "preload/settings/settings.h"

/* Removes the directories if INTERCEPT_REDACT has paths. The result is a part of `file`. */
static inline const char *place_file(const char *file, size_t *length)
{
	const char *slash = memrchr(file, '/', *length);

	if (!slash || !(settings.redact & 1u << REGION_REDACT_paths))
		return file;
	*length -= (size_t)(slash + 1 - file);
	return slash + 1;
}

#endif
