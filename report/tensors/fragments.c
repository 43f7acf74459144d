/* SPDX-License-Identifier: MIT */
/* Free pieces are what blocks leave of their segments, both in the order of addresses. */
#include "report/tensors/fragments.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/base/sorted.h"

#define TYPE_CUDA 1u                         /* c10::DeviceType */
#define SMALL_SEGMENT (UINT64_C(2) << 20)    /* it has blocks of up to 1 MiB only */
#define SMALL_BLOCK_MOST (UINT64_C(1) << 20) /* a larger one has a segment of another kind */

struct fragments_segment {
	uint64_t address; /* must be first: they are sorted by it */
	uint64_t bytes;
	bool is_needless;
};

struct fragments_block {
	uint64_t address, bytes;
};

/* --- free pieces --- */

static int fragments_by_address(const void *a, const void *b)
{
	const struct fragments_block *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

/* All blocks by address, to be freed by the caller. */
static struct fragments_block *fragments_blocks(const struct fragments_pool *pool)
{
	struct fragments_block *block = memory_zero(pool->blocks.count + 1, sizeof(*block));
	const struct map_entry *entry = NULL;
	size_t count = 0;

	while ((entry = map_next(&pool->blocks, entry)))
		block[count++] = (struct fragments_block){ entry->key, entry->value };
	qsort(block, count, sizeof(*block), fragments_by_address);
	return block;
}

static void fragments_add_piece(struct fragments_peak *peak, uint64_t from, uint64_t to)
{
	if (to <= from)
		return;
	peak->free_bytes += to - from;
	if (to - from > peak->largest_bytes)
		peak->largest_bytes = to - from;
}

/* What is free in segments of large blocks now. */
static struct fragments_peak fragments_look(const struct fragments_pool *pool)
{
	struct fragments_peak peak = { .reserved = pool->reserved };
	struct fragments_block *block = fragments_blocks(pool);
	size_t at = 0;

	for (size_t i = 0; i < pool->blocks.count; i++)
		peak.allocated += block[i].bytes;
	for (size_t i = 0; i < pool->segment_count; i++) {
		const struct fragments_segment *segment = &pool->segment[i];
		uint64_t from = segment->address, end = segment->address + segment->bytes;

		if (segment->bytes <= SMALL_SEGMENT)
			continue;
		peak.segments++;
		peak.needless += segment->is_needless;
		peak.needless_bytes += segment->is_needless ? segment->bytes : 0;
		while (at < pool->blocks.count && block[at].address < from)
			at++;
		for (; at < pool->blocks.count && block[at].address < end; at++) {
			fragments_add_piece(&peak, from, block[at].address);
			from = block[at].address + block[at].bytes;
		}
		fragments_add_piece(&peak, from, end);
	}
	free(block);
	return peak;
}

/* Whether the latest block would have fitted into what was free before it, were that one piece. */
static bool fragments_are_needless(const struct fragments_pool *pool)
{
	struct fragments_peak before;

	if (pool->latest_bytes <= SMALL_BLOCK_MOST)
		return false;
	before = fragments_look(pool);
	return before.free_bytes >= pool->latest_bytes && before.largest_bytes < pool->latest_bytes;
}

/* --- segments --- */

static void fragments_add_segment(struct fragments_pool *pool)
{
	struct fragments_segment added = { pool->asked_address, pool->asked_bytes,
					   fragments_are_needless(pool) };
	size_t at = sorted_count_up_to(pool->segment, pool->segment_count, sizeof(added),
				       added.address);

	pool->segment = memory_room(pool->segment, pool->segment_count, &pool->segment_room,
				    sizeof(added));
	memmove(&pool->segment[at + 1], &pool->segment[at],
		(pool->segment_count - at) * sizeof(added));
	pool->segment[at] = added;
	pool->segment_count++;
	pool->bytes += added.bytes;
	pool->asked_bytes = 0;
}

static void fragments_drop_segment(struct fragments_pool *pool, uint64_t address)
{
	size_t at = sorted_count_up_to(pool->segment, pool->segment_count, sizeof(*pool->segment),
				       address);

	if (!at || pool->segment[at - 1].address != address)
		return;
	pool->bytes -= pool->segment[at - 1].bytes;
	memmove(&pool->segment[at - 1], &pool->segment[at],
		(pool->segment_count - at) * sizeof(*pool->segment));
	pool->segment_count--;
}

static void fragments_reserve(struct fragments_pool *pool, uint64_t reserved)
{
	if (pool->asked_bytes && pool->bytes + pool->asked_bytes == reserved)
		fragments_add_segment(pool);
	pool->is_unknown |= pool->bytes != reserved;
	pool->reserved = reserved;
	if (!pool->is_unknown && reserved > pool->peak.reserved)
		pool->peak = fragments_look(pool);
}

/* --- events --- */

static struct fragments_pool *fragments_pool_of(struct fragments *fragments, uint32_t process,
						uint64_t device)
{
	const uint64_t words[] = { process, device };
	struct fragments_pool *pool;
	bool added;
	struct map_entry *entry = map_put(&fragments->pools,
					  map_hash_bytes(words, sizeof(words), 0), &added);

	if (!added)
		return fragments->pool[entry->value];
	entry->value = fragments->pool_count;
	pool = memory_zero(1, sizeof(*pool));
	pool->process = process;
	pool->device = device;
	map_init(&pool->blocks);
	fragments->pool = memory_room(fragments->pool, fragments->pool_count, &fragments->pool_room,
				      sizeof(*fragments->pool));
	fragments->pool[fragments->pool_count++] = pool;
	return pool;
}

static void fragments_take_alloc(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_alloc *given = EVENT_AS(tensor_alloc, &event->event);
	struct fragments_pool *pool;
	bool added;

	(void)counts;
	if (given->device >> 8 != TYPE_CUDA || !given->ptr)
		return;
	pool = fragments_pool_of(state, event->process->index, given->device);
	map_put(&pool->blocks, given->ptr, &added)->value = given->bytes;
	pool->latest_bytes = given->bytes;
}

static void fragments_take_free(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_free *given = EVENT_AS(tensor_free, &event->event);
	struct fragments_pool *pool;
	struct map_entry *known;

	(void)counts;
	if (given->device >> 8 != TYPE_CUDA)
		return;
	pool = fragments_pool_of(state, event->process->index, given->device);
	known = map_find(&pool->blocks, given->ptr);
	if (known)
		map_remove(&pool->blocks, known);
}

static void fragments_take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);

	(void)counts;
	if (totals->device >> 8 == TYPE_CUDA)
		fragments_reserve(fragments_pool_of(state, event->process->index, totals->device),
				  totals->reserved);
}

