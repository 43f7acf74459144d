/* SPDX-License-Identifier: MIT */
/*
 * Waits until the writers of files release them, but not for ever. All files of a session share one
 * time limit. A writer that makes no progress while no program is left to record is given up
 * sooner. A run whose programs continue is waited for only on request (options->waits). Otherwise
 * what is there is used, and a line says so.
 *
 * A writer is at work if it holds a write lock on the file (an open file description lock, which is
 * released when the writer ends, however it ends).
 */
#ifndef REPORT_SESSION_WAITING_H
#define REPORT_SESSION_WAITING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/session/source.h"
#include "report/session/writer.h"

#define WAITING_TEXT_BYTES 160 /* same size as a fault's text */

#define WAITING_START_MS \
	10000u /* limit for a collector that starts; that takes long on a busy machine */

struct waiting {
	const struct source_options *options;
	uint64_t since_ms;    /* start of waiting for the first file, 0: none */
	unsigned int running; /* number of files of a run that continues */
	/* a program that is recorded into the first of them, 0: not visible from here */
	uint32_t running_pid;
	char running_path[PATH_MAX];
	char running_command[WRITER_COMMAND_BYTES];
};

/*
 * A program that was killed has not waited for its collector. So while there is no such file and a
 * collector is starting, this waits, for WAITING_START_MS at most. True if the file is there.
 */
bool waiting_for_start(const char *path);

/* True if a writer holds the file. */
bool waiting_is_held(int fd);

/*
 * True if nobody holds it any more. False: what is there must suffice. ret_why then says what it
 * was waiting for; it is "" with options->live, and for a run that continues.
 */
bool waiting_for(struct waiting *waiting, int fd, const char *path,
		 char ret_why[WAITING_TEXT_BYTES]);

/* Prints one line, once, about runs that continue and were not waited for. */
void waiting_say_running(struct waiting *waiting);

#endif
