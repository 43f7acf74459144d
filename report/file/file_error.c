/* SPDX-License-Identifier: MIT */
/* Sentences for people; see error.c of the format for those of the bytes. */
#include "report/file/file_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/file.h"

void file_error_describe(int error, int error_number, char *text, size_t room)
{
	switch (error) {
	case EVT_IO:
		snprintf(text, room, "cannot be read: %s",
			 error_number == ENOTSUP ? "not a regular file" : strerror(error_number));
		return;
	case EVT_NEWER:
		snprintf(text, room,
			 "is of a newer format than this prof-report knows (%u): take a newer one",
			 FILE_VERSION);
		return;
	case EVT_FOREIGN:
		snprintf(text, room, "is not a recording of intercept");
		return;
	case EVT_EMPTY:
		snprintf(text, room,
			 "is empty: nothing was recorded, or it was cut off at its first byte");
		return;
	case EVT_TRUNCATED:
		snprintf(text, room, "ends inside its header: nothing can be read");
		return;
	default:
		snprintf(text, room, "has a damaged header and no schema: %s",
			 evt_error_text(error));
	}
}
