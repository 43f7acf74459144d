/* SPDX-License-Identifier: MIT */
/* Parses the kernel's layouts: linux/perf_event.h, enum perf_event_type. */
#include "collector/native/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "collector/arch/pages.h"
#include "collector/native/perf_open.h"

#define TRAILER_BYTES 24u /* at the end of all records but samples: pid, tid, time, id */

/* Bytes of a record that are not read yet. */
struct rest {
	const uint8_t *at;
	size_t bytes;
	bool bad;
};

static void rest_take(struct rest *rest, void *to, size_t bytes)
{
	if (rest->bad || rest->bytes < bytes) {
		rest->bad = true;
		memset(to, 0, bytes);
		return;
	}
	memcpy(to, rest->at, bytes);
	rest->at += bytes;
	rest->bytes -= bytes;
}

static uint64_t rest_word(struct rest *rest)
{
	uint64_t word;

	rest_take(rest, &word, sizeof(word));
	return word;
}

static uint32_t rest_half(struct rest *rest)
{
	uint32_t half;

	rest_take(rest, &half, sizeof(half));
	return half;
}

static void read_stack(struct rest *rest, struct perf_record *record)
{
	uint64_t room = rest_word(rest), filled;

	if (!room || rest->bad)
		return;
	if (room > rest->bytes) {
		rest->bad = true;
		return;
	}
	record->stack = rest->at;
	rest->at += room;
	rest->bytes -= room;
	filled = rest_word(rest);
	record->stack_bytes = (uint32_t)(filled < room ? filled : room);
}

static void read_sample(struct rest *rest, uint16_t misc, struct perf_record *record)
{
	record->kind = PERF_IS_SAMPLE;
	record->in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	record->id = rest_word(rest);
	record->pid = rest_half(rest);
	record->tid = rest_half(rest);
	record->time_ns = rest_word(rest);
	if (rest_word(rest) == PERF_SAMPLE_REGS_ABI_64) {
		record->rbp = rest_word(rest);
		if (ARCH_PERF_HAS_LINK)
			record->link = rest_word(rest);
		record->rsp = rest_word(rest);
		record->rip = rest_word(rest);
		record->has_registers = true;
		read_stack(rest, record);
	}
}

/* Reads what is at the end of all records but samples. */
static void read_trailer(struct rest *rest, struct perf_record *record)
{
	struct rest trailer = { rest->at + rest->bytes - TRAILER_BYTES, TRAILER_BYTES, false };

	rest->bytes -= TRAILER_BYTES;
	record->pid = rest_half(&trailer);
	record->tid = rest_half(&trailer);
	record->time_ns = rest_word(&trailer);
	record->id = rest_word(&trailer);
}

static void read_mapping(struct rest *rest, uint16_t misc, struct perf_record *record)
{
	record->kind = PERF_IS_MAPPING;
	record->pid = rest_half(rest);
	record->tid = rest_half(rest);
	record->start = rest_word(rest);
	record->bytes = rest_word(rest);
	record->offset = rest_word(rest);
	record->major = rest_half(rest);
	record->minor = rest_half(rest);
	record->inode = rest_word(rest);
	(void)rest_word(rest); /* the inode's generation */
	(void)rest_word(rest); /* protection, flags */
	record->path = (const char *)rest->at;
	rest->bad |= !memchr(rest->at, 0, rest->bytes);
	rest->bad |= record->start + record->bytes < record->start;
	rest->bad |= misc & 1u << 14; /* a build-id instead of the inode, which we do not request */
}

static void read_name(struct rest *rest, uint16_t misc, struct perf_record *record)
{
	record->kind = misc & PERF_RECORD_MISC_COMM_EXEC ? PERF_IS_EXEC : PERF_IS_NAME;
	(void)rest_word(rest); /* pid, tid */
	record->path = (const char *)rest->at;
	rest->bad |= !memchr(rest->at, 0, rest->bytes);
}

