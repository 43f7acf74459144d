/* SPDX-License-Identifier: MIT */
/*
 * The sources that a recording names and that are there: Python files, and those of the lines that its symbols have (C, C++,
 * Rust and so on, where there was debug information). Absolute, with an ending of such files, regular, at most SOURCE_BYTES_MAX
 * each. What a recording names could be anything: nothing else of this machine is ever taken.
 */
#ifndef REPORT_PACK_SOURCES_H
#define REPORT_PACK_SOURCES_H

#include "report/pack/zip.h"
#include "report/session/source.h"

#define SOURCE_BYTES_MAX (4u << 20)
#define SOURCE_FILES_MAX 20000u

struct sources_count {
	uint64_t taken, missing; /* missing: not there, not readable, too large, or too many */
};

/*
 * Adds them to the archive, in folder source/; of a source that was read to its end. 0, or -1 and errno: the archive cannot be
 * written.
 */
int sources_add(struct zip *zip, const struct source *source, struct sources_count *ret_count);

#endif
