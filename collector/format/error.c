/* SPDX-License-Identifier: MIT */
/*
 * The text of every error of the format. Prints nothing.
 */
#include "collector/format/error.h"

const char *evt_error_text(int error)
{
	switch (error) {
	case EVT_OK:
		return "no error";
	case EVT_TRUNCATED:
		return "the bytes end too early";
	case EVT_CORRUPT:
		return "a value is impossible";
	case EVT_CHECKSUM:
		return "the checksum does not match";
	case EVT_FOREIGN:
		return "not a file of intercept";
	case EVT_NEWER:
		return "written by a newer version of intercept";
	case EVT_TOO_LARGE:
		return "a length is above the limit of the format";
	case EVT_NO_MEMORY:
		return "out of memory";
	case EVT_IO:
		return "input or output failed";
	case EVT_EMPTY:
		return "the file is empty";
	case EVT_END:
		return "no more frames";
	}
	return "unknown error";
}
