/* SPDX-License-Identifier: MIT */
/*
 * Which files make up a session: the one that was named and those beside it with the same session id and owner, whatever
 * their names (`<stem>.<host>.<pid>.<start>[.n].evt` for `<stem>.evt`, or what INTERCEPT_OUTPUT has made of %r). Of copies the
 * first counts. Waits for writers that are still at work.
 * Opens files, reads their headers, keeps no memory but the list, and a descriptor of the first few only.
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
	struct bytes bytes;                  /* open, or at rest by `path`, unless error is set */
	bool live;                           /* a writer holds it */
	struct file_header header;           /* its session is "" when there is none */
	char unfinished[WAITING_TEXT_BYTES]; /* it was waited for in vain: why, else "" */
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
 * Adds the file and, unless options->only_named, its session's; of a link what it leads to, by its true
 * name. EVT_NO_MEMORY is the only failure.
 */
int session_files_add(struct session_files *files, const char *path);
/* The session of the recording at `path`, FILE_SESSION_BYTES; false: it has none that can be read. */
bool session_files_id(const char *path, char *ret_id);
/* A `note` for source_options: prints the line on stderr. */
void note_print(void *context, const char *line);
/* Closes what is still open (a caller that takes `bytes` over sets fd to -1). */
void session_files_release(struct session_files *files);

#endif
