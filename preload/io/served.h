/* SPDX-License-Identifier: MIT */
/*
 * Hooks of functions by which a program serves connections: besides input and output they show
 * preload/requests what was received and sent. Without an accepted connection they do what IO_HOOK
 * does, and read one pointer more.
 */
#ifndef PRELOAD_IO_SERVED_H
#define PRELOAD_IO_SERVED_H

#include <sys/uio.h>

#include "preload/io/io.h"
#include "preload/requests/connections.h"

#define SERVED_RECORDED(name, as, event, parameters, arguments)            \
	IO_WAIT_RECORDED(ssize_t, name, parameters, arguments, as, fd, fd, \
			 io_record_bytes(EVT_##event, &call, result))

/* `show` tells preload/requests, with `result` and `started`, the ticks before the call. */
#define SERVED_EXPORTED(type, name, descriptor, parameters, arguments, show) \
	static __attribute__((noinline)) type served_##name parameters       \
	{                                                                    \
		uint64_t started = recorder_now();                           \
		type result = recorded_##name arguments;                     \
		int saved = errno;                                           \
                                                                             \
		(void)started;                                               \
		show;                                                        \
		errno = saved;                                               \
		return result;                                               \
	}                                                                    \
	HOOK_EXPORT type name parameters                                     \
	{                                                                    \
		if (IO_UNLIKELY(connection_is_followed(descriptor)))         \
			return served_##name arguments;                      \
		if (IO_LIKELY(hook_real.name && io_waits_are_shut()))        \
			return hook_real.name arguments;                     \
		return recorded_##name arguments;                            \
	}

/* One block of memory. `peeks`: the bytes will be received once more. */
#define SERVED_READ(name, as, to, peeks, parameters, arguments)                              \
	SERVED_RECORDED(name, as, io_read, parameters, arguments)                            \
	SERVED_EXPORTED(                                                                     \
		ssize_t, name, fd, parameters, arguments, if (!(peeks)) {                    \
			connection_received(fd, &(struct iovec){ to, SIZE_MAX }, 1, result); \
		})
#define SERVED_WRITE(name, as, from, parameters, arguments)                                 \
	SERVED_RECORDED(name, as, io_write, parameters, arguments)                          \
	SERVED_EXPORTED(ssize_t, name, fd, parameters, arguments,                           \
			connection_sent(fd, &(struct iovec){ (void *)(from), SIZE_MAX }, 1, \
					result, started))

/* Several blocks. */
#define SERVED_READ_PIECES(name, as, piece, pieces, peeks, parameters, arguments) \
	SERVED_RECORDED(name, as, io_read, parameters, arguments)                 \
	SERVED_EXPORTED(                                                          \
		ssize_t, name, fd, parameters, arguments,                         \
		if (!(peeks)) { connection_received(fd, piece, (size_t)(pieces), result); })
#define SERVED_WRITE_PIECES(name, as, piece, pieces, parameters, arguments) \
	SERVED_RECORDED(name, as, io_write, parameters, arguments)          \
	SERVED_EXPORTED(ssize_t, name, fd, parameters, arguments,           \
			connection_sent(fd, piece, (size_t)(pieces), result, started))

#endif
