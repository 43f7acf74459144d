/* SPDX-License-Identifier: MIT */
/*
 * Puts records into columns. A column is written front to back through a bare pointer. The shared
 * columns have room for the longest block; the others make room before each record. Knows nothing
 * of frames.
 */
#include "collector/format/block.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/record_put.h"

#define TEXT_MAX (1u << 20) /* bytes per text */

void column_put_long(struct column *column, uint64_t value)
{
	column->at = put_varint(column->at, value);
}

int frame_put_born(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr,
		   uint64_t size, uint64_t caller)
{
	const struct evt_malloc block = { .ptr = ptr, .size = size, .caller = caller };

	if (fw->count >= fw->limit || !frame_add_born(fw, id, time_ns, &block))
		return EVT_TOO_LARGE;
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
	case EVT_CODEC_block:
		column_put(column, address_code(word[0], *last));
		*last = word[0];
		break;
	case EVT_CODEC_delta:
	case EVT_CODEC_serial:
		column_put(column, step_code(word[0], *last));
		*last = word[0] ? word[0] : *last;
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
		frame_add_address(fw, HEAP_BIRTHS, word[0]);
		break;
	case EVT_CODEC_dies:
		frame_add_address(fw, HEAP_DEATHS, word[0]);
		break;
	case EVT_CODEC_size:
		frame_add_size(fw, kind, word[0]);
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

/*
 * Makes room for the record in the event's own columns, so that nothing after it can fail half way.
 */
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

/*
 * True if each field is one number in a column of its own: all events except those of the heap and
 * those with texts.
 */
static bool event_is_flat(const struct evt_descriptor *event)
{
	static const bool flat[EVT_CODEC_LIMIT] = {
		[EVT_CODEC_uint] = true,   [EVT_CODEC_sint] = true, [EVT_CODEC_addr] = true,
		[EVT_CODEC_block] = true,  [EVT_CODEC_name] = true, [EVT_CODEC_delta] = true,
		[EVT_CODEC_serial] = true,
	};

	for (unsigned int i = 0; i < event->field_count; i++)
		if (!flat[event->field[i].codec])
			return false;
	return event->name != NULL;
}

static bool event_is_heap(const struct evt_descriptor *event)
{
	for (unsigned int i = 0; i < event->field_count; i++)
		if (codec_is_timed_in_units(event->field[i].codec))
			return true;
	return false;
}

void frame_writer_sort_events(struct frame_writer *fw)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		fw->flat[id] = event_is_flat(&evt_descriptors[id]);
		fw->heap[id] = event_is_heap(&evt_descriptors[id]);
	}
}

/* An event's columns begin together. */
static void frame_begin_columns(struct frame_writer *fw, uint32_t base, uint32_t fields)
{
	for (uint32_t i = 0; i < fields; i++) {
		fw->used[fw->used_count++] = (uint16_t)(base + i);
		fw->last_address[base + i] = 0;
	}
}

static inline uint64_t flat_code(enum evt_codec codec, uint64_t word, uint64_t *last)
{
	uint64_t code = word;

	if (codec == EVT_CODEC_addr || codec == EVT_CODEC_block) {
		code = address_code(word, *last);
		*last = word;
	} else if (codec_is_step(codec)) {
		code = step_code(word, *last);
		*last = word ? word : *last;
	} else if (codec == EVT_CODEC_sint) {
		code = zigzag((int64_t)word);
	}
	return code;
}

/* The short path of frame_put(). */
static int frame_put_flat(struct frame_writer *fw, uint32_t id, uint64_t time_ns,
			  const uint64_t *words, uint64_t stack)
{
	const struct evt_descriptor *event = &evt_descriptors[id];
	uint32_t base = id * EVT_FIELDS_MAX, fields = event->field_count;
	struct column *column = &fw->field[base];
	struct kind *kind;

	if (fw->count >= fw->limit)
		return EVT_TOO_LARGE;
	for (uint32_t i = 0; i < fields; i++)
		if (column[i].end - column[i].at < (ptrdiff_t)CODEC_VARINT_MAX &&
		    column_grow(&column[i], CODEC_VARINT_MAX) != 0)
			return EVT_NO_MEMORY;
	kind = stack ? kind_table_find(&fw->kinds, id, stack)
		     : kind_table_find_plain(&fw->kinds, id);
	if (!kind)
		return EVT_TOO_LARGE;
	if (fw->heap[id])
		frame_add_heap_head(fw, kind, time_ns);
	else
		frame_add_head(fw, kind, time_ns);
	if (fields && column[0].at == column[0].start)
		frame_begin_columns(fw, base, fields);
	for (uint32_t i = 0; i < fields; i++)
		column_put(&column[i],
			   flat_code(event->field[i].codec, words[i], &fw->last_address[base + i]));
	return 0;
}

/* `stack`: STACK_WORD and an id, or 0. */
static int frame_put_any(struct frame_writer *fw, uint32_t id, uint64_t time_ns,
			 const uint64_t *words, uint64_t stack)
{
	const struct evt_descriptor *event = &evt_descriptors[id % EVT_ID_LIMIT];
	uint32_t fields = event->field_count;
	uint64_t caller = 0;
	struct kind *kind;
	int error;

	if (id >= EVT_ID_LIMIT || !event->name)
		return EVT_CORRUPT;
	if (fw->flat[id])
		return frame_put_flat(fw, id, time_ns, words, stack);
	error = frame_make_room(fw, id, words);
	if (error)
		return error;
	if (fields && event->field[fields - 1].codec == EVT_CODEC_caller)
		caller = words[fields - 1];
	kind = kind_table_find(&fw->kinds, id, stack ? stack : caller);
	if (!kind)
		return EVT_TOO_LARGE;
	if (stack && !word_is_stack(caller))
		fw->kinds.entry[kind->number].caller = caller;
	if (fw->heap[id])
		frame_add_heap_head(fw, kind, time_ns);
	else
		frame_add_head(fw, kind, time_ns);
	for (uint32_t i = 0; i < fields; i++)
		frame_put_field(fw, kind, i, &words[i]);
	return 0;
}

int frame_put(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words)
{
	return frame_put_any(fw, id, time_ns, words, 0);
}

int frame_put_stack(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words,
		    uint64_t stack)
{
	return frame_put_any(fw, id, time_ns, words, STACK_WORD | stack);
}
