/* SPDX-License-Identifier: MIT */
/*
 * A ring that the kernel writes records of perf events into, and what the records say. A record is checked against its own length
 * and PERF_RECORD_BYTES_MAX; one that is none ends the reading of all that the ring holds by then.
 *
 * One thread, beside the kernel, which writes `head` while we write `tail`.
 */
#ifndef COLLECTOR_NATIVE_PERF_RING_H
#define COLLECTOR_NATIVE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_RECORD_BYTES_MAX 65536u /* their length has 16 bits */

enum perf_record_kind {
	PERF_IS_OTHER,
	PERF_IS_SAMPLE,
	PERF_IS_MAPPING, /* of code */
	PERF_IS_NAME,    /* of a thread: `path` */
	PERF_IS_EXEC,
	PERF_IS_END, /* of a thread */
	PERF_IS_LOSS,
};

struct perf_record {
	enum perf_record_kind kind;
	uint32_t pid, tid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t id;      /* of the event that was opened */
	/* of a sample */
	bool in_kernel, has_registers;
	uint64_t rbp, rsp, rip;
	const uint8_t *stack; /* from rsp on; in the ring, until perf_ring_pass() */
	uint32_t stack_bytes;
	/* of a mapping */
	uint64_t start, bytes, offset, inode;
	uint32_t major, minor;
	const char *path; /* terminated; likewise */
	uint64_t lost;    /* of a loss: records */
};

struct perf_ring {
	int fd; /* of the event that holds it; -1: not open */
	void *page;
	const uint8_t *data;
	uint64_t bytes; /* of the data, a power of two */
	uint64_t tail;  /* read so far */
	uint64_t next;  /* behind the record that was looked at last */
	uint64_t limit; /* head as it was looked at last */
	uint8_t *
		copy; /* of a record that goes on at the ring's begin; owned, PERF_RECORD_BYTES_MAX */
};

/* False: it is no record, or not as it was asked for. Any bytes. */
bool perf_record_read(const uint8_t *bytes, size_t length, struct perf_record *ret_record);

/*
 * Opens a ring of `bytes`, a power of two. Returns 0 or -errno (-ENOMEM if so much may not be
 * locked); on error nothing is held.
 */
int perf_ring_open(struct perf_ring *ring, uint32_t cpu, uint64_t bytes);
/* A ring of these bytes, with `page` as the kernel would have it: for tests. */
void perf_ring_of_memory(struct perf_ring *ring, void *page, uint64_t bytes, uint8_t *copy);
void perf_ring_close(struct perf_ring *ring);

/* Makes readable what the kernel has written so far. */
void perf_ring_look(struct perf_ring *ring);
/* The next record, which stays there. False: there is none. */
bool perf_ring_next(struct perf_ring *ring, struct perf_record *ret_record);
/* That record is done with: the kernel may use its place. */
void perf_ring_pass(struct perf_ring *ring);

#endif
