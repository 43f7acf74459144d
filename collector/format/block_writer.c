/* SPDX-License-Identifier: MIT */
/*
 * Records into columns. A column is written front to back through a bare pointer: the shared ones
 * have room for the longest block, the others make room before each record. Knows nothing of frames.
 */
#include "collector/format/block.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/frame_writer.h"

#define TEXT_MAX (1u << 20) /* bytes of one text */

/* Two bytes and more; apart, so that the one-byte case stays small where it is inlined. */
static __attribute__((noinline)) void column_put_long(struct column *column, uint64_t value)
{
	column->at = put_varint(column->at, value);
}

/* For values that nearly always take one byte. */
static inline void column_put(struct column *column, uint64_t value)
{
	if (__builtin_expect(value < 0x80, 1))
		*column->at++ = (uint8_t)value;
	else
		column_put_long(column, value);
}

/* For values of one or two bytes, in no order that a processor could guess. */
static inline void column_put_short(struct column *column, uint64_t value)
{
	uint64_t two = value >= 0x80;
	uint16_t bytes = (uint16_t)((value & 0x7f) | two << 7 | (value >> 7) << 8);

	if (__builtin_expect(value >= 0x4000, 0)) {
		column_put_long(column, value);
		return;
	}
	memcpy(column->at, &bytes, sizeof(bytes));
	column->at += 1 + two;
}

/* A birth names a death and a death a birth, if it is there; else the address is spelled out. */
static inline void frame_put_heap(struct frame_writer *fw, enum column_key key,
				  struct heap_trail *own, const struct heap_trail *named,
				  uint64_t address)
{
	struct column *codes = &fw->shared[key];
	struct column *far_bytes = &fw->shared[key + 1];
	uint64_t ago = trail_find(named, address);
	uint64_t far, length;

	trail_add(own, address);
	if (ago) {
		column_put(codes, ago + TRAIL_NEAR);
		return;
	}
	far = address_code(address, own->last_far);
	length = (71 - (uint64_t)__builtin_clzll(far | 1)) / 8;
	own->last_far = address;
	memcpy(far_bytes->at, &far, sizeof(far));
	far_bytes->at += length;
	*codes->at++ = (uint8_t)(length - 1);
}

static inline void frame_put_born_address(struct frame_writer *fw, uint64_t address)
{
	frame_put_heap(fw, COLUMN_BORN, &fw->births, &fw->deaths, address);
}

static inline void frame_put_dies_address(struct frame_writer *fw, uint64_t address)
{
	frame_put_heap(fw, COLUMN_DIES, &fw->deaths, &fw->births, address);
}

static inline void frame_put_size(struct frame_writer *fw, struct kind *kind, uint64_t size)
{
	column_put(&fw->shared[COLUMN_SIZE], size_code(size, kind->size));
	kind->size = size;
}

/* Kind and time of the next record; NULL when there is no room for it. */
static inline struct kind *frame_put_head(struct frame_writer *fw, uint32_t id, uint64_t time_ns,
					  uint64_t caller)
{
	struct kind *kind;

	if (__builtin_expect(fw->count >= fw->limit, 0))
		return NULL;
	kind = kind_table_find(&fw->kinds, id, caller);
	if (__builtin_expect(!kind, 0))
		return NULL;
	if (time_ns < fw->last_ns)
		time_ns = fw->last_ns;
	column_put(&fw->shared[COLUMN_KIND], kind->number);
	column_put_short(&fw->shared[COLUMN_TIME], time_ns - fw->last_ns);
	fw->last_ns = time_ns;
	fw->count++;
	return kind;
}

int frame_put_born(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr,
		   uint64_t size, uint64_t caller)
{
	struct kind *kind = frame_put_head(fw, id, time_ns, caller);

	if (!kind)
		return EVT_TOO_LARGE;
	frame_put_born_address(fw, ptr);
	frame_put_size(fw, kind, size);
	return 0;
}

int frame_put_dies(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr)
{
	if (!frame_put_head(fw, id, time_ns, 0))
		return EVT_TOO_LARGE;
	frame_put_dies_address(fw, ptr);
	return 0;
}

