/* SPDX-License-Identifier: MIT */
/*
 * Opens a source from files that are already open, for tests and fuzzing, which have them in
 * memory.
 */
#ifndef REPORT_SESSION_SOURCE_OPEN_H
#define REPORT_SESSION_SOURCE_OPEN_H

#include "report/session/session_files.h"
#include "report/session/source.h"

/*
 * As source_open(), without searching for other files. Takes over the descriptors (whatever it
 * returns) and copies the paths. Memory remains the caller's and must outlive the source.
 */
int source_open_files(struct source **ret_source, struct session_file *files, size_t count,
		      char *message, size_t message_bytes);

#endif
