/* SPDX-License-Identifier: MIT */
/*
 * The files of a session that is being recorded, each of them followed: existing ones, and those of
 * programs that start later. One thread.
 */
#ifndef REPORT_WATCH_WATCHED_H
#define REPORT_WATCH_WATCHED_H

#include <time.h>

#include "report/watch/follower.h"

struct watched {
	char *path; /* the requested file, or that of the requested process */
	unsigned int window_s;
	struct follower **follower;
	size_t count, room;
	struct timespec folder_ns; /* when the folder had been changed at the last look for files */
	bool has_looked;
};

/*
 * `what`: a recording, which may not exist yet, or the pid of a recorded process. Returns
 * STATUS_OK, or STATUS_INPUT with one line in `message`.
 */
int watched_open(struct watched *watched, const char *what, unsigned int window_s, char *message,
		 size_t message_bytes);
/* Reads what was added, also in new files. Returns as watched_open(). */
int watched_look(struct watched *watched, char *message, size_t message_bytes);
/* True if everything has been read. False before the first file exists. */
bool watched_has_ended(const struct watched *watched);
void watched_release(struct watched *watched);

#endif
