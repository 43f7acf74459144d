/* SPDX-License-Identifier: MIT */
/* A hash table by process and address, at most half full; what follows a removed slot moves up. */
#include "collector/drain/tensor_blocks.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 256u

void tensor_blocks_release(struct tensor_blocks *blocks)
{
	free(blocks->slot);
	*blocks = (struct tensor_blocks){ 0 };
}

static uint32_t block_home(const struct tensor_blocks *blocks, uint32_t process, uint64_t ptr)
{
	uint64_t hash = (ptr ^ (uint64_t)process << 48) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(hash >> 32) & (blocks->slots - 1);
}

static uint32_t block_find(const struct tensor_blocks *blocks, uint32_t process, uint64_t ptr)
{
	uint32_t at = block_home(blocks, process, ptr);

	while (blocks->slot[at].event.ptr &&
	       (blocks->slot[at].event.ptr != ptr || blocks->slot[at].process != process))
		at = (at + 1) & (blocks->slots - 1);
	return at;
}

static bool blocks_grow(struct tensor_blocks *blocks)
{
	struct tensor_blocks grown = { .slots = blocks->slots ? blocks->slots * 2 : SLOTS_FIRST };

	grown.slot = calloc(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	for (uint32_t i = 0; i < blocks->slots; i++) {
		const struct tensor_block *block = &blocks->slot[i];

		if (block->event.ptr)
			grown.slot[block_find(&grown, block->process, block->event.ptr)] = *block;
	}
	free(blocks->slot);
	blocks->slot = grown.slot;
	blocks->slots = grown.slots;
	return true;
}

static void block_remove(struct tensor_blocks *blocks, uint32_t at)
{
	uint32_t mask = blocks->slots - 1;

	blocks->count--;
	for (uint32_t next = (at + 1) & mask; blocks->slot[next].event.ptr;
	     next = (next + 1) & mask) {
		const struct tensor_block *block = &blocks->slot[next];
		uint32_t home = block_home(blocks, block->process, block->event.ptr);

		if (((next - home) & mask) < ((next - at) & mask))
			continue; /* it would come before its home */
		blocks->slot[at] = *block;
		at = next;
	}
	blocks->slot[at].event.ptr = 0;
}

static void block_add(struct tensor_blocks *blocks, const struct standing_event *event)
{
	struct evt_tensor_alloc alloc;
	uint32_t at;

	memcpy(&alloc, event->value, sizeof(alloc));
	if (!alloc.ptr)
		return;
	if (blocks->count >= TENSOR_BLOCKS_MAX ||
	    (blocks->count >= blocks->slots / 2 && !blocks_grow(blocks))) {
		blocks->is_partial = true;
		return;
	}
	at = block_find(blocks, event->process, alloc.ptr);
	blocks->count += !blocks->slot[at].event.ptr;
	blocks->slot[at] = (struct tensor_block){ event->time_ns, event->process, event->stream,
						  alloc };
}

void tensor_blocks_take(struct tensor_blocks *blocks, const struct standing_event *event)
{
	uint32_t at;

	if (blocks->is_partial)
		return;
	if (event->id == EVT_tensor_alloc) {
		block_add(blocks, event);
		return;
	}
	if (!blocks->slots || !event->value[0])
		return;
	at = block_find(blocks, event->process, event->value[0]);
	if (blocks->slot[at].event.ptr)
		block_remove(blocks, at);
}

static int blocks_by_stream(const void *one, const void *other)
{
	const struct tensor_block *a = one, *b = other;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* The blocks of processes that live, each with the stream that it is put into. */
static uint32_t blocks_list(struct tensor_blocks *blocks, const struct tensor_blocks_place *place,
			    struct tensor_block *list)
{
	uint32_t count = 0;

	for (uint32_t at = 0; at < blocks->slots;) {
		struct tensor_block *block = &blocks->slot[at];
		uint32_t stream = block->event.ptr ? place->stream_of(place->context, block) : 0;

		if (block->event.ptr && !stream) {
			block_remove(blocks, at); /* another one may be here now */
			continue;
		}
		if (block->event.ptr) {
			list[count] = *block;
			list[count++].stream = stream;
		}
		at++;
	}
	return count;
}

static bool blocks_put(const struct tensor_block *list, uint32_t count, struct frame_writer *fw)
{
	bool fits = true;

	frame_begin_block(fw, count ? list[0].stream : 0);
	for (uint32_t i = 0; i < count && fits; i++) {
		if (i && (list[i].stream != list[i - 1].stream || !frame_block_room(fw))) {
			frame_end_block(fw);
			frame_begin_block(fw, list[i].stream);
		}
		fits = frame_block_room(fw) && !frame_put(fw, EVT_tensor_alloc, list[i].time_ns,
							  (const uint64_t *)&list[i].event);
	}
	frame_end_block(fw);
	return fits;
}

bool tensor_blocks_write(struct tensor_blocks *blocks, const struct tensor_blocks_place *place,
			 struct frame_writer *fw)
{
	struct tensor_block *list;
	uint32_t count;
	bool fits;

	if (blocks->is_partial || !blocks->count)
		return !blocks->is_partial;
	list = malloc(blocks->count * sizeof(*list));
	if (!list)
		return false;
	count = blocks_list(blocks, place, list);
	qsort(list, count, sizeof(*list), blocks_by_stream);
	fits = blocks_put(list, count, fw);
	free(list);
	return fits;
}
