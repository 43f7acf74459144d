/* SPDX-License-Identifier: MIT */
/*
 * Buffered input and output. libc's own reads and writes beneath are not recorded. The bytes are
 * those that the program read or wrote, so they count when it asks for them, not when the buffer is
 * filled or flushed. getc() and putc() are not hooked, because they are mostly a load or a store.
 *
 * A stream in memory has no descriptor and is not recorded. A read that ends early is an error if
 * the stream says so, else the end of the file.
 */
#include <string.h>

#include "preload/io/io.h"
#include "preload/io/stream.h"

int stream_descriptor(FILE *stream)
{
	int saved = errno, fd = fileno_unlocked(stream);

	errno = saved;
	return fd;
}

void stream_record(uint32_t type, const struct io_call *call, int64_t result)
{
	if (call->fd >= 0)
		io_record_bytes(type, call, result);
}

/* `done` of `count` things of `size` bytes were read or written. */
static void record_things(uint32_t type, const struct io_call *call, size_t size, size_t done,
			  size_t count, FILE *stream)
{
	bool failed = !done && count && size && ferror_unlocked(stream);

	stream_record(type, call, failed ? -1 : (int64_t)(size * done));
}

#define THINGS_HOOK(event, name, as, parameters, arguments)                              \
	IO_HOOK_NULL(size_t, name, parameters, arguments, as, stream_descriptor(stream), \
		     record_things(EVT_##event, &call, size, result, count, stream))

#define FREAD(name)                                                                              \
	THINGS_HOOK(io_read, name, "fread", (void *to, size_t size, size_t count, FILE *stream), \
		    (to, size, count, stream))
#define FREAD_CHK(name)                                                               \
	THINGS_HOOK(io_read, name, "fread",                                           \
		    (void *to, size_t room, size_t size, size_t count, FILE *stream), \
		    (to, room, size, count, stream))
#define FWRITE(name)                                                             \
	THINGS_HOOK(io_write, name, "fwrite",                                    \
		    (const void *from, size_t size, size_t count, FILE *stream), \
		    (from, size, count, stream))

FREAD(fread)
FREAD(fread_unlocked)
FREAD_CHK(__fread_chk)
FREAD_CHK(__fread_unlocked_chk)
FWRITE(fwrite)
FWRITE(fwrite_unlocked)

/* A line that contains a zero byte counts up to it. */
static void record_line(const struct io_call *call, const char *line, FILE *stream)
{
	if (line)
		stream_record(EVT_io_read, call, (int64_t)strlen(line));
	else
		stream_record(EVT_io_read, call, ferror_unlocked(stream) ? -1 : 0);
}

#define FGETS_HOOK(name, parameters, arguments)                                               \
	IO_HOOK_NULL(char *, name, parameters, arguments, "fgets", stream_descriptor(stream), \
		     record_line(&call, result, stream))

FGETS_HOOK(fgets, (char *to, int room, FILE *stream), (to, room, stream))
FGETS_HOOK(fgets_unlocked, (char *to, int room, FILE *stream), (to, room, stream))
FGETS_HOOK(__fgets_chk, (char *to, size_t room, int count, FILE *stream), (to, room, count, stream))
FGETS_HOOK(__fgets_unlocked_chk, (char *to, size_t room, int count, FILE *stream),
	   (to, room, count, stream))

/* The end of the file is no error. */
static void record_getline(const struct io_call *call, int64_t result, FILE *stream)
{
	stream_record(EVT_io_read, call, result < 0 && !ferror_unlocked(stream) ? 0 : result);
}

#define GETLINE_HOOK(name, as, parameters, arguments)                                \
	IO_HOOK(ssize_t, name, parameters, arguments, as, stream_descriptor(stream), \
		record_getline(&call, result, stream))

GETLINE_HOOK(getline, "getline", (char **line, size_t *room, FILE *stream), (line, room, stream))
GETLINE_HOOK(getdelim, "getline", (char **line, size_t *room, int delimiter, FILE *stream),
	     (line, room, delimiter, stream))
GETLINE_HOOK(__getdelim, "getline", (char **line, size_t *room, int delimiter, FILE *stream),
	     (line, room, delimiter, stream))

#define FPUTS_HOOK(name)                                                              \
	IO_HOOK(int, name, (const char *text, FILE *stream), (text, stream), "fputs", \
		stream_descriptor(stream),                                            \
		stream_record(EVT_io_write, &call, result < 0 ? -1 : (int64_t)strlen(text)))

FPUTS_HOOK(fputs)
FPUTS_HOOK(fputs_unlocked)

/* --- operations without bytes --- */

static void record_flush(const struct io_call *call, int result)
{
	if (call->fd >= 0)
		io_record_call(call, result);
}

/* For all streams at once there is no single file. */
#define FFLUSH_HOOK(name)                                       \
	IO_HOOK(int, name, (FILE * stream), (stream), "fflush", \
		stream ? stream_descriptor(stream) : -1, record_flush(&call, result))

FFLUSH_HOOK(fflush)
FFLUSH_HOOK(fflush_unlocked)

#define FSEEK_HOOK(name, type)                                                                 \
	IO_HOOK(int, name, (FILE * stream, type offset, int whence), (stream, offset, whence), \
		"fseek", stream_descriptor(stream), stream_record_seek(&call, result, stream))

/*
 * ftello() takes the stream's lock, which is free by now, and asks the kernel at most once per
 * buffer.
 */
static void stream_record_seek(const struct io_call *call, int result, FILE *stream)
{
	int saved = errno;
	int64_t offset;

	if (call->fd < 0)
		return;
	offset = result < 0 ? -1 : ftello(stream);
	errno = saved;
	io_record_seek(call, offset);
}

FSEEK_HOOK(fseek, long)
FSEEK_HOOK(fseeko, off_t)
FSEEK_HOOK(fseeko64, off_t)
