/* SPDX-License-Identifier: MIT */
/*
 * Makes copies of a session's files that can be passed on. They are in a folder of their own, which
 * only this user may read and which copies_close() removes. The copies have symbols, as `symbolize`
 * writes them, and lack what --redact leaves out, as `redact` makes them. The symbols are found
 * first, because redacted paths lead to no file. If a signal ends this program, the folder stays.
 */
#ifndef REPORT_RAW_COPIES_H
#define REPORT_RAW_COPIES_H

#include <limits.h>

#include "report/session/session_files.h"

struct copies {
	char folder[PATH_MAX]; /* "": there is none */
	/* owned; for a recording without header and schema, the path of the recording itself */
	char **path;
	char **name; /* unique, without folder and control characters; owned */
	size_t count;
	char message[2 * PATH_MAX + 256]; /* one line about the error, if there was one */
};

/* Makes the folder beside the file `beside`. Returns 0, or -1 with the message. */
int copies_open(struct copies *copies, const char *beside);
/*
 * Makes the path of a file with that name in the folder. Returns 0, or -1 with the message: the
 * path is too long.
 */
int copies_place(struct copies *copies, const char *name, char ret_path[PATH_MAX]);
/*
 * Makes the copies. `what`: bits REDACT_...; 0: adds symbols only. Returns 0, or -1 with the
 * message. To be called once.
 */
int copies_make(struct copies *copies, const struct session_files *files, unsigned int what);
/* Removes the folder and all files that copies_place() put there. */
void copies_close(struct copies *copies);

#endif
