/* SPDX-License-Identifier: MIT */
/*
 * What each text of a recording is used for, and what is left of it when arguments, paths or the host's name are to go: the
 * same as INTERCEPT_REDACT leaves. Made of the events of the whole file, since a text may stand in front of what names it.
 * Memory grows with texts that are changed.
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
	struct map roles;  /* id of a text to what it is used for, a bit each */
	uint64_t secret;
	char host[REDACT_HOST_BYTES], session[REDACT_HOST_BYTES];
	char error[200]; /* why it cannot be copied, behind the name of the file */
};

void redact_texts_init(struct redact_texts *texts, unsigned int what);
void redact_texts_release(struct redact_texts *texts);

/*
 * The names that stand for the file's host and session: a hash with a secret of this program's run, which tells hosts apart and
 * does not lead back. Copies are a session of their own: else they would be added to the files that they were made of.
 */
void redact_texts_name(struct redact_texts *texts, const struct file_header *header,
		       uint64_t secret);

/* Reads the file to its end. 0, or -1 with a line in `error`: it is damaged, or newer than this program. */
int redact_texts_read(struct redact_texts *texts, const struct session_file *file);
/* Changes the text with that id in place; the new length. Room for REDACT_HOST_BYTES at least. */
size_t redact_text(const struct redact_texts *texts, uint64_t id, char *text, size_t length);
/* Of a symbol frame: file names, and the path of its file. */
size_t redact_symbol_text(const struct redact_texts *texts, char *text, size_t length);

#endif
