/* SPDX-License-Identifier: MIT */
/*
 * A source of files that are open already, for tests and fuzzing, which have them in memory.
 */
#ifndef REPORT_SESSION_SOURCE_OPEN_H
#define REPORT_SESSION_SOURCE_OPEN_H

#include "report/session/session_files.h"
#include "report/session/source.h"

/*
 * As source_open(), without looking for anything. Takes the descriptors over (whatever it returns) and
 * copies the paths; memory stays with the caller and must outlive the source.
 */
int source_open_files(struct source **ret_source, struct session_file *files, size_t count,
		      char *message, size_t message_bytes);

#endif
