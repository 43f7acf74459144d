/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/file/file_error.c: what is wrong with a file, and what to do about it. */
#include <errno.h>
#include <stdio.h>

#include "tests/unit/unit.h"
#include "collector/format/error.h"
#include "report/file/file_error.h"

TEST(every_reason_ends_with_what_to_do)
{
	static const struct {
		int error, number;
		const char *reason, *remedy;
	} cases[] = {
		{ EVT_IO, ENOENT, "does not exist", "INTERCEPT_CHILDREN=all" },
		{ EVT_IO, EACCES, "Permission denied", "chmod" },
		{ EVT_IO, EISDIR, "Is a directory", "name a file in it" },
		{ EVT_IO, ENOTSUP, "not a regular file", "copy it" },
		{ EVT_NEWER, 0, "newer format", "prof-report of the intercept that recorded it" },
		{ EVT_FOREIGN, 0, "not a recording of intercept", "run.evt" },
		{ EVT_EMPTY, 0, "is empty", "record or copy it again" },
		{ EVT_TRUNCATED, 0, "ends inside its header", "record or copy it again" },
		{ EVT_CHECKSUM, 0, "damaged header", "record or copy it again" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[FILE_ERROR_BYTES];
		const char *reason, *remedy;

		file_error_describe(cases[i].error, cases[i].number, text, sizeof(text));
		reason = strstr(text, cases[i].reason);
		remedy = strstr(text, cases[i].remedy);
		if (!reason || !remedy || remedy < reason)
			fail_msg("'%s' has not '%s' and then '%s'", text, cases[i].reason,
				 cases[i].remedy);
		assert_true(strlen(text) + 1 < sizeof(text)); /* not cut */
	}
}
