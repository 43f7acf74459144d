/* SPDX-License-Identifier: MIT */
/*
 * Up to BUFFERS buffers of the other user are open. A thread takes one by compare-and-swap and
 * appends the records that the other user wants. It completes the buffer when it is full, at a
 * flush, or at once if the other user wants that.
 */
#include "preload/gpu/gpu_copy.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_share.h"

#define BUFFERS 16u /* buffers that are open at once: as many as threads copy */
#define WAIT_NS 1000000000u

static _Atomic(cupti_buffer_requested *) their_requested;
static _Atomic(cupti_buffer_completed *) their_completed;
static _Atomic size_t their_dropped;
static _Atomic bool is_prompt;
static _Atomic unsigned int copying; /* number of threads that are copying */

/* --- what the other user wants --- */

enum { NEVER, ON, ENDING, OFF };

/*
 * For each kind: since when, and until when, the other user wanted it, as numbers of calls; 0: not
 * known.
 */
static struct {
	_Atomic int state;
	_Atomic uint32_t begin, end;
} asked[CUPTI_KINDS];

/* Where each kind of record has the correlation number of its call. */
static const uint16_t correlation_at[CUPTI_KINDS] = {
	[CUPTI_KERNEL] = offsetof(struct cupti_kernel, correlation),
	[CUPTI_CONCURRENT_KERNEL] = offsetof(struct cupti_kernel, correlation),
	[CUPTI_MEMCPY] = offsetof(struct cupti_memcpy, correlation),
	[CUPTI_MEMCPY_PEER] = offsetof(struct cupti_memcpy_peer, correlation),
	[CUPTI_MEMSET] = offsetof(struct cupti_memset, correlation),
	[CUPTI_SYNCHRONIZATION] = offsetof(struct cupti_synchronization, correlation),
};

/* Numbers are noted only while we record, so later records can only be the other user's. */
static bool is_in_time(uint32_t kind, uint32_t correlation)
{
	uint32_t begin = atomic_load(&asked[kind].begin), end = atomic_load(&asked[kind].end);

	return (int32_t)(correlation - begin) > 0 &&
	       (!end || (int32_t)(correlation - end) <= 0 || !gpu_share_wants(GPU_US, kind));
}

static bool is_theirs(const uint8_t *record, size_t bytes)
{
	uint32_t kind, correlation;
	int state;

	if (bytes < sizeof(kind))
		return false;
	memcpy(&kind, record, sizeof(kind));
	if (kind >= CUPTI_KINDS)
		return true; /* we never request this kind */
	state = atomic_load(&asked[kind].state);
	if (!correlation_at[kind] || bytes < correlation_at[kind] + sizeof(correlation))
		return state == ON || state == ENDING;
	memcpy(&correlation, record + correlation_at[kind], sizeof(correlation));
	return state != NEVER && is_in_time(kind, correlation);
}

/* --- the other user's buffers --- */

enum { FREE, OPEN, TAKEN };

static struct their_buffer {
	_Atomic int state;
	uint8_t *memory;
	size_t bytes, valid, records, records_max;
	void *context;
	uint32_t stream;
} buffers[BUFFERS];

static struct their_buffer *buffer_take(int state)
{
	for (unsigned int i = 0; i < BUFFERS; i++) {
		int as = state;

		if (atomic_compare_exchange_strong(&buffers[i].state, &as, TAKEN))
			return &buffers[i];
	}
	return NULL;
}

static void buffer_complete(struct their_buffer *buffer)
{
	cupti_buffer_completed *completed = atomic_load(&their_completed);

	if (buffer->memory && completed)
		completed(buffer->context, buffer->stream, buffer->memory, buffer->bytes,
			  buffer->valid);
	buffer->memory = NULL;
	buffer->bytes = buffer->valid = buffer->records = buffer->records_max = 0;
}

static bool buffer_request(struct their_buffer *buffer)
{
	cupti_buffer_requested *requested = atomic_load(&their_requested);

	if (requested)
		requested(&buffer->memory, &buffer->bytes, &buffer->records_max);
	return buffer->memory != NULL;
}

static void buffer_give(struct their_buffer *buffer)
{
	atomic_store(&buffer->state, buffer->memory ? OPEN : FREE);
}

