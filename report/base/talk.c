/* SPDX-License-Identifier: MIT */
/* Lines on stderr: see talk.h. The whole line is escaped: our own words hold nothing that would change. */
#include "report/base/talk.h"

#include <stdarg.h>
#include <stdio.h>

#include "report/base/text.h"

void talk_print(const char *format, ...)
{
	char line[TALK_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fputs("prof-report: ", stderr);
	text_print(stderr, line);
	fputc('\n', stderr);
}
