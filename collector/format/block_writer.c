/* SPDX-License-Identifier: MIT */
/*
 * Records into columns, columns into blocks, blocks into a frame. No compression and no I/O. A
 * column is written front to back through a bare pointer: the shared ones have room for the longest
 * block, the others make room before each value.
 */
#include "collector/format/block.h"

#include <stdlib.h>

#include "collector/format/error.h"
#include "collector/format/heap_trail.h"
#include "collector/format/kind_table.h"
#include "collector/format/layout.h"

#define HEADROOM (FRAME_HEADER_BYTES + FRAME_KINDS_MAX * (1 + CODEC_VARINT_MAX))
#define CUT_BYTES 4096u     /* columns shorter than this share their statistics with the next */
#define COLUMN_SLACK 16u    /* a value is stored as a whole word, then cut to its length */
#define TEXT_MAX (1u << 20) /* bytes of one text */
#define BLOCK_HEAD_MAX (3 * CODEC_VARINT_MAX)
#define DIRECTORY_MAX(columns) (BLOCK_HEAD_MAX + (columns) * 2 * CODEC_VARINT_MAX)
#define FIELD_BYTES_MAX (CODEC_VARINT_MAX + 1)
#define RECORD_BYTES_MAX (EVT_FIELDS_MAX * FIELD_BYTES_MAX + 2 * CODEC_VARINT_MAX)
#define CUTS_MAX (FRAME_BYTES_MAX / CUT_BYTES + 1)

struct column {
	uint8_t *start;
	uint8_t *at;
	uint8_t *end;
};

struct frame_writer {
	/* the open block */
	uint32_t stream;
	uint32_t count;
	uint32_t limit; /* records it may have */
	uint64_t last_ns;
	struct column shared[COLUMN_SHARED];
	struct column field[EVT_ID_LIMIT][EVT_FIELDS_MAX];
	uint64_t last_address[EVT_ID_LIMIT][EVT_FIELDS_MAX]; /* of addr fields */
	uint16_t used[EVT_ID_LIMIT * EVT_FIELDS_MAX]; /* columns of `field` that hold something */
	uint32_t used_count;
	struct heap_trail births;
	struct heap_trail deaths;

	/* the frame */
	struct kind_table kinds;
	uint64_t records;
	uint8_t *bytes; /* HEADROOM, then finished blocks */
	size_t length;  /* of the blocks */
	size_t room;
	size_t cut[CUTS_MAX]; /* from the first block on; shifted when the frame is closed */
	size_t cut_count;
	bool closed;
};

/* Bytes that the longest value of a shared column takes. */
static const uint8_t shared_bytes_max[COLUMN_SHARED] = {
	[COLUMN_KIND] = 3,
	[COLUMN_TIME] = CODEC_VARINT_MAX,
	[COLUMN_BORN] = 2,
	[COLUMN_BORN_ADDRESS] = TRAIL_FAR_MAX,
	[COLUMN_DIES] = 2,
	[COLUMN_DIES_ADDRESS] = TRAIL_FAR_MAX,
	[COLUMN_SIZE] = CODEC_VARINT_MAX,
};

_Static_assert(HEAP_WINDOW + TRAIL_NEAR < 1u << 14, "a trail code takes two bytes");
_Static_assert(FRAME_KINDS_MAX <= 1u << 21, "a kind takes three bytes");

static int column_init(struct column *column, size_t room)
{
	column->start = malloc(room);
	column->at = column->start;
	column->end = column->start + room;
	return column->start ? 0 : EVT_NO_MEMORY;
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

struct frame_writer *frame_writer_new(void)
{
	struct frame_writer *fw = calloc(1, sizeof(*fw));
	int error;

	if (!fw)
		return NULL;
	error = kind_table_init(&fw->kinds);
	for (unsigned int i = 0; i < COLUMN_SHARED; i++) {
		/* born, dies and size may stand in any field of an event */
		size_t values = i <= COLUMN_TIME ? 1 : EVT_FIELDS_MAX;

		error |= column_init(&fw->shared[i],
				     values * shared_bytes_max[i] * BLOCK_RECORDS_MAX + COLUMN_SLACK);
	}
	fw->room = HEADROOM + 2 * FRAME_BYTES_FULL;
	fw->bytes = malloc(fw->room);
	if (error || !fw->bytes) {
		frame_writer_free(fw);
		return NULL;
	}
	return fw;
}

void frame_writer_free(struct frame_writer *fw)
{
	if (!fw)
		return;
	kind_table_release(&fw->kinds);
	for (unsigned int i = 0; i < COLUMN_SHARED; i++)
		free(fw->shared[i].start);
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		for (unsigned int i = 0; i < EVT_FIELDS_MAX; i++)
			free(fw->field[id][i].start);
	}
	free(fw->bytes);
	free(fw);
}

