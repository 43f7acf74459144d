/* SPDX-License-Identifier: MIT */
/*
 * Copies of a session's files to be passed on, in a folder of their own that only this user may read and that goes with
 * copies_close(): with symbols, as `symbolize` writes them, and without what --redact leaves out, as `redact` does. Names are
 * found first: paths without their folders lead to no file. What ends this program by a signal leaves the folder behind.
 */
#ifndef REPORT_RAW_COPIES_H
#define REPORT_RAW_COPIES_H

#include <limits.h>

#include "report/session/session_files.h"

struct copies {
	char folder[PATH_MAX]; /* "": none */
	char **path; /* owned; of a recording without header and schema the recording's own */
	char **name; /* each once, without folder and control characters; owned */
	size_t count;
	char message[2 * PATH_MAX + 256]; /* one line when something has failed */
};

/* The folder is made beside that file. 0, or -1 with the message. */
int copies_open(struct copies *copies, const char *beside);
/* A file of the folder with that name. 0, or -1 with the message: it is too long. */
int copies_place(struct copies *copies, const char *name, char ret_path[PATH_MAX]);
/* `what`: REDACT_..., 0: only symbols. 0, or -1 with the message. Once. */
int copies_make(struct copies *copies, const struct session_files *files, unsigned int what);
/* Removes the folder and all that was put into it by copies_place(). */
void copies_close(struct copies *copies);

#endif
