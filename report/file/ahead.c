/* SPDX-License-Identifier: MIT */
/*
 * A ring of slots, one per frame, each with its own decoder. Jobs are done in the order of the
 * file.
 */
#include "report/file/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/file/decompress.h"

struct slot {
	struct job job; /* must be first: a job is converted to its slot */
	struct decompressor decompressor;
	struct frame_decoder decoder;
	uint8_t *bytes; /* compressed */
	size_t room;
	struct reader_frame frame;
	bool is_whole;
};

struct ahead {
	struct workers *workers;
	struct slot slot[AHEAD_SLOTS];
	unsigned int slots;        /* number of slots in use */
	unsigned int first, count; /* slots that are working or done, without the one taken last */
	bool holds;                /* the slot before `first` was handed out */
	uint64_t end;
};

static bool content_is_data(const uint8_t *bytes, size_t length)
{
	struct cursor c = cursor_of(bytes, length);

	return get_u32(&c) == FRAME_TAG_DATA;
}

static void slot_run(struct job *job)
{
	struct slot *slot = (struct slot *)job;
	struct reader_frame *frame = &slot->frame;
	const uint8_t *bytes;
	uint64_t records;

	slot->is_whole = !decompressor_run(&slot->decompressor, slot->bytes, frame->compressed,
					   &bytes, &frame->uncompressed) &&
			 content_is_data(bytes, frame->uncompressed) &&
			 !frame_decoder_open(&slot->decoder, bytes, frame->uncompressed, frame) &&
			 frame_decoder_run(&slot->decoder, frame, &records) == EVT_END &&
			 records == frame->info.records;
}

static int slot_init(struct slot *slot, const struct schema *schema,
		     const struct frame_wants *wants)
{
	int error = decompressor_init(&slot->decompressor);

	slot->job.run = slot_run;
	return error ? error : frame_decoder_init(&slot->decoder, schema, wants);
}

static unsigned int slots_for(const struct workers *workers)
{
	unsigned int slots = workers_threads(workers) + 1;

	return slots < AHEAD_SLOTS ? slots : AHEAD_SLOTS;
}

struct ahead *ahead_new(struct workers *workers, const struct schema *schema,
			const struct frame_wants *wants)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));
	int error = ahead ? EVT_OK : EVT_NO_MEMORY;

	if (!error)
		ahead->slots = slots_for(workers);
	for (unsigned int i = 0; i < AHEAD_SLOTS && !error; i++)
		error = slot_init(&ahead->slot[i], schema, wants);
	if (error) {
		ahead_free(ahead);
		return NULL;
	}
	ahead->workers = workers;
	return ahead;
}

static struct slot *ahead_slot(struct ahead *ahead, unsigned int index)
{
	return &ahead->slot[(ahead->first + index) % ahead->slots];
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	for (unsigned int i = 0; i < ahead->count; i++)
		workers_take_back(ahead->workers, &ahead_slot(ahead, i)->job);
	for (unsigned int i = 0; i < AHEAD_SLOTS; i++) {
		decompressor_release(&ahead->slot[i].decompressor);
		frame_decoder_release(&ahead->slot[i].decoder);
		free(ahead->slot[i].bytes);
	}
	free(ahead);
}

bool ahead_has_room(const struct ahead *ahead)
{
	return ahead->count + ahead->holds < ahead->slots;
}

uint64_t ahead_end(const struct ahead *ahead)
{
	return ahead->end;
}

void ahead_put(struct ahead *ahead, uint64_t offset, const uint8_t *bytes, size_t length)
{
	struct slot *slot = ahead_slot(ahead, ahead->count);

	ahead->end = offset + length;
	if (slot->room < length) {
		uint8_t *room = realloc(slot->bytes, length);

		if (!room)
			return; /* the reader will report it */
		slot->bytes = room;
		slot->room = length;
	}
	memcpy(slot->bytes, bytes, length);
	slot->frame = (struct reader_frame){ .offset = offset, .compressed = length };
	ahead->count++;
	workers_put(ahead->workers, &slot->job);
}

void ahead_let_go(struct ahead *ahead)
{
	ahead->holds = false;
}

static void ahead_forget_first(struct ahead *ahead)
{
	ahead->first = (ahead->first + 1) % ahead->slots;
	ahead->count--;
}

bool ahead_take(struct ahead *ahead, uint64_t offset, struct reader_frame *ret_frame)
{
	struct slot *slot;

	ahead_let_go(ahead);
	while (ahead->count && ahead_slot(ahead, 0)->frame.offset < offset) {
		workers_take_back(ahead->workers, &ahead_slot(ahead, 0)->job);
		ahead_forget_first(ahead);
	}
	slot = ahead_slot(ahead, 0);
	if (!ahead->count || slot->frame.offset != offset)
		return false;
	workers_wait(ahead->workers, &slot->job);
	ahead_forget_first(ahead);
	if (!slot->is_whole)
		return false;
	ahead->holds = true;
	*ret_frame = slot->frame;
	return true;
}
