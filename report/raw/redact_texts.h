/* SPDX-License-Identifier: MIT */
/*
 * Finds out what each text of a recording is used for, and what remains of it when arguments, paths
 * or the host's name are left out. The result is the same as with INTERCEPT_REDACT. It reads all
 * events of the file first, since a text may precede the event that uses it. Memory grows with the
 * texts that are changed.
 */
#ifndef REPORT_RAW_REDACT_TEXTS_H
#define REPORT_RAW_REDACT_TEXTS_H

#include <stdbool.h>

#include "report/base/map.h"
#include "report/session/session_files.h"

#define REDACT_ARGS 1u
#define REDACT_PATHS 2u
#define REDACT_HOST 4u

#define REDACT_HOST_BYTES 32u

struct redact_texts {
	unsigned int what; /* REDACT_... */
	struct map roles;  /* id of a text to its uses, one bit each */
	uint64_t secret;
	char host[REDACT_HOST_BYTES], session[REDACT_HOST_BYTES];
	char error[200]; /* why the file cannot be copied, without the file's name */
};

void redact_texts_init(struct redact_texts *texts, unsigned int what);
void redact_texts_release(struct redact_texts *texts);

/*
 * Makes the names that replace the file's host and session. Each is a hash with a secret of this
 * program's run: it distinguishes hosts and cannot be reversed. Copies get a session of their own;
 * otherwise reports would add them to the files that they are copies of.
 */
void redact_texts_name(struct redact_texts *texts, const struct file_header *header,
		       uint64_t secret);

/*
 * Reads the file to its end. Returns 0, or -1 with a line in `error`: the file is damaged, or newer
 * than this program.
 */
int redact_texts_read(struct redact_texts *texts, const struct session_file *file);
/*
 * Changes the text with that id in place and returns its new length. The text has room for at least
 * REDACT_HOST_BYTES.
 */
size_t redact_text(const struct redact_texts *texts, uint64_t id, char *text, size_t length);
/* The same for texts of a symbol frame: file names, and the path of its file. */
size_t redact_symbol_text(const struct redact_texts *texts, char *text, size_t length);

#endif
