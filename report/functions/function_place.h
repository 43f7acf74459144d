/* SPDX-License-Identifier: MIT */
/*
 * The parts of a function's name in the file, LINE\tNAME\tFILE. They borrow the text of the name.
 */
#ifndef REPORT_FUNCTIONS_FUNCTION_PLACE_H
#define REPORT_FUNCTIONS_FUNCTION_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "report/base/memory.h"
#include "report/session/source.h"

struct function_place {
	uint64_t line;
	const char *name, *file;
	size_t name_length, file_length;
};

struct function_place function_place_of(const struct source *source, uint32_t name);

/*
 * Returns the text that pstats shows: "file.py:3(name)", or "{name}" for C functions. It is stored
 * in `texts`.
 */
const char *function_place_text(struct function_place place, struct text_store *texts,
				size_t *ret_length);

#endif