static void fragments_take_asked(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_alloc *given = EVENT_AS(cuda_alloc, &event->event);
	struct fragments_pool *pool;

	(void)counts;
	if (given->result || given->flags & EVT_CUDA_NESTED || given->kind != EVT_CUDA_DEVICE ||
	    given->device < 0)
		return;
	pool = fragments_pool_of(state, event->process->index,
				 (uint64_t)TYPE_CUDA << 8 | ((uint64_t)given->device + 1));
	pool->asked_address = given->address;
	pool->asked_bytes = given->bytes;
}

static void fragments_take_returned(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_free *given = EVENT_AS(cuda_free, &event->event);
	const struct fragments *fragments = state;

	(void)counts;
	if (given->result || given->flags & EVT_CUDA_NESTED)
		return;
	for (size_t i = 0; i < fragments->pool_count; i++)
		if (fragments->pool[i]->process == event->process->index)
			fragments_drop_segment(fragments->pool[i], given->address);
}

/* --- what others ask --- */

const struct fragments_peak *fragments_of(const struct fragments *fragments, uint64_t device)
{
	const struct fragments_peak *most = NULL;

	for (size_t i = 0; i < fragments->pool_count; i++) {
		const struct fragments_pool *pool = fragments->pool[i];

		if (pool->device == device && !pool->is_unknown && pool->peak.segments &&
		    (!most || pool->peak.reserved > most->reserved))
			most = &pool->peak;
	}
	return most;
}

uint64_t fragments_lost_bytes(const struct fragments_peak *peak)
{
	return peak->needless_bytes < peak->free_bytes ? peak->needless_bytes : peak->free_bytes;
}

/* --- the analysis --- */

static void fragments_start(void *state, struct run *run, const void *options)
{
	(void)options;
	map_init(&((struct fragments *)state)->pools);
	run_reads(run, EVT_tensor_alloc, FIELDS_ALL, fragments_take_alloc, state);
	run_reads(run, EVT_tensor_free, FIELDS_ALL, fragments_take_free, state);
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, fragments_take_totals, state);
	run_reads(run, EVT_cuda_alloc, FIELDS_ALL, fragments_take_asked, state);
	run_reads(run, EVT_cuda_free, FIELDS_ALL, fragments_take_returned, state);
}

static void fragments_release(void *state)
{
	struct fragments *fragments = state;

	for (size_t i = 0; i < fragments->pool_count; i++) {
		map_release(&fragments->pool[i]->blocks);
		free(fragments->pool[i]->segment);
		free(fragments->pool[i]);
	}
	free(fragments->pool);
	map_release(&fragments->pools);
}

const struct analysis_kind analysis_fragments = {
	.name = "fragments",
	.state_bytes = sizeof(struct fragments),
	.start = fragments_start,
	.release = fragments_release,
};
