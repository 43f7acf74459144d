/* SPDX-License-Identifier: MIT */
/*
 * Recording of waits of the operating system: what the hooks of this folder, and those of
 * preload/io for descriptors, share.
 *
 * A hook reads the time, notes in the region what the thread is about to wait for, calls the
 * original, and then counts the call or writes its record. Nothing is held while the original runs,
 * so a thread may be cancelled in it or leave it by longjmp(), and signal handlers record as usual.
 * A call below INTERCEPT_OSRT_MIN is added to the thread's sums in the region, where the collector
 * finds them even after a SIGKILL.
 *
 * Any thread, signal handlers too, before our constructor too, while any lock of the program is
 * held. No lock, no allocation, no system call; errno is preserved.
 */
#ifndef PRELOAD_OSRT_WAIT_H
#define PRELOAD_OSRT_WAIT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/hook/hook.h"
#include "preload/record/recorder.h"

#define OSRT_LIKELY(x) __builtin_expect(!!(x), 1)

enum osrt_object {
#define WAIT_OBJECT(name, word, form) OSRT_##name,
#include "collector/format/wait_objects.def"
	OSRT_OBJECT_LIMIT,
};

/* A wait of a hook. osrt_begin() sets `start`, in ticks, and where it has noted the wait. */
struct osrt_wait {
	enum region_wait call;
	enum osrt_object kind;
	uint64_t object, owner;
	uint64_t start;
	struct region_waits *noted; /* NULL: nowhere */
	uintptr_t caller;           /* return address, 0: not known */
};

/*
 * The family is never recorded in this process, and libc has all of the functions: a hook only
 * jumps to the original.
 */
PRELOAD_HIDDEN extern bool osrt_is_never;

/* The call is not to be recorded. */
static inline bool osrt_is_off(void)
{
	if (!recorder_gates->gate[EVT_FAMILY_osrt])
		return recorder_gates->generation || !recorder_is_open();
	return false;
}

/* Call before the original and after it. `error`: errno or the error that was returned, 0: none. */
void osrt_begin(struct osrt_wait *wait);
void osrt_end(const struct osrt_wait *wait, int error);

/*
 * Looks up an original that was not there when the others were found: before glibc 2.34 some are in
 * a library that may come later. Returns false if there is none.
 */
bool osrt_find(void *original, const char *name);

/* For a function that libc lacks: errno is ENOSYS, and -1 is returned. */
int osrt_missing(void);

/*
 * A hook: `kind`, `object` and `owner` of struct osrt_wait; `error` tells from `result` how it
 * failed; `missing` is returned if there is no original.
 */
#define OSRT_HOOK(type, name, parameters, arguments, object_kind, of, held_by, error, missing) \
	static __attribute__((noinline)) type waited_##name parameters                         \
	{                                                                                      \
		struct osrt_wait wait;                                                         \
		type result;                                                                   \
                                                                                               \
		if (!hook_real.name && !osrt_find(&hook_real.name, #name))                     \
			return missing;                                                        \
		if (osrt_is_off())                                                             \
			return hook_real.name arguments;                                       \
		wait = (struct osrt_wait){                                                     \
			.call = REGION_WAIT_##name,                                            \
			.kind = OSRT_##object_kind,                                            \
			.object = (uint64_t)(of),                                              \
			.owner = (held_by),                                                    \
			.caller = (uintptr_t)__builtin_return_address(0),                      \
		};                                                                             \
		osrt_begin(&wait);                                                             \
		result = hook_real.name arguments;                                             \
		osrt_end(&wait, error);                                                        \
		return result;                                                                 \
	}                                                                                      \
	HOOK_EXPORT type name parameters                                                       \
	{                                                                                      \
		if (OSRT_LIKELY(osrt_is_never))                                                \
			return hook_real.name arguments;                                       \
		return waited_##name arguments;                                                \
	}

/* For functions that return an error number, and for those that return -1 and set errno. */
#define OSRT_RETURNED result
#define OSRT_ERRNO (result == -1 ? errno : 0)

#endif
