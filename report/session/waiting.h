/* SPDX-License-Identifier: MIT */
/*
 * Waits for the writers of files: until they let go of them, but not for ever. All files of a session
 * share one limit; a writer that stands still while nobody is left to record is given up sooner.
 * A run whose programs go on is waited for only when that is asked for (options->waits): what is there of it
 * must do, and a line says so.
 *
 * A writer is at work when it holds a write lock on the file (open file description lock, so that it
 * ends with the writer, however that ends).
 */
#ifndef REPORT_SESSION_WAITING_H
#define REPORT_SESSION_WAITING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/session/source.h"
#include "report/session/writer.h"

#define WAITING_TEXT_BYTES 160 /* as a fault's text */

struct waiting {
	const struct source_options *options;
	uint64_t since_ms;    /* of the first that was waited for, 0: none */
	unsigned int running; /* files of a run that goes on */
	uint32_t
		running_pid; /* who is recorded into the first of them, 0: not to be seen from here */
	char running_path[PATH_MAX];
	char running_command[WRITER_COMMAND_BYTES];
};

/* Whether a writer holds the file. */
bool waiting_is_held(int fd);

/*
 * True when nobody holds it any more. False: what is there must do; ret_why then says what it was
 * waited for, and is "" with options->live and for a run that goes on.
 */
bool waiting_for(struct waiting *waiting, int fd, const char *path,
		 char ret_why[WAITING_TEXT_BYTES]);

/* Says which runs go on of those that were not waited for, in one line; once. */
void waiting_say_running(struct waiting *waiting);

#endif
