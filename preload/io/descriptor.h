/* SPDX-License-Identifier: MIT */
/*
 * Which descriptors have been described in the file. A descriptor may be used for the first time
 * because it was inherited, duplicated or opened by a function that is not hooked. It is then
 * looked up once, by fstat() and by readlink() of /proc/self/fd, and recorded as io_fd. Closing a
 * descriptor makes it unknown again, before the original runs. So a known descriptor always means
 * what the file says.
 *
 * The table has no owner and no lock: if two threads use a new descriptor at the same time, both
 * record it. Any thread, signal handlers too; errno may change.
 */
#ifndef PRELOAD_IO_DESCRIPTOR_H
#define PRELOAD_IO_DESCRIPTOR_H

#include <stdbool.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

enum descriptor_kind {
	DESCRIPTOR_UNKNOWN,
	DESCRIPTOR_FILE,
	DESCRIPTOR_SOCKET,
	DESCRIPTOR_PIPE,
	DESCRIPTOR_OTHER,
};

/*
 * A power of two. Two descriptors in one slot evict each other, which costs time in a program with
 * thousands of them. More slots would need more data, and RLIMIT_DATA may be low.
 */
#define DESCRIPTOR_SLOTS 2048u

/*
 * The number of the descriptor with its kind in the upper bits, and the round in which it became
 * known. Linux has no descriptors of DESCRIPTOR_KIND_SHIFT bits.
 */
PRELOAD_HIDDEN extern uint64_t descriptor_slot[DESCRIPTOR_SLOTS];
PRELOAD_HIDDEN extern uint32_t descriptor_round;

#define DESCRIPTOR_KIND_SHIFT 60u
#define DESCRIPTOR_MARK_MASK ((1ull << DESCRIPTOR_KIND_SHIFT) - 1)

static inline uint64_t descriptor_slot_of(int fd)
{
	return __atomic_load_n(&descriptor_slot[(uint32_t)fd % DESCRIPTOR_SLOTS], __ATOMIC_RELAXED);
}

static inline uint64_t descriptor_mark(int fd)
{
	uint32_t round = __atomic_load_n(&descriptor_round, __ATOMIC_RELAXED);

	return ((uint64_t)(uint32_t)fd << 32 & DESCRIPTOR_MARK_MASK) | round;
}

static inline bool descriptor_is_known(int fd)
{
	return (descriptor_slot_of(fd) & DESCRIPTOR_MARK_MASK) == descriptor_mark(fd);
}

/* Of a known descriptor; if another thread forgets it meanwhile, of the one before. */
static inline enum descriptor_kind descriptor_known_kind(int fd)
{
	return (enum descriptor_kind)(descriptor_slot_of(fd) >> DESCRIPTOR_KIND_SHIFT);
}

static inline void descriptor_know(int fd, enum descriptor_kind kind)
{
	__atomic_store_n(&descriptor_slot[(uint32_t)fd % DESCRIPTOR_SLOTS],
			 descriptor_mark(fd) | (uint64_t)kind << DESCRIPTOR_KIND_SHIFT,
			 __ATOMIC_RELAXED);
}

static inline void descriptor_forget(int fd)
{
	if (fd >= 0 && descriptor_is_known(fd))
		__atomic_store_n(&descriptor_slot[(uint32_t)fd % DESCRIPTOR_SLOTS], 0,
				 __ATOMIC_RELAXED);
}

/* Forgets all descriptors: this is another process, or nothing was recorded for a while. */
void descriptor_forget_all(void);

enum descriptor_kind descriptor_kind(int fd);

/* on the stack, also a signal handler's; longer paths are cut */
#define DESCRIPTOR_PATH_BYTES 1024u
/* Returns the name that /proc gives the descriptor, "" if it gives none. */
struct string descriptor_path(int fd, char room[DESCRIPTOR_PATH_BYTES]);
/* Returns the path, or only its base name if the user wants that (INTERCEPT_REDACT). */
struct string descriptor_redacted(struct string path);

/*
 * Records what the descriptor is, at the time `ticks`. The lane is IN_RECORD. Does nothing if there
 * is no such descriptor.
 */
void descriptor_introduce(int fd, uint64_t ticks, struct recorder_lane *lane);

#endif
