/* SPDX-License-Identifier: MIT */
/*
 * Functions that close a descriptor, or make it refer to another file. Its number is free for
 * others as soon as the original runs, so it is forgotten before. dup2() and its relatives are no
 * input or output. They are not recorded, only noticed.
 *
 * fclose() of standard error is the last moment to print a message in programs that end as all of
 * coreutils do. So it is hooked even if input and output are not recorded.
 */
#include <unistd.h>

#define IO_BEGINS(call) io_call_begins_closing(call)
/* Waits of the operating system have descriptors of their own (descriptor_wait.c). */
#define IO_SHUT() io_waits_are_shut()
#define IO_WHEN_OFF(descriptor) (void)(!osrt_is_off() && (descriptor) < 0)

#include "preload/io/descriptor.h"
#include "preload/io/io.h"
#include "preload/requests/connections.h"
#include "preload/record/trouble.h"

static inline int closing(int fd)
{
	return io_close_begins(fd);
}

static inline int closing_stream(FILE *stream)
{
	int saved = errno, fd = fileno_unlocked(stream);

	errno = saved;
	return closing(fd);
}

/* A stream in memory has the descriptor -1. */
static void record_stream_close(const struct io_call *call, int result)
{
	if (call->fd != -1)
		io_record_close(call, result);
}

IO_RECORDED(false, int, close, close, (int fd), (fd), "close", closing(fd),
	    io_record_close(&call, result))

/* A child of vfork() closes its own descriptors, not its parent's. */
static __attribute__((noinline)) void close_served(int fd)
{
	int saved = errno;

	if (!io_has_vforked || !io_is_vforked())
		connection_closes(fd);
	errno = saved;
}

HOOK_EXPORT int close(int fd)
{
	if (IO_UNLIKELY(connection_is_followed(fd)))
		close_served(fd);
	if (IO_LIKELY(hook_real.close && IO_SHUT()))
		return hook_real.close(fd);
	return recorded_close(fd);
}

IO_RECORDED(false, int, fclose, fclose, (FILE * stream), (stream), "fclose", closing_stream(stream),
	    record_stream_close(&call, result))

HOOK_EXPORT int fclose(FILE *stream)
{
	if (stream && fileno_unlocked(stream) == STDERR_FILENO)
		trouble_look_last();
	return recorded_fclose(stream);
}

IO_HOOK(int, pclose, (FILE * stream), (stream), "pclose", closing_stream(stream),
	record_stream_close(&call, result < 0 ? -1 : 0))

static inline int forget(int fd)
{
	descriptor_forget(fd);
	return fd;
}

static inline int forget_all(void)
{
	descriptor_forget_all();
	return -1;
}

IO_HOOK(int, closedir, (DIR * folder), (folder), "closedir", forget(dirfd(folder)), (void)call)

IO_HOOK(int, close_range, (unsigned int first, unsigned int last, int flags), (first, last, flags),
	"close_range", forget_all(), (void)call)

HOOK_EXPORT void closefrom(int first)
{
	if (!hook_real.closefrom && (!hook_resolve() || !hook_real.closefrom)) {
		(void)io_missing(false);
		return;
	}
	if (!io_is_off() || !osrt_is_off())
		descriptor_forget_all();
	hook_real.closefrom(first);
}

/*
 * The descriptor is forgotten once more afterwards, because another thread may have used the number
 * in between.
 */
IO_HOOK(int, dup2, (int fd, int to), (fd, to), "dup2", forget(to), (void)forget(call.fd))

IO_HOOK(int, dup3, (int fd, int to, int flags), (fd, to, flags), "dup3", forget(to),
	(void)forget(call.fd))
