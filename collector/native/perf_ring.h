/* SPDX-License-Identifier: MIT */
/*
 * A ring into which the kernel writes records of perf events, and the contents of the records. A
 * record is checked against its own length and PERF_RECORD_BYTES_MAX. If one is invalid, everything
 * that the ring holds at that time is skipped.
 *
 * One thread, besides the kernel, which writes `head` while we write `tail`.
 */
#ifndef COLLECTOR_NATIVE_PERF_RING_H
#define COLLECTOR_NATIVE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_RECORD_BYTES_MAX 65536u /* their length field has 16 bits */

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
	/* for a sample */
	bool in_kernel, has_registers;
	uint64_t rbp, rsp, rip, link;
	const uint8_t *stack; /* from rsp on; in the ring, valid until perf_ring_pass() */
	uint32_t stack_bytes;
	/* for a mapping */
	uint64_t start, bytes, offset, inode;
	uint32_t major, minor;
	const char *path; /* terminated; valid as long as `stack` */
	uint64_t lost;    /* for a loss: number of records */
};

struct perf_ring {
	int fd; /* descriptor of the event that owns it; -1: not open */
	void *page;
	const uint8_t *data;
	uint64_t bytes; /* size of the data, a power of two */
	uint64_t tail;  /* read so far */
	uint64_t next;  /* end of the record examined last */
	uint64_t limit; /* value of `head` when it was last read */
	uint8_t *copy;  /* for a record that wraps around; owned, PERF_RECORD_BYTES_MAX */
};

/* Accepts any bytes. Returns false if they are no record, or not one of the requested form. */
bool perf_record_read(const uint8_t *bytes, size_t length, struct perf_record *ret_record);

/*
 * Opens a ring of `bytes`, a power of two. Returns 0 or -errno (-ENOMEM if that much may not be
 * locked). On error nothing is held.
 */
int perf_ring_open(struct perf_ring *ring, uint32_t cpu, uint64_t bytes);
/* Makes a ring of these bytes, with `page` in the kernel's form: for tests. */
void perf_ring_of_memory(struct perf_ring *ring, void *page, uint64_t bytes, uint8_t *copy);
void perf_ring_close(struct perf_ring *ring);

/* Makes readable what the kernel has written so far. */
void perf_ring_look(struct perf_ring *ring);
/* Returns the next record, which stays in the ring. False: there is none. */
bool perf_ring_next(struct perf_ring *ring, struct perf_record *ret_record);
/* The record is finished with: the kernel may reuse its place. */
void perf_ring_pass(struct perf_ring *ring);

#endif
