/* SPDX-License-Identifier: MIT */
/*
 * Formatted output to files. printf() and puts(), which write only to standard output, are not
 * hooked.
 */
#include "preload/io/stream.h"

#define PRINT_HOOK(name, parameters, arguments)                                            \
	IO_RECORDED(false, int, name, name, parameters, arguments, "fprintf",              \
		    stream_descriptor(stream), stream_record(EVT_io_write, &call, result)) \
	IO_EXPORTED(int, name, name, parameters, arguments)

PRINT_HOOK(vfprintf, (FILE * stream, const char *format, va_list list), (stream, format, list))
PRINT_HOOK(__vfprintf_chk, (FILE * stream, int flag, const char *format, va_list list),
	   (stream, flag, format, list))

HOOK_EXPORT int fprintf(FILE *stream, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = recorded_vfprintf(stream, format, list);
	va_end(list);
	return result;
}

HOOK_EXPORT int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = recorded___vfprintf_chk(stream, flag, format, list);
	va_end(list);
	return result;
}
