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

/* The parts that were used, for the next memory_want_hints() for the same thread. Zeroed: none. */
struct memory_hint {
	uint64_t address;
	uint32_t bytes;
	bool moves;  /* was asked for while `moving` */
	uint8_t age; /* how often in a row it was not used since */
};
struct memory_hints {
	struct memory_hint *hint; /* owned; NULL while there is none */
	uint32_t count, room;
};

/* process_vm_readv(), or what a test has in its place. */
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
	uint32_t fetched; /* parts that were read, or could not be */
	uint32_t
		recent; /* the part that was asked for last: the next one often follows it; MEMORY_PARTS: none */
	uint32_t joins_from; /* parts that others may be joined to */
	uint32_t moment_from,
		moment_to; /* parts that were read between two looks at watched words */
	uint32_t filled;   /* bytes of data */
	bool moving;   /* what is asked for now changes while the program runs: memory_again() */
	bool is_again; /* of that, nothing older than the last memory_again() is handed out */
	uint8_t *data; /* MEMORY_BYTES, then words that are watched */
	int error;     /* errno of the last read that failed, 0: none since memory_begin() */
	uint32_t calls;
};

int memory_init(struct memory *memory);
void memory_release(struct memory *memory);

/* Forgets what it has. Then what is wanted at once, in its order; what finds no room is left out. Then it is read. */
void memory_begin(struct memory *memory, uint32_t pid);
void memory_want(struct memory *memory, uint64_t address, uint32_t bytes);
void memory_want_hints(struct memory *memory, const struct memory_hints *hints);
void memory_fetch(struct memory *memory);

/* Parts that are asked for from here on count as used by the next thread. */
void memory_begin_use(struct memory *memory);

/* These bytes; false when they cannot be read. At most a page. */
bool memory_get(struct memory *memory, uint64_t address, void *to, uint32_t bytes);
/* The same, and what lies around them in the page is likely to be asked for too. */
bool memory_get_around(struct memory *memory, uint64_t address, void *to, uint32_t bytes);

/* Words that say whether what was read between two looks at them is of one moment. */
#define MEMORY_WATCHED 2u
struct memory_watch {
	uint64_t address[MEMORY_WATCHED], before[MEMORY_WATCHED], after[MEMORY_WATCHED];
	uint32_t count;
};
/*
 * The same with the first read of all: the words, then those of the hints that move, then the words again. Hints that hold such a
 * word are left out. `watch->count` 0, or no room: they are wanted like others, and are of no moment.
 */
struct memory_moment {
	struct memory_watch watch; /* addresses are the caller's */
	uint32_t from, to;         /* parts */
};
void memory_want_moment(struct memory *memory, const struct memory_hints *hints,
			struct memory_moment *moment);
/* The hints that memory_want_moment() leaves out: they do not move. */
void memory_want_still(struct memory *memory, const struct memory_hints *hints);
/* After memory_fetch() and memory_begin_use(). False: the words are not known. */
bool memory_take_moment(struct memory *memory, struct memory_moment *moment);
/*
 * True if the bytes that were handed out last were read in the moment that was taken last, or in
 * the last memory_again().
 */
bool memory_is_of_moment(const struct memory *memory);

/*
 * Reads again, in one call, all parts that were asked for while `moving` since memory_begin_use()
 * or memory_begin(), with the watched words before and after them. False if a word could not be
 * read.
 */
bool memory_again(struct memory *memory, struct memory_watch *watch);

/*
 * Stores the parts that were asked for since memory_begin_use() or memory_begin(), and of older
 * hints those that move: a thread comes back to the frames that it has left. Keeps the old hints
 * if there is no memory.
 */
void memory_keep_hints(const struct memory *memory, struct memory_hints *hints);
void memory_hints_release(struct memory_hints *hints);

/* The last error was none of the moment: nothing of this process can be read. */
static inline bool memory_is_refused(const struct memory *memory)
{
	return memory->error == EPERM || memory->error == ESRCH || memory->error == ENOSYS;
}

/* Straight into the caller's memory, as much as is there up to `bytes`. */
size_t memory_copy(struct memory *memory, uint64_t address, void *to, size_t bytes);

/* Whether one of the program's gates is open (its EVT_FAMILY_LIMIT words are at `gates`): something of it is recorded now. */
bool memory_has_open_gate(struct memory *memory, uint64_t gates);

#endif
