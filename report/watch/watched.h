/* SPDX-License-Identifier: MIT */
/*
 * The files of a session that is being recorded, each followed: those that there are, and those that programs make which
 * start later. One thread.
 */
#ifndef REPORT_WATCH_WATCHED_H
#define REPORT_WATCH_WATCHED_H

#include <time.h>

#include "report/watch/follower.h"

struct watched {
	char *path; /* that was asked for, or of the process that was */
	unsigned int window_s;
	struct follower **follower;
	size_t count, room;
	struct timespec folder_ns; /* when the folder had changed at the last look for files */
	bool has_looked;
};

/*
 * `what`: a recording, which may not be there yet, or the pid of a process that is recorded. STATUS_OK, or STATUS_INPUT with
 * one line in `message`.
 */
int watched_open(struct watched *watched, const char *what, unsigned int window_s, char *message,
		 size_t message_bytes);
/* Reads what has come, of files too that have come. As watched_open(). */
int watched_look(struct watched *watched, char *message, size_t message_bytes);
/* All that was to be read is read. False before the first file is there. */
bool watched_has_ended(const struct watched *watched);
void watched_release(struct watched *watched);

#endif
