/* SPDX-License-Identifier: MIT */
/*
 * Recording of input and output: what the hooks of this folder share.
 *
 * A hook checks whether the family records, reads the time, calls the original, and then writes the
 * record. So nothing is held while the original runs, and signal handlers that interrupt it record
 * as usual. The thread only notes that it is in a call, in case the call never returns
 * (record/open_call.h). The event tells the meaning of a call (collector/format/events/io.def).
 *
 * Any thread, signal handlers too, before our constructor too. No lock, no allocation; errno is
 * preserved. System calls are made only if a descriptor is opened, closed or used for the first
 * time (descriptor.h).
 */
#ifndef PRELOAD_IO_IO_H
#define PRELOAD_IO_IO_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/base/hidden.h"
#include "preload/hook/hook.h"
#include "preload/osrt/wait.h"
#include "preload/record/open_call.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

#define IO_LIKELY(x) __builtin_expect(!!(x), 1)
#define IO_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A call of a hook. Times are in ticks. */
struct io_call {
	struct string *function; /* its hash is computed at the first use */
	uint64_t start;
	int fd;
};

/* --- the gate --- */

/* This thread has called vfork() at some time. */
PRELOAD_HIDDEN extern __thread bool io_has_vforked __attribute__((tls_model("initial-exec")));

/* A child of vfork() runs in its parent's memory, but what it does is not the parent's. */
bool io_is_vforked(void);

/* The process records, but not this family. */
static inline __attribute__((always_inline)) bool io_is_shut(void)
{
	return recorder_is_shut(EVT_FAMILY_io);
}

/*
 * The process records, but neither this family nor waits of the operating system (family osrt), of
 * which hooks of this folder are a part.
 */
static inline __attribute__((always_inline)) bool io_waits_are_shut(void)
{
	return !(recorder_gates->gate[EVT_FAMILY_io] | recorder_gates->gate[EVT_FAMILY_osrt]) &&
	       recorder_gates->generation && !recorder_is_asked();
}
/* For functions that wait, and those that close descriptors. */
#ifndef IO_SHUT
#define IO_SHUT() io_is_shut()
#endif

/* The call is not to be recorded. */
static inline bool io_is_off(void)
{
	if (!recorder_gates->gate[EVT_FAMILY_io])
		return recorder_gates->generation || !recorder_is_open();
	return IO_UNLIKELY(io_has_vforked) && io_is_vforked();
}

/* --- before the original --- */

/* Notes that the thread is in the call. The descriptor is described if it is not known yet. */
void io_call_begins(struct io_call *call);
/* As io_call_begins(), for a call that closes its descriptor, which has been forgotten by now. */
void io_call_begins_closing(struct io_call *call);
#ifndef IO_BEGINS
#define IO_BEGINS(call) io_call_begins(call)
#endif

/* --- records, after the original; `result` below 0: the call failed, and errno says why --- */

/* Bytes at the file's current offset: io_read or io_write. */
void io_record_bytes(uint32_t type, const struct io_call *call, int64_t result);
/* Bytes at a given offset: io_read_at or io_write_at. */
void io_record_bytes_at(uint32_t type, const struct io_call *call, int64_t offset, int64_t result);
/* Bytes from call->fd to another descriptor. */
void io_record_move(const struct io_call *call, int to, int64_t result);
/* A call without bytes. */
void io_record_call(const struct io_call *call, int64_t result);
void io_record_seek(const struct io_call *call, int64_t result);
/* A wait for descriptors; call->fd is not used. */
void io_record_wait(const struct io_call *call, int64_t result);
void io_record_map(const struct io_call *call, const void *address, size_t bytes, int64_t offset);
void io_record_unmap(const struct io_call *call, const void *address, size_t bytes, int result);

/* What was opened: `path` as the program gave it; `fd` below 0 if it failed. */
struct io_opening {
	const char *path;
	int flags;
};
void io_record_open(const struct io_call *call, const struct io_opening *opening);
/*
 * O_TMPFILE: the path is a directory, and the file has no name. Its bits include O_DIRECTORY, which
 * alone is another flag.
 */
static inline bool io_is_nameless(int flags)
{
	return (flags & O_TMPFILE) == O_TMPFILE;
}

/* Call before the original and after it. Returns what to record as the descriptor. */
int io_close_begins(int fd);
void io_record_close(const struct io_call *call, int result);

/*
 * For a function that the C library lacks (an older one). Sets ENOSYS and returns -1, or 0 if
 * failure is NULL.
 */
intptr_t io_missing(bool as_null);

/* What is done with the descriptor of a call when input and output is not recorded. */
#ifndef IO_WHEN_OFF
#define IO_WHEN_OFF(descriptor) (void)0
#endif