static void read_thread_end(struct rest *rest, struct perf_record *record)
{
	record->kind = PERF_IS_END;
	record->pid = rest_half(rest);
	(void)rest_half(rest); /* its parent */
	record->tid = rest_half(rest);
}

static bool read_body(struct rest *rest, const struct perf_event_header *header,
		      struct perf_record *record)
{
	if (header->type == PERF_RECORD_SAMPLE) {
		read_sample(rest, header->misc, record);
		return !rest->bad;
	}
	if (rest->bytes < TRAILER_BYTES)
		return false;
	read_trailer(rest, record);
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		read_mapping(rest, header->misc, record);
		break;
	case PERF_RECORD_COMM:
		read_name(rest, header->misc, record);
		break;
	case PERF_RECORD_EXIT:
		read_thread_end(rest, record);
		break;
	case PERF_RECORD_LOST:
		record->kind = PERF_IS_LOSS;
		record->id = rest_word(rest);
		record->lost = rest_word(rest);
		break;
	default:
		break;
	}
	return !rest->bad;
}

bool perf_record_read(const uint8_t *bytes, size_t length, struct perf_record *ret_record)
{
	struct perf_record record = { 0 };
	struct perf_event_header header;
	struct rest rest;

	if (length < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size > length)
		return false;
	rest = (struct rest){ bytes + sizeof(header), header.size - sizeof(header), false };
	if (!read_body(&rest, &header, &record))
		return false;
	*ret_record = record;
	return true;
}

/* Nothing that is in the ring can be trusted. */

void perf_ring_of_memory(struct perf_ring *ring, void *page, uint64_t bytes, uint8_t *copy)
{
	*ring = (struct perf_ring){ .fd = -1,
				    .page = page,
				    .data = (const uint8_t *)page + arch_page(),
				    .bytes = bytes,
				    .copy = copy };
}

int perf_ring_open(struct perf_ring *ring, uint32_t cpu, uint64_t bytes)
{
	uint8_t *copy = malloc(PERF_RECORD_BYTES_MAX);
	void *page = MAP_FAILED;
	int fd = copy ? perf_open_holder(cpu) : -ENOMEM;

	if (fd >= 0)
		page = mmap(NULL, arch_page() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		free(copy);
		return fd < 0 ? fd : -ENOMEM;
	}
	perf_ring_of_memory(ring, page, bytes, copy);
	ring->fd = fd;
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->fd < 0)
		return;
	munmap(ring->page, arch_page() + ring->bytes);
	close(ring->fd);
	free(ring->copy);
	ring->fd = -1;
}

void perf_ring_look(struct perf_ring *ring)
{
	const struct perf_event_mmap_page *page = ring->page;

	ring->limit = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

/* Nothing of what is there can be trusted. */
static void ring_skip_all(struct perf_ring *ring)
{
	ring->next = ring->limit;
	perf_ring_pass(ring);
}

bool perf_ring_next(struct perf_ring *ring, struct perf_record *ret_record)
{
	uint64_t left = ring->limit - ring->tail, at = ring->tail & (ring->bytes - 1);
	const uint8_t *bytes = ring->data + at;
	struct perf_event_header header;

	if (!left)
		return false;
	/* records are multiples of 8 bytes, so a header never wraps around */
	if (left > ring->bytes || left < sizeof(header) || at % sizeof(header)) {
		ring_skip_all(ring);
		return false;
	}
	memcpy(&header, bytes, sizeof(header));
	if (header.size <= left && at + header.size > ring->bytes) {
		memcpy(ring->copy, bytes, ring->bytes - at);
		memcpy(ring->copy + (ring->bytes - at), ring->data,
		       header.size - (ring->bytes - at));
		bytes = ring->copy;
	}
	if (header.size > left || !perf_record_read(bytes, header.size, ret_record)) {
		ring_skip_all(ring);
		return false;
	}
	ring->next = ring->tail + header.size;
	return true;
}

void perf_ring_pass(struct perf_ring *ring)
{
	struct perf_event_mmap_page *page = ring->page;

	ring->tail = ring->next;
	__atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
