/* SPDX-License-Identifier: MIT */
/* Sentences for people. The format's error.c has those for the bytes. */
#include "report/file/file_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/file.h"

/* Errors of the system, and what to do about the common ones. */
static void describe_unread(int error_number, char *text, size_t room)
{
	const char *remedy = "";

	switch (error_number) {
	case ENOENT:
		snprintf(text, room,
			 "does not exist: name a recording, run.evt or what INTERCEPT_OUTPUT was "
			 "set to; behind sh, make or another launcher set "
			 "INTERCEPT_CHILDREN=all");
		return;
	case ENOTSUP:
		snprintf(text, room, "cannot be read: not a regular file; copy it into one first");
		return;
	case EISDIR:
		remedy = "; name a file in it";
		break;
	case EACCES:
		remedy = "; only the user who recorded it may read it: run as that user, or let "
			 "them chmod it";
		break;
	default:
		break;
	}
	snprintf(text, room, "cannot be read: %s%s", strerror(error_number), remedy);
}

void file_error_describe(int error, int error_number, char *text, size_t room)
{
	switch (error) {
	case EVT_IO:
		describe_unread(error_number, text, room);
		return;
	case EVT_NEWER:
		snprintf(text, room,
			 "has a newer format than this prof-report reads (%u): use the prof-report "
			 "of the intercept that recorded it",
			 FILE_VERSION_KEEP_LAST);
		return;
	case EVT_FOREIGN:
		snprintf(text, room,
			 "is not a recording of intercept: name the file that it wrote, run.evt or "
			 "what INTERCEPT_OUTPUT was set to; unpack a .zip first");
		return;
	case EVT_EMPTY:
		snprintf(
			text, room,
			"is empty: the recording ended before anything was written, or the copy is "
			"incomplete; record or copy it again");
		return;
	case EVT_TRUNCATED:
		snprintf(text, room,
			 "ends inside its header, so that nothing can be read: record or copy it "
			 "again");
		return;
	default:
		snprintf(text, room,
			 "has a damaged header and no schema (%s): record or copy it again",
			 evt_error_text(error));
	}
}