static void frame_begin(struct frame_writer *fw)
{
	fw->closed = false;
	fw->records = 0;
	fw->length = 0;
	fw->cut_count = 0;
	kind_table_reset(&fw->kinds);
}

/* Bytes of the open block, but for its directory. */
static size_t block_bytes(const struct frame_writer *fw)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < COLUMN_SHARED; i++)
		bytes += (size_t)(fw->shared[i].at - fw->shared[i].start);
	for (unsigned int i = 0; i < fw->used_count; i++) {
		const struct column *column = &fw->field[0][fw->used[i]];

		bytes += (size_t)(column->at - column->start);
	}
	return bytes;
}

static void block_clear(struct frame_writer *fw)
{
	for (unsigned int i = 0; i < COLUMN_SHARED; i++)
		fw->shared[i].at = fw->shared[i].start;
	for (unsigned int i = 0; i < fw->used_count; i++)
		fw->field[0][fw->used[i]].at = fw->field[0][fw->used[i]].start;
	fw->used_count = 0;
	fw->count = 0;
	fw->limit = 0;
}

void frame_begin_block(struct frame_writer *fw, uint32_t stream)
{
	size_t left;

	if (fw->closed)
		frame_begin(fw);
	block_clear(fw);
	fw->stream = stream;
	fw->last_ns = 0;
	trail_begin(&fw->births);
	trail_begin(&fw->deaths);
	left = FRAME_BYTES_MAX - HEADROOM - DIRECTORY_MAX(COLUMN_LIMIT) - fw->length;
	left = fw->length < FRAME_BYTES_MAX / 2 ? left / RECORD_BYTES_MAX : 0;
	fw->limit = left < BLOCK_RECORDS_MAX ? (uint32_t)left : BLOCK_RECORDS_MAX;
}

size_t frame_block_room(const struct frame_writer *fw)
{
	size_t kinds = FRAME_KINDS_MAX - fw->kinds.count;
	size_t records = fw->limit - fw->count;

	return records < kinds ? records : kinds;
}

size_t frame_bytes(const struct frame_writer *fw)
{
	size_t bytes = fw->closed ? 0 : FRAME_HEADER_BYTES + fw->kinds.length + fw->length + block_bytes(fw);

	if (!fw->closed && fw->kinds.count >= FRAME_KINDS_MAX && bytes < FRAME_BYTES_FULL)
		bytes = FRAME_BYTES_FULL;
	return bytes;
}

uint64_t frame_records(const struct frame_writer *fw)
{
	return fw->closed ? 0 : fw->records + fw->count;
}

/* A value below 2^14, one or two bytes, without a branch that cannot be foreseen. */
static inline void column_put_short(struct column *column, uint64_t value)
{
	uint64_t two = value >= 0x80;
	uint16_t bytes = (uint16_t)((value & 0x7f) | two << 7 | (value >> 7) << 8);

	memcpy(column->at, &bytes, sizeof(bytes));
	column->at += 1 + two;
}

static inline void column_put(struct column *column, uint64_t value)
{
	if (__builtin_expect(value < 0x4000, 1))
		column_put_short(column, value);
	else
		column->at = put_varint(column->at, value);
}

/*
 * A birth names a death and a death a birth. Whether it can is as good as random, so both ways are
 * computed and one is kept.
 */
static inline void frame_put_heap(struct frame_writer *fw, enum column_key key, struct heap_trail *own,
				  const struct heap_trail *named, uint64_t address)
{
	struct column *far_bytes = &fw->shared[key + 1];
	uint64_t ago = trail_find(named, address);
	uint64_t far = address_code(address, own->last_far);
	uint64_t length = (71 - (uint64_t)__builtin_clzll(far | 1)) / 8;
	uint64_t is_far = (uint64_t)(ago != 0) - 1; /* all bits or none */

	__asm__("" : "+r"(is_far)); /* or the compiler makes a branch of it after all */
	memcpy(far_bytes->at, &far, sizeof(far));
	far_bytes->at += length & is_far;
	own->last_far ^= (own->last_far ^ address) & is_far;
	column_put_short(&fw->shared[key], ((ago + TRAIL_NEAR) & ~is_far) | ((length - 1) & is_far));
	trail_add(own, address);
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
static inline struct kind *frame_put_head(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t caller)
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
	column_put(&fw->shared[COLUMN_TIME], time_ns - fw->last_ns);
	fw->last_ns = time_ns;
	fw->count++;
	return kind;
}

int frame_put_born(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr, uint64_t size,
		   uint64_t caller)
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

