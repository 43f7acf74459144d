/* SPDX-License-Identifier: MIT */
/*
 * Reads memory of another process while it runs. Ranges that were useful last time, for the
 * process and for its sampled threads, are read first and together, so that stacks that have not
 * changed much take one system call. Everything else is read on demand, and cached while there
 * is room.
 *
 * Nothing that is read is trusted: addresses may be anything. One thread; about 300 KiB,
 * allocated once.
 */
#ifndef COLLECTOR_SAMPLES_MEMORY_H
#define COLLECTOR_SAMPLES_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define MEMORY_PARTS 640u /* below IOV_MAX */
#define MEMORY_PAGE 4096u
#define MEMORY_BYTES (72u * MEMORY_PAGE)

/* The parts that a thread's last look used: input of memory_want_hints(). Zeroed: none. */
struct memory_hint {
	uint64_t address;
	uint32_t bytes;
	bool moves;  /* was asked for while `moving` */
	uint8_t age; /* looks in a row that did not use it */
};
struct memory_hints {
	struct memory_hint *hint; /* owned; NULL while there is none */
	uint32_t count, room;
};

/* process_vm_readv(), or a test's replacement for it. */
typedef ssize_t memory_read(uint32_t pid, const struct iovec *local, size_t local_count,
			    const struct iovec *remote, size_t remote_count);

struct memory {
	memory_read *read;
	uint32_t pid;
	struct memory_part {
		uint64_t address;
		uint32_t bytes, offset; /* in `data` */
		bool is_used;
		bool moves; /* was asked for while `moving` */
	} part[MEMORY_PARTS];
	uint32_t count;
	uint32_t fetched; /* parts that reading was tried for */
	/* the part that was asked for last (the next one often follows it); MEMORY_PARTS: none */
	uint32_t recent;
	uint32_t joins_from; /* parts that others may be joined to */
	/* parts that were read between two reads of the watched words */
	uint32_t moment_from, moment_to;
	uint32_t filled; /* bytes of data */
	bool moving;     /* what is asked for now changes while the program runs: memory_again() */
	bool is_again;   /* moving parts older than the last memory_again() are not handed out */
	uint8_t *data;   /* MEMORY_BYTES, then words that are watched */
	int error;       /* errno of the last read that failed, 0: none since memory_begin() */
	uint32_t calls;
};

int memory_init(struct memory *memory);
void memory_release(struct memory *memory);

/*
 * memory_begin() forgets everything. memory_want() and memory_want_hints() list what the first read
 * is to fetch, in that order; what finds no room is left out. memory_fetch() reads it.
 */
void memory_begin(struct memory *memory, uint32_t pid);
void memory_want(struct memory *memory, uint64_t address, uint32_t bytes);
void memory_want_hints(struct memory *memory, const struct memory_hints *hints);
void memory_fetch(struct memory *memory);

/* Parts that are asked for from here on count as used by the next thread. */
void memory_begin_use(struct memory *memory);

/* Copies these bytes, at most a page. Returns false if they cannot be read. */
bool memory_get(struct memory *memory, uint64_t address, void *to, uint32_t bytes);
/* The same, for bytes whose neighbours in the page are likely to be asked for too. */
bool memory_get_around(struct memory *memory, uint64_t address, void *to, uint32_t bytes);

/* Words that are read twice: if both reads agree, what was read in between is of one moment. */
#define MEMORY_WATCHED 2u
struct memory_watch {
	uint64_t address[MEMORY_WATCHED], before[MEMORY_WATCHED], after[MEMORY_WATCHED];
	uint32_t count;
};
/*
 * A moment within the first read. It lists the words, then the hints that move, then the words
 * again. Hints that contain such a word are left out. If `watch->count` is 0 or there is no room,
 * the hints are wanted like others and belong to no moment.
 */
struct memory_moment {
	struct memory_watch watch; /* the caller sets its addresses */
	uint32_t from, to;         /* parts */
};
void memory_want_moment(struct memory *memory, const struct memory_hints *hints,
			struct memory_moment *moment);
/* Lists the hints that memory_want_moment() leaves out because they do not move. */
void memory_want_still(struct memory *memory, const struct memory_hints *hints);
/* After memory_fetch() and memory_begin_use(). Returns false if the words were not read. */
bool memory_take_moment(struct memory *memory, struct memory_moment *moment);
/*
 * Returns whether the bytes that were handed out last were read in the moment that was taken last,
 * or in the last memory_again().
 */
bool memory_is_of_moment(const struct memory *memory);

/*
 * Reads again, in one call, all parts that were asked for while `moving` since memory_begin_use()
 * or memory_begin(), with the watched words before and after them. False if a word could not be
 * read.
 */
bool memory_again(struct memory *memory, struct memory_watch *watch);

/*
 * Stores the parts that were asked for since memory_begin_use() or memory_begin(). Older hints that
 * move are kept as well, because a thread returns to frames that it has left. If there is no
 * memory, the old hints stay.
 */
void memory_keep_hints(const struct memory *memory, struct memory_hints *hints);
void memory_hints_release(struct memory_hints *hints);

/* Returns whether the last error is permanent: nothing of this process can be read. */
static inline bool memory_is_refused(const struct memory *memory)
{
	return memory->error == EPERM || memory->error == ESRCH || memory->error == ENOSYS;
}

/* Copies up to `bytes` into the caller's memory, past the cache. Returns how many were read. */
size_t memory_copy(struct memory *memory, uint64_t address, void *to, size_t bytes);

/*
 * Returns whether one of the program's gates is open, so that something of it is recorded now. Its
 * EVT_FAMILY_LIMIT words are at `gates`.
 */
bool memory_has_open_gate(struct memory *memory, uint64_t gates);

#endif
