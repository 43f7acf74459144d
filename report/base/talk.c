/* SPDX-License-Identifier: MIT */
/* Lines on stderr. The whole line is escaped: our own words contain nothing that would change. */
#include "report/base/talk.h"

#include <stdarg.h>
#include <stdio.h>

#include "report/base/text.h"

static void talk_put_line(const char *before, const char *format, va_list arguments)
{
	char line[TALK_BYTES];

	vsnprintf(line, sizeof(line), format, arguments);
	fputs(before, stderr);
	text_print(stderr, line);
	fputc('\n', stderr);
}

void talk_print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	talk_put_line("prof-report: ", format, arguments);
	va_end(arguments);
}

void talk_print_command(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	talk_put_line("    ", format, arguments);
	va_end(arguments);
}