/* `buffer` is NULL if more threads copy at once than there are buffers. */
static void gpu_copy_record_put(struct their_buffer *buffer, const uint8_t *record, size_t bytes)
{
	if (!buffer) {
		gpu_copy_dropped(1);
		return;
	}
	if (buffer->memory && (buffer->bytes - buffer->valid < bytes ||
			       (buffer->records_max && buffer->records == buffer->records_max)))
		buffer_complete(buffer);
	if (!buffer->memory && !buffer_request(buffer)) {
		gpu_copy_dropped(1);
		return;
	}
	if (buffer->bytes - buffer->valid < bytes) {
		gpu_copy_dropped(1);
		return;
	}
	memcpy(buffer->memory + buffer->valid, record, bytes);
	buffer->valid += bytes;
	buffer->records++;
}

/* --- one of our buffers --- */

/* A record ends where the next one begins. */
static void records_copy(struct their_buffer *to, uint8_t *buffer, size_t valid_bytes,
			 cupti_result (*next)(uint8_t *, size_t, void **))
{
	uint8_t *end = buffer + valid_bytes;
	void *record = NULL;

	if (next(buffer, valid_bytes, &record) != CUPTI_OK)
		return;
	for (;;) {
		uint8_t *at = record;
		void *after = record;
		bool is_last = next(buffer, valid_bytes, &after) != CUPTI_OK;
		uint8_t *stop = is_last ? end : after;

		if (at < buffer || stop <= at || stop > end)
			return;
		if (is_theirs(at, (size_t)(stop - at)))
			gpu_copy_record_put(to, at, (size_t)(stop - at));
		if (is_last)
			return;
		record = after;
	}
}

void gpu_copy_take(void *context, uint32_t stream, uint8_t *buffer, size_t valid_bytes,
		   cupti_result (*next)(uint8_t *, size_t, void **))
{
	struct their_buffer *to;

	if (!atomic_load(&their_completed) || !valid_bytes)
		return;
	atomic_fetch_add(&copying, 1);
	to = buffer_take(OPEN);
	if (!to)
		to = buffer_take(FREE);
	if (to) {
		to->context = context;
		to->stream = stream;
	}
	records_copy(to, buffer, valid_bytes, next);
	if (to) {
		if (atomic_load(&is_prompt) && to->valid)
			buffer_complete(to);
		buffer_give(to);
	}
	atomic_fetch_sub(&copying, 1);
}

static void copying_wait(void)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;
	struct timespec nap = { 0, 20000 };
	int saved = errno;

	while (atomic_load(&copying) && clock_ns(CLOCK_MONOTONIC) < until)
		syscall(SYS_nanosleep, &nap, NULL); /* libc's is a hook of ours */
	errno = saved;
}

void gpu_copy_flush(void)
{
	struct their_buffer *buffer;

	if (!atomic_load(&their_completed))
		return;
	copying_wait();
	while ((buffer = buffer_take(OPEN)) != NULL) {
		buffer_complete(buffer);
		buffer_give(buffer);
	}
	for (unsigned int kind = 0; kind < CUPTI_KINDS; kind++) {
		int ending = ENDING;

		(void)atomic_compare_exchange_strong(&asked[kind].state, &ending, OFF);
	}
}

/* --- what the other user calls --- */

void gpu_copy_register(cupti_buffer_requested *requested, cupti_buffer_completed *completed)
{
	gpu_copy_flush();
	atomic_store(&their_requested, requested);
	atomic_store(&their_completed, completed);
}

void gpu_copy_set_prompt(bool on)
{
	atomic_store(&is_prompt, on);
}

static void buffer_prepare(void)
{
	struct their_buffer *buffer = buffer_take(OPEN);

	if (!buffer)
		buffer = buffer_take(FREE);
	if (!buffer)
		return;
	if (!buffer->memory)
		(void)buffer_request(buffer);
	buffer_give(buffer);
}

void gpu_copy_kind(uint32_t kind, bool on)
{
	uint32_t now = gpu_last_correlation();

	if (kind >= CUPTI_KINDS || (!on && atomic_load(&asked[kind].state) != ON))
		return;
	if (on && atomic_load(&asked[kind].state) != ON) {
		atomic_store(&asked[kind].begin, now);
		atomic_store(&asked[kind].end, 0);
	} else if (!on) {
		atomic_store(&asked[kind].end, now);
	}
	atomic_store(&asked[kind].state, on ? ON : ENDING);
	if (on)
		buffer_prepare();
}

void gpu_copy_dropped(size_t dropped)
{
	if (atomic_load(&their_completed))
		atomic_fetch_add(&their_dropped, dropped);
}

size_t gpu_copy_take_dropped(void)
{
	return atomic_exchange(&their_dropped, 0);
}

/* In a forked child: the threads that were copying do not exist. */
void gpu_copy_forked(void)
{
	atomic_store(&copying, 0);
}
