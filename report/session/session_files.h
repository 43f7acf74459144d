/* SPDX-License-Identifier: MIT */
/*
 * Which files make up a session: the named file, and those in its folder with the same session id
 * and owner, whatever their names (`<stem>.<host>.<pid>.<start>[.n].evt` for `<stem>.evt`, or what
 * INTERCEPT_OUTPUT has made of %r). Of several copies the first counts. Waits for writers that are
 * still at work. Opens files and reads their headers. Keeps only the list, and descriptors of the
 * first few files.
 */
#ifndef REPORT_SESSION_SESSION_FILES_H
#define REPORT_SESSION_SESSION_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/format/file.h"
#include "report/file/bytes.h"
#include "report/session/source.h"
#include "report/session/waiting.h"

struct session_file {
	char *path;
	/* open, or to be opened by `path`, unless error is set */
	struct bytes bytes;
	bool live;                           /* a writer holds it */
	struct file_header header;           /* its session is "" if there is none */
	char unfinished[WAITING_TEXT_BYTES]; /* waiting for it was given up: why; else "" */
	int error;                           /* EVT_IO: error_number says why */
	int error_number;
};

struct session_files {
	const struct source_options *options;
	struct waiting waiting;
	struct session_file *file;
	size_t count, room;
};

/*
 * Adds the file and, unless options->only_named, the other files of its session. A link is replaced
 * by its target's name. EVT_NO_MEMORY is the only failure.
 */
int session_files_add(struct session_files *files, const char *path);
/*
 * Returns the session id of the recording at `path` in FILE_SESSION_BYTES. False: it has no
 * readable one.
 */
bool session_files_id(const char *path, char *ret_id);
/* A `note` for source_options: prints the line on stderr. */
void note_print(void *context, const char *line);
/* Closes what is still open. A caller that takes over `bytes` must set its fd to -1. */
void session_files_release(struct session_files *files);

#endif
