/* SPDX-License-Identifier: MIT */
/*
 * The file that INTERCEPT_TRIGGER names, or the requests in the setting itself. The file is read
 * again once a second, when it has changed. It may be on a file system that others share, so it is
 * followed only if this user or root owns it and nobody else may write to it.
 *
 * One thread. A file that is missing is no error: it may come.
 */
#ifndef COLLECTOR_CAPTURES_TRIGGER_FILE_H
#define COLLECTOR_CAPTURES_TRIGGER_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "collector/control/trigger.h"

struct trigger_file {
	const char *path; /* NULL: none. Not owned */
	uint64_t next_ns; /* steady time of the next look */
	bool has_looked, was_there;
	struct stat seen; /* of the content in `text` */
	char text[TRIGGER_BYTES + 1];
	uint32_t length;
};

enum trigger_file_news {
	TRIGGER_FILE_SAME,
	TRIGGER_FILE_FIRST,   /* as it was when recording began: `now` in it is not meant for us */
	TRIGGER_FILE_CHANGED, /* new content, or none any more */
	TRIGGER_FILE_REFUSED, /* it must not be followed; ret_why says why, once for each change */
};

/* `ret_why` has TRIGGER_WHY_BYTES. */
enum trigger_file_news trigger_file_look(struct trigger_file *file, uint64_t steady_ns,
					 char *ret_why);

#endif