static void frame_put_own(struct frame_writer *fw, uint32_t id, uint32_t field, const uint64_t *word)
{
	enum evt_codec codec = evt_descriptors[id].field[field].codec;
	struct column *column = &fw->field[id][field];
	uint64_t *last = &fw->last_address[id][field];

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

static void frame_put_field(struct frame_writer *fw, struct kind *kind, uint32_t field, const uint64_t *word)
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
		if (column_grow(&fw->field[id][i], bytes) != 0)
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

static int frame_make_bytes(struct frame_writer *fw, size_t bytes)
{
	size_t room = fw->room;
	uint8_t *grown;

	while (room - HEADROOM - fw->length < bytes)
		room *= 2;
	if (room == fw->room)
		return 0;
	grown = realloc(fw->bytes, room);
	if (!grown)
		return EVT_NO_MEMORY;
	fw->bytes = grown;
	fw->room = room;
	return 0;
}

/* The columns of the block that hold something, in the order of the file. */
static uint32_t block_list(struct frame_writer *fw, const struct column **list, uint32_t *keys)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < COLUMN_SHARED; i++) {
		if (fw->shared[i].at == fw->shared[i].start)
			continue;
		list[count] = &fw->shared[i];
		keys[count++] = i;
	}
	for (uint32_t i = 0; i < fw->used_count; i++) {
		list[count] = &fw->field[0][fw->used[i]];
		keys[count++] = column_of_field(fw->used[i] / EVT_FIELDS_MAX, fw->used[i] % EVT_FIELDS_MAX);
	}
	return count;
}

static uint8_t *frame_copy_column(struct frame_writer *fw, uint8_t *at, const struct column *column)
{
	size_t length = (size_t)(column->at - column->start);
	size_t last = fw->cut_count ? fw->cut[fw->cut_count - 1] : 0;
	size_t end;

	memcpy(at, column->start, length);
	end = (size_t)(at + length - fw->bytes) - HEADROOM;
	if (length >= CUT_BYTES && end - last >= CUT_BYTES && fw->cut_count < CUTS_MAX)
		fw->cut[fw->cut_count++] = end;
	return at + length;
}

int frame_end_block(struct frame_writer *fw)
{
	const struct column *list[COLUMN_SHARED + EVT_ID_LIMIT * EVT_FIELDS_MAX];
	uint32_t keys[COLUMN_SHARED + EVT_ID_LIMIT * EVT_FIELDS_MAX];
	uint32_t count;
	uint8_t *at;
	int error;

	if (fw->count == 0) {
		block_clear(fw);
		return 0;
	}
	count = block_list(fw, list, keys);
	error = frame_make_bytes(fw, DIRECTORY_MAX(count) + block_bytes(fw));
	if (error)
		return error;
	at = fw->bytes + HEADROOM + fw->length;
	at = put_varint(at, fw->stream);
	at = put_varint(at, fw->count);
	at = put_varint(at, count);
	for (uint32_t i = 0; i < count; i++) {
		at = put_varint(at, keys[i]);
		at = put_varint(at, (uint64_t)(list[i]->at - list[i]->start));
	}
	for (uint32_t i = 0; i < count; i++)
		at = frame_copy_column(fw, at, list[i]);
	fw->length = (size_t)(at - fw->bytes) - HEADROOM;
	fw->records += fw->count;
	block_clear(fw);
	return 0;
}

int frame_close(struct frame_writer *fw, struct frame_info info, struct frame_image *ret_image)
{
	uint8_t *first = fw->bytes + HEADROOM - fw->kinds.length;
	uint8_t *start = first - FRAME_HEADER_BYTES;
	uint8_t *at = start;
	size_t moved = (size_t)(fw->bytes + HEADROOM - start);

	if (fw->closed || fw->count)
		return EVT_CORRUPT;
	at = put_u32(at, FRAME_TAG_DATA);
	at = put_u32(at, FRAME_HEADER_BYTES);
	at = put_u64(at, info.sequence);
	at = put_u64(at, info.watermark_ns);
	at = put_u64(at, info.sync_tsc);
	at = put_u64(at, info.sync_mono_ns);
	at = put_u64(at, info.sync_real_ns);
	at = put_u64(at, fw->records);
	at = put_u32(at, fw->kinds.count);
	put_u32(at, (uint32_t)fw->kinds.length);
	memcpy(first, fw->kinds.bytes, fw->kinds.length);
	for (size_t i = 0; i < fw->cut_count; i++)
		fw->cut[i] += moved;
	fw->closed = true;
	*ret_image = (struct frame_image){ start, moved + fw->length, fw->cut, fw->cut_count };
	return 0;
}