/*
 * A hook. It does only what nearly every call needs: it checks that nothing is recorded, and jumps
 * to the original. `recorded_<name>` does the rest. `missing` is the argument of io_missing().
 * `record` is what to do with `call`, whose descriptor is `descriptor`, and with `result`.
 */
#define IO_RECORDED(missing, type, name, original, parameters, arguments, named, descriptor,       \
		    record)                                                                        \
	static __attribute__((noinline)) type recorded_##name parameters                           \
	{                                                                                          \
		static struct string function = { .bytes = (named), .length = sizeof(named) - 1 }; \
		struct io_call call;                                                               \
		type result;                                                                       \
                                                                                                   \
		if (!hook_real.original && (!hook_resolve() || !hook_real.original))               \
			return (type)io_missing(missing);                                          \
		if (io_is_off()) {                                                                 \
			IO_WHEN_OFF(descriptor);                                                   \
			return hook_real.original arguments;                                       \
		}                                                                                  \
		call = (struct io_call){ &function, recorder_now(), descriptor };                  \
		IO_BEGINS(&call);                                                                  \
		result = hook_real.original arguments;                                             \
		open_call_end(REGION_OPEN_io);                                                     \
		record;                                                                            \
		return result;                                                                     \
	}

#define IO_EXPORTED(type, name, original, parameters, arguments) \
	HOOK_EXPORT type name parameters                         \
	{                                                        \
		if (IO_LIKELY(hook_real.original && IO_SHUT()))  \
			return hook_real.original arguments;     \
		return recorded_##name arguments;                \
	}

/* For functions whose failure is -1, and for those whose failure is 0 or NULL. */
#define IO_HOOK(type, name, parameters, arguments, named, descriptor, record)                  \
	IO_RECORDED(false, type, name, name, parameters, arguments, named, descriptor, record) \
	IO_EXPORTED(type, name, name, parameters, arguments)
#define IO_HOOK_NULL(type, name, parameters, arguments, named, descriptor, record)            \
	IO_RECORDED(true, type, name, name, parameters, arguments, named, descriptor, record) \
	IO_EXPORTED(type, name, name, parameters, arguments)

/*
 * A function that waits. Where input and output is recorded, this is as IO_RECORDED(). Otherwise it
 * is a wait of the operating system, REGION_WAIT_<wait>, if that family is recorded, for the
 * descriptor `waits_for`. Below 0: it waits for several.
 */
#define IO_WAIT_RECORDED(type, name, parameters, arguments, wait, waits_for, descriptor, record) \
	static __attribute__((noinline)) type waited_##name parameters                           \
	{                                                                                        \
		struct osrt_wait waited;                                                         \
		type result;                                                                     \
                                                                                                 \
		if (osrt_is_off() ||                                                             \
		    !descriptor_wait_begins(&waited, REGION_WAIT_##wait, waits_for))             \
			return hook_real.name arguments;                                         \
		result = hook_real.name arguments;                                               \
		osrt_end(&waited, result < 0 ? errno : 0);                                       \
		return result;                                                                   \
	}                                                                                        \
	static __attribute__((noinline)) type recorded_##name parameters                         \
	{                                                                                        \
		static struct string function = { .bytes = #wait, .length = sizeof(#wait) - 1 }; \
		struct io_call call;                                                             \
		type result;                                                                     \
                                                                                                 \
		if (!hook_real.name && (!hook_resolve() || !hook_real.name))                     \
			return (type)io_missing(false);                                          \
		if (io_is_off())                                                                 \
			return waited_##name arguments;                                          \
		call = (struct io_call){ &function, recorder_now(), descriptor };                \
		IO_BEGINS(&call);                                                                \
		result = hook_real.name arguments;                                               \
		open_call_end(REGION_OPEN_io);                                                   \
		record;                                                                          \
		return result;                                                                   \
	}

#define IO_WAIT_HOOK(type, name, parameters, arguments, wait, waits_for, descriptor, record)     \
	IO_WAIT_RECORDED(type, name, parameters, arguments, wait, waits_for, descriptor, record) \
	HOOK_EXPORT type name parameters                                                         \
	{                                                                                        \
		if (IO_LIKELY(hook_real.name && io_waits_are_shut()))                            \
			return hook_real.name arguments;                                         \
		return recorded_##name arguments;                                                \
	}

/*
 * Before a wait for a descriptor, where only family osrt is recorded: says in the file what the
 * descriptor is, at its first use, and begins the wait. Returns false if the call is no such wait:
 * regular files never block, and what a child of vfork() does is not its parent's.
 */
bool descriptor_wait_begins(struct osrt_wait *wait, enum region_wait call, int fd);

#endif
