/* SPDX-License-Identifier: MIT */
/*
 * The source files that a recording names and that exist on this machine: Python files, and those
 * of the lines that its symbols have (C, C++, Rust and others, if there was debug information). A
 * file is taken if its path is absolute and has an ending of source files, and if it is a regular
 * file of at most SOURCE_BYTES_MAX bytes. A recording could name any path; no other file of this
 * machine is ever taken.
 */
#ifndef REPORT_PACK_SOURCES_H
#define REPORT_PACK_SOURCES_H

#include "report/pack/zip.h"
#include "report/session/source.h"

#define SOURCE_BYTES_MAX (4u << 20)
#define SOURCE_FILES_MAX 20000u

struct sources_count {
	uint64_t taken, missing; /* missing: absent, not readable, too large, or too many */
};

/*
 * Adds the files of a source that was read to its end to the archive, in folder source/. Returns 0,
 * or -1 and errno if the archive cannot be written.
 */
int sources_add(struct zip *zip, const struct source *source, struct sources_count *ret_count);

#endif