static void frame_put_own(struct frame_writer *fw, uint32_t id, uint32_t field,
			  const uint64_t *word)
{
	enum evt_codec codec = evt_descriptors[id].field[field].codec;
	struct column *column = &fw->field[id * EVT_FIELDS_MAX + field];
	uint64_t *last = &fw->last_address[id * EVT_FIELDS_MAX + field];

	if (column->at == column->start) {
		fw->used[fw->used_count++] = (uint16_t)(id * EVT_FIELDS_MAX + field);
		*last = 0;
	}
	switch (codec) {
	case EVT_CODEC_sint:
		column_put(column, zigzag((int64_t)word[0]));
		break;
	case EVT_CODEC_addr:
		column_put(column, address_code(word[0], *last));
		*last = word[0];
		break;
	case EVT_CODEC_text:
		column_put(column, word[1]);
		memcpy(column->at, (const void *)(uintptr_t)word[0], word[1]);
		column->at += word[1];
		break;
	default:
		column_put(column, word[0]);
	}
}

static void frame_put_field(struct frame_writer *fw, struct kind *kind, uint32_t field,
			    const uint64_t *word)
{
	uint32_t id = kind->tag % EVT_ID_LIMIT;

	switch (evt_descriptors[id].field[field].codec) {
	case EVT_CODEC_born:
		frame_put_born_address(fw, word[0]);
		break;
	case EVT_CODEC_dies:
		frame_put_dies_address(fw, word[0]);
		break;
	case EVT_CODEC_size:
		frame_put_size(fw, kind, word[0]);
		break;
	case EVT_CODEC_caller:
		break;
	default:
		frame_put_own(fw, id, field, word);
	}
}

static int column_grow(struct column *column, size_t bytes)
{
	size_t length = (size_t)(column->at - column->start);
	size_t room = (size_t)(column->end - column->start);
	uint8_t *start;

	if (bytes <= room - length)
		return 0;
	room = room * 2 > length + bytes ? room * 2 : length + bytes + 256;
	start = realloc(column->start, room);
	if (!start)
		return EVT_NO_MEMORY;
	*column = (struct column){ start, start + length, start + room };
	return 0;
}

/* Room for the record in its own columns, so that what follows cannot fail half way. */
static int frame_make_room(struct frame_writer *fw, uint32_t id, const uint64_t *words)
{
	const struct evt_descriptor *event = &evt_descriptors[id];
	uint32_t cost;

	for (unsigned int i = 0; i < event->field_count; i++) {
		bool text = event->field[i].codec == EVT_CODEC_text;
		uint64_t bytes = CODEC_VARINT_MAX + (text ? words[i + 1] : 0);

		if (text && words[i + 1] > TEXT_MAX)
			return EVT_TOO_LARGE;
		cost = (uint32_t)(bytes / RECORD_BYTES_MAX);
		if (fw->count + cost >= fw->limit)
			return EVT_TOO_LARGE;
		if (column_grow(&fw->field[id * EVT_FIELDS_MAX + i], bytes) != 0)
			return EVT_NO_MEMORY;
		fw->limit -= cost;
	}
	return fw->count < fw->limit ? 0 : EVT_TOO_LARGE;
}

int frame_put(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words)
{
	const struct evt_descriptor *event = &evt_descriptors[id % EVT_ID_LIMIT];
	uint32_t fields = event->field_count;
	uint64_t caller = 0;
	struct kind *kind;
	int error;

	if (id >= EVT_ID_LIMIT || !event->name)
		return EVT_CORRUPT;
	error = frame_make_room(fw, id, words);
	if (error)
		return error;
	if (fields && event->field[fields - 1].codec == EVT_CODEC_caller)
		caller = words[fields - 1];
	kind = frame_put_head(fw, id, time_ns, caller);
	if (!kind)
		return EVT_TOO_LARGE;
	for (uint32_t i = 0; i < fields; i++)
		frame_put_field(fw, kind, i, &words[i]);
	return 0;
}
