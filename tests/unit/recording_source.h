/* SPDX-License-Identifier: MIT */
/* What is written of a recording in memory so far, opened as a file of that name would be. */
#ifndef TESTS_UNIT_RECORDING_SOURCE_H
#define TESTS_UNIT_RECORDING_SOURCE_H

#include "tests/unit/unit.h"
#include "report/session/source_open.h"
#include "tests/unit/recording.h"

/* The caller closes it (source_close()) before the recording is released. */
static inline struct source *recording_source(const struct recording *r)
{
	static char path[] = "run.evt";
	struct session_file file = { .path = path, .bytes = bytes_of(r->bytes, r->length) };
	struct source *source;
	char message[256];

	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)), 0);
	return source;
}

#endif
