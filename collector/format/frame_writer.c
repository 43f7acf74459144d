/* SPDX-License-Identifier: MIT */
/*
 * The life of a frame: memory, begin and end of blocks, the finished bytes. No compression and no
 * I/O. block_writer.c puts the records in.
 */
#include "collector/format/block.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/frame_writer.h"

#define HEADROOM                                                        \
	(FRAME_HEADER_STACKS_BYTES + FRAME_KINDS_MAX * KIND_BYTES_MAX + \
	 FRAME_NODES_MAX * STACK_NODE_BYTES_MAX)
/*
 * A frame with stacks may be larger by this many bytes per node, so that more records share the
 * table, which is written into every frame.
 */
#define NODE_BYTES 32u
#define NODES_BYTES_MAX (1u << 20)
#define BLOCK_HEAD_MAX (3 * CODEC_VARINT_MAX)
#define DIRECTORY_MAX(columns) (BLOCK_HEAD_MAX + (columns)*2 * CODEC_VARINT_MAX)

/* Length of the longest value of each shared column. */
static const uint8_t shared_bytes_max[COLUMN_SHARED] = {
	[COLUMN_KIND] = 3,
	[COLUMN_TIME] = CODEC_VARINT_MAX,
	[COLUMN_BORN] = 2,
	[COLUMN_BORN_ADDRESS] = TRAIL_FAR_MAX,
	[COLUMN_DIES] = 2,
	[COLUMN_DIES_ADDRESS] = TRAIL_FAR_MAX,
	[COLUMN_SIZE] = CODEC_VARINT_MAX,
	[COLUMN_HEAP_TIME] = CODEC_VARINT_MAX,
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

/* A record may have several values in these columns, one per field. */
static bool column_is_of_fields(uint32_t key)
{
	return key != COLUMN_KIND && key != COLUMN_TIME && key != COLUMN_HEAP_TIME;
}

struct frame_writer *frame_writer_new(void)
{
	struct frame_writer *fw = calloc(1, sizeof(*fw));
	int error;

	if (!fw)
		return NULL;
	frame_writer_sort_events(fw);
	error = kind_table_init(&fw->kinds);
	for (unsigned int i = 0; i < COLUMN_SHARED; i++) {
		/* born, dies and size may be any field of an event */
		size_t values = column_is_of_fields(i) ? EVT_FIELDS_MAX : 1;

		error |= column_init(&fw->shared[i],
				     values * shared_bytes_max[i] * BLOCK_RECORDS_MAX +
					     COLUMN_SLACK);
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
	for (unsigned int i = 0; i < WRITER_FIELDS; i++)
		free(fw->field[i].start);
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

/* Bytes of the open block without its directory. */
static size_t block_bytes(const struct frame_writer *fw)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < COLUMN_SHARED; i++)
		bytes += (size_t)(fw->shared[i].at - fw->shared[i].start);
	for (unsigned int i = 0; i < fw->used_count; i++) {
		const struct column *column = &fw->field[fw->used[i]];

		bytes += (size_t)(column->at - column->start);
	}
	return bytes;
}

static void block_clear(struct frame_writer *fw)
{
	for (unsigned int i = 0; i < COLUMN_SHARED; i++)
		fw->shared[i].at = fw->shared[i].start;
	for (unsigned int i = 0; i < fw->used_count; i++)
		fw->field[fw->used[i]].at = fw->field[fw->used[i]].start;
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
	trail_begin(&fw->trail);
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

static size_t nodes_bytes(const struct frame_writer *fw)
{
	size_t bytes = (size_t)stack_table_nodes(&fw->kinds.stacks) * NODE_BYTES;

	return bytes < NODES_BYTES_MAX ? bytes : NODES_BYTES_MAX;
}

size_t frame_bytes(const struct frame_writer *fw)
{
	size_t bytes = fw->closed ? 0
				  : FRAME_HEADER_BYTES + fw->kinds.length + fw->length +
					    block_bytes(fw);
	size_t nodes = fw->closed ? 0 : nodes_bytes(fw);

	bytes -= nodes < bytes ? nodes : bytes;

	if (!fw->closed && fw->kinds.count >= FRAME_KINDS_MAX && bytes < FRAME_BYTES_FULL)
		bytes = FRAME_BYTES_FULL;
	return bytes;
}

uint64_t frame_families(const struct frame_writer *fw)
{
	const struct kind_table *kinds = &fw->kinds;
	uint64_t families = 0;

	for (uint64_t i = 0; !fw->closed && i < 1ull << (64 - kinds->shift); i++) {
		const struct kind *kind = &kinds->slot[i];
		const struct evt_descriptor *event = &evt_descriptors[kind->tag % EVT_ID_LIMIT];

		if (kind->tag / EVT_ID_LIMIT == kinds->turn && event->name)
			families |= 1ull << event->family;
	}
	return families;
}

bool frame_has_families(const struct frame_writer *fw, uint32_t families)
{
	return frame_families(fw) & families;
}

uint64_t frame_records(const struct frame_writer *fw)
{
	return fw->closed ? 0 : fw->records + fw->count;
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

/* Lists the columns of the block that are not empty, in the order of the file. */
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
		list[count] = &fw->field[fw->used[i]];
		keys[count++] = column_of_field(evt_numbers[fw->used[i] / EVT_FIELDS_MAX],
						fw->used[i] % EVT_FIELDS_MAX);
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
	const struct column *list[COLUMN_SHARED + WRITER_FIELDS];
	uint32_t keys[COLUMN_SHARED + WRITER_FIELDS];
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

void frame_define_stack(struct frame_writer *fw, uint64_t id, uint64_t parent, uint64_t address,
			uint32_t flags)
{
	stack_table_define(&fw->kinds.stacks, id, parent, address, flags);
}

struct stack_table *frame_stacks(struct frame_writer *fw)
{
	return &fw->kinds.stacks;
}

bool frame_has_open_stacks(const struct frame_writer *fw)
{
	return !fw->closed && fw->kinds.open_count;
}

struct frame_stack_losses frame_settle_stacks(struct frame_writer *fw)
{
	struct stack_table *stacks = &fw->kinds.stacks;
	struct frame_stack_losses losses;

	if (!fw->closed)
		kind_table_settle(&fw->kinds);
	losses = (struct frame_stack_losses){ stacks->cuts, stacks->clashes };
	stacks->cuts = stacks->clashes = 0;
	return losses;
}

/*
 * The bytes of the stack table are written at the start of the headroom, then moved to their place.
 * Returns their number.
 */
static size_t frame_write_stacks(struct frame_writer *fw)
{
	size_t length = (size_t)(stack_table_write(&fw->kinds.stacks, fw->bytes) - fw->bytes);

	memmove(fw->bytes + HEADROOM - length, fw->bytes, length);
	return length;
}

void frame_image_set_tag(struct frame_writer *fw, const struct frame_image *image, uint32_t tag)
{
	put_u32(fw->bytes + (image->bytes - fw->bytes), tag);
}

int frame_close(struct frame_writer *fw, struct frame_info info, struct frame_image *ret_image)
{
	uint32_t nodes, head = FRAME_HEADER_BYTES;
	uint8_t *first, *start, *at;
	size_t moved, stack_bytes;

	if (fw->closed || fw->count)
		return EVT_CORRUPT;
	kind_table_settle(&fw->kinds);
	kind_table_write(&fw->kinds);
	nodes = stack_table_nodes(&fw->kinds.stacks);
	if (nodes)
		head = FRAME_HEADER_STACKS_BYTES;
	stack_bytes = frame_write_stacks(fw);
	first = fw->bytes + HEADROOM - stack_bytes - fw->kinds.length;
	at = start = first - head;
	moved = (size_t)(fw->bytes + HEADROOM - start);
	at = put_u32(at, FRAME_TAG_DATA);
	at = put_u32(at, head);
	at = put_u64(at, info.sequence);
	at = put_u64(at, info.watermark_ns);
	at = put_u64(at, info.sync_tsc);
	at = put_u64(at, info.sync_mono_ns);
	at = put_u64(at, info.sync_real_ns);
	at = put_u64(at, fw->records);
	at = put_u32(at, fw->kinds.count);
	at = put_u32(at, (uint32_t)fw->kinds.length);
	if (head > FRAME_HEADER_BYTES)
		put_u32(put_u32(at, nodes), (uint32_t)stack_bytes);
	memcpy(first, fw->kinds.bytes, fw->kinds.length);
	for (size_t i = 0; i < fw->cut_count; i++)
		fw->cut[i] += moved;
	fw->closed = true;
	*ret_image = (struct frame_image){ start, moved + fw->length, fw->cut, fw->cut_count };
	return 0;
}
