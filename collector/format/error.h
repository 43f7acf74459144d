/* SPDX-License-Identifier: MIT */
/*
 * Why reading or writing a file failed. Functions return 0 or one of these (negative). Results are
 * returned through ret_ parameters, which stay untouched on failure.
 */
#ifndef COLLECTOR_FORMAT_ERROR_H
#define COLLECTOR_FORMAT_ERROR_H

enum evt_error {
	EVT_OK = 0,
	EVT_TRUNCATED = -1, /* the bytes end inside a value or a frame */
	EVT_CORRUPT = -2,   /* a value that no writer can have written */
	EVT_CHECKSUM = -3,  /* the bytes were changed after they were written */
	EVT_FOREIGN = -4,   /* not a file of ours */
	EVT_NEWER = -5,     /* a version that this reader does not know */
	EVT_TOO_LARGE = -6, /* a length above the format's limit */
	EVT_NO_MEMORY = -7,
	EVT_IO = -8,    /* errno says why */
	EVT_EMPTY = -9, /* the file has no bytes */
	EVT_END = -10,  /* no more frames: the end, not an error */
};

/* Returns a lower-case sentence without full stop; never NULL. */
const char *evt_error_text(int error);

#endif
