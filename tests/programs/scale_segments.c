/* SPDX-License-Identifier: MIT */
/* build: collector/format/segment.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: scale_segments FILE BYTES OUTPUT
 * Writes a long recording: the header, the schema and the first segments of FILE, then copies of
 * its last but one segment, each later by its length, until OUTPUT has BYTES. What repeats is as
 * in FILE, so numbers of steps do, too. FILE must have an index of three segments or more, and no
 * symbols.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/format/block.h"
#include "collector/format/codec.h"
#include "collector/format/layout.h"
#include "collector/format/segment.h"

#define CONTENT_MAX (32u << 20)
#define COLUMNS_MAX 4096u
#define LEVEL 1
#define ZSTD_MAGIC 0xFD2FB528u
#define HEAD_SEQUENCE 8u /* offsets in a frame's content */
#define HEAD_WATERMARK 16u
#define HEAD_TSC 24u
#define HEAD_KINDS 56u
#define HEAD_NODES 64u

struct later {
	uint64_t ns, ticks, frames; /* how much later, and by how many frames */
};

static struct file_header header;
static const uint8_t *input;
static size_t input_length;
static struct segment_entry *entry;
static size_t entries;
static uint64_t index_at;

static FILE *output;
static uint64_t written;
static struct seek_entry *seek;
static size_t seeks, seek_room;
static uint8_t *content, *shifted, *packed;
static ZSTD_CCtx *packs;

static void fail(const char *why)
{
	fprintf(stderr, "scale_segments: %s\n", why);
	exit(1);
}

static void put(const void *bytes, size_t length)
{
	if (fwrite(bytes, 1, length, output) != length)
		fail("cannot write");
	written += length;
}

static void *room(size_t length)
{
	void *bytes = malloc(length);

	return bytes ? bytes : (fail("no memory"), NULL);
}

/* --- the content of a frame, later --- */

/* Whether the time of the first record of the block is in the column of the heap. */
static bool is_heap_time(const uint32_t *event_of_kind, uint64_t kinds, uint64_t first_kind)
{
	const struct evt_descriptor *event;

	if (first_kind >= kinds || event_of_kind[first_kind] >= EVT_ID_LIMIT)
		fail("a kind that is not known");
	event = &evt_descriptors[event_of_kind[first_kind]];
	for (unsigned int i = 0; i < event->field_count; i++)
		if (codec_is_timed_in_units(event->field[i].codec))
			return true;
	return false;
}

struct column {
	uint64_t key, length;
	const uint8_t *at;
};

static uint8_t *put_column(uint8_t *at, const struct column *column, uint64_t more)
{
	struct cursor c = cursor_of(column->at, column->length);
	uint64_t first = more ? get_varint(&c) + more : 0;

	if (more)
		at = put_varint(at, first);
	memcpy(at, c.at, (size_t)(c.end - c.at));
	return at + (c.end - c.at);
}

static uint64_t varint_length(uint64_t value)
{
	uint8_t bytes[CODEC_VARINT_MAX];

	return (uint64_t)(put_varint(bytes, value) - bytes);
}

static uint8_t *shift_block(uint8_t *at, struct cursor *c, const uint32_t *event_of_kind,
			    uint64_t kinds, uint64_t ns)
{
	static struct column column[COLUMNS_MAX];
	uint64_t stream = get_varint(c), records = get_varint(c), columns = get_varint(c);
	uint64_t first_kind = 0, key, more;

	if (columns > COLUMNS_MAX || c->failed)
		fail("a block with too many columns");
	for (uint64_t i = 0; i < columns; i++) {
		column[i].key = get_varint(c);
		column[i].length = get_varint(c);
	}
	for (uint64_t i = 0; i < columns; i++) {
		struct cursor kind;

		column[i].at = c->at;
		if (c->failed || column[i].length > (uint64_t)(c->end - c->at))
			fail("a column that is too long");
		c->at += column[i].length;
		kind = cursor_of(column[i].at, column[i].length);
		if (column[i].key == COLUMN_KIND)
			first_kind = get_varint(&kind);
	}
	key = is_heap_time(event_of_kind, kinds, first_kind) ? COLUMN_HEAP_TIME : COLUMN_TIME;
	for (uint64_t i = 0; i < columns && key == COLUMN_HEAP_TIME; i++)
		if (column[i].key == COLUMN_HEAP_TIME)
			break;
		else if (i + 1 == columns)
			key = COLUMN_TIME;
	more = key == COLUMN_TIME ? ns : ns / HEAP_TIME_UNIT;
	at = put_varint(put_varint(put_varint(at, stream), records), columns);
	for (uint64_t i = 0; i < columns; i++) {
		struct cursor first = cursor_of(column[i].at, column[i].length);
		uint64_t value = get_varint(&first), length = column[i].length;

		if (column[i].key == key)
			length += varint_length(value + more) - varint_length(value);
		at = put_varint(put_varint(at, column[i].key), length);
	}
	for (uint64_t i = 0; i < columns; i++)
		at = put_column(at, &column[i], column[i].key == key ? more : 0);
	return at;
}

/* Returns the number of kinds, whose events are filled in. */
static uint64_t read_kinds(const uint8_t *bytes, size_t length, uint64_t count, bool has_stacks,
			   uint32_t **ret_event)
{
	struct cursor c = cursor_of(bytes, length);
	uint32_t *event = room((count + 1) * sizeof(*event));

	for (uint64_t i = 0; i < count; i++) {
		const struct evt_descriptor *descriptor;
		uint64_t stack = 0;
		bool has_caller = false;

		event[i] = (uint32_t)get_varint(&c);
		if (c.failed || event[i] >= EVT_ID_LIMIT || !evt_descriptors[event[i]].name)
			fail("an event that is not known");
		descriptor = &evt_descriptors[event[i]];
		for (unsigned int j = 0; j < descriptor->field_count; j++)
			has_caller |= descriptor->field[j].codec == EVT_CODEC_caller;
		if (has_stacks)
			stack = get_varint(&c);
		if (has_caller && !stack)
			(void)get_varint(&c);
	}
	*ret_event = event;
	return count;
}

static uint64_t word_at(const uint8_t *bytes, size_t at, size_t length)
{
	uint64_t word = 0;

	memcpy(&word, bytes + at, length);
	return word;
}

static void add_at(uint8_t *bytes, size_t at, uint64_t more)
{
	uint64_t word = word_at(bytes, at, 8) + more;

	memcpy(bytes + at, &word, sizeof(word));
}

/* Returns the length of what is in `shifted`. */
static size_t shift_content(size_t length, struct later later)
{
	size_t head = word_at(content, 4, 4), kind_bytes = word_at(content, 60, 4), tables;
	uint64_t nodes = head > HEAD_NODES ? word_at(content, HEAD_NODES, 4) : 0;
	struct cursor c;
	uint32_t *event;
	uint64_t kinds;
	uint8_t *at;

	tables = head + kind_bytes + (head > HEAD_NODES ? word_at(content, HEAD_NODES + 4, 4) : 0);
	kinds = read_kinds(content + head, kind_bytes, word_at(content, HEAD_KINDS, 4), nodes,
			   &event);
	memcpy(shifted, content, tables);
	add_at(shifted, HEAD_SEQUENCE, later.frames);
	add_at(shifted, HEAD_WATERMARK, later.ns);
	if (word_at(content, HEAD_TSC, 8)) /* three clocks; a state has none */
		for (size_t i = 0; i < 3; i++)
			add_at(shifted, HEAD_TSC + i * 8, i ? later.ns : later.ticks);
	at = shifted + tables;
	c = cursor_of(content + tables, length - tables);
	while (c.at < c.end && !c.failed)
		at = shift_block(at, &c, event, kinds, later.ns);
	free(event);
	return (size_t)(at - shifted);
}

/* Packs the zstd frame at `bytes`, later, into `packed`. Returns its length. */
static size_t shift_frame(const uint8_t *bytes, size_t length, struct later later,
			  size_t *ret_content)
{
	size_t done = ZSTD_decompress(content, CONTENT_MAX, bytes, length);

	if (ZSTD_isError(done))
		fail("a frame that is damaged");
	*ret_content = shift_content(done, later);
	done = ZSTD_compress2(packs, packed, ZSTD_compressBound(CONTENT_MAX), shifted,
			      *ret_content);
	if (ZSTD_isError(done))
		fail("cannot compress");
	return done;
}

/* --- the file --- */

static void note_frame(size_t compressed, size_t uncompressed)
{
	if (seeks == seek_room) {
		seek_room = seek_room ? seek_room * 2 : 1024;
		seek = realloc(seek, seek_room * sizeof(*seek));
		if (!seek)
			fail("no memory");
	}
	seek[seeks++] = (struct seek_entry){ (uint32_t)compressed, (uint32_t)uncompressed };
}

/* The digest of the segment, behind the head of the next one. */
static void put_digest(const uint8_t *digest, uint64_t number, struct later later)
{
	uint8_t head[SEGMENT_DIGEST_HEAD];
	size_t length, content_length;
	uint64_t of;

	if (segment_digest_read(digest, SEGMENT_DIGEST_HEAD, &of, &length))
		fail("a segment without a digest");
	length = shift_frame(digest + SEGMENT_DIGEST_HEAD, length, later, &content_length);
	segment_digest_write(head, number, length);
	put(head, sizeof(head));
	put(packed, length);
}

/* The state and all frames of the segment. */
static void put_frames(const uint8_t *at, const uint8_t *end, struct later later)
{
	while (at < end) {
		size_t length, content_length;

		if (word_at(at, 0, 4) != ZSTD_MAGIC) {
			at += FILE_SKIPPABLE_HEAD + word_at(at, 4, 4);
			continue;
		}
		length = ZSTD_findFrameCompressedSize(at, (size_t)(end - at));
		if (ZSTD_isError(length))
			fail("a frame that is cut");
		at += length;
		length = shift_frame(at - length, length, later, &content_length);
		put(packed, length);
		note_frame(length, content_length);
	}
}

static void read_index(void)
{
	uint64_t end = input_length - file_seek_length(word_at(input, input_length - 9, 4)) -
		       FILE_END_BYTES;
	size_t length = segment_index_find(input + end - SEGMENT_INDEX_FOOT);

	if (!length)
		fail("no index");
	entries = (length - segment_index_length(0)) / sizeof(*entry);
	entry = room(entries * sizeof(*entry));
	index_at = end - length;
	if (segment_index_read(input + index_at, length, entry, entries) || entries < 3)
		fail("three segments are needed");
}

static uint64_t offset_of(size_t i)
{
	return index_at - entry[i].back;
}

/* Copies what precedes the last segment. */
static void put_first(void)
{
	uint64_t end = offset_of(entries - 1);

	put(input, end);
	for (const uint8_t *at = input; at < input + end;) {
		size_t length = FILE_SKIPPABLE_HEAD + word_at(at, 4, 4);

		if (word_at(at, 0, 4) == ZSTD_MAGIC) {
			length = ZSTD_findFrameCompressedSize(at, (size_t)(input + end - at));
			note_frame(length, ZSTD_getFrameContentSize(at, length));
		}
		at += length;
	}
}

static void write_head(const struct segment_entry *of)
{
	uint8_t bytes[SEGMENT_HEAD_BYTES];

	if (fseeko(output, (off_t)of->back, SEEK_SET) ||
	    fwrite(bytes, segment_head_write(bytes, &of->head), 1, output) != 1 ||
	    fseeko(output, 0, SEEK_END))
		fail("cannot write a head");
}

/* Heads are written with `back` from the start of the file; the index turns that round. */
static struct segment_entry *copies;
static size_t copied;

static struct later later_by(uint64_t copies_before, uint64_t step_ns)
{
	uint64_t ns = copies_before * step_ns;

	return (struct later){ ns, (uint64_t)((double)ns * (double)header.tsc_hz / 1e9),
			       copies_before * entry[entries - 2].head.own_frames };
}

static void put_copy(uint64_t number, uint64_t step_ns)
{
	const struct segment_head *head = &entry[entries - 2].head;
	const uint8_t *at = input + offset_of(entries - 2), *end = at + head->bytes;
	struct segment_entry *copy = &copies[copied], *before = copy - 1;
	struct later later = later_by(number, step_ns), of_before = later_by(number - 1, step_ns);
	uint8_t pad[SEGMENT_PAGE * 2] = { 0 };
	size_t length = segment_pad_bytes(written, SEGMENT_HEAD_BYTES, false);

	put(pad, length ? segment_pad_write(pad, length) : 0);
	before->head.bytes = written - before->back;
	write_head(before);
	*copy = (struct segment_entry){ written, *head };
	copy->head.number = before->head.number + 1;
	copy->head.sequence = before->head.sequence + before->head.own_frames;
	copy->head.begin_ns = before->head.end_ns;
	copy->head.frames = before->head.frames + before->head.own_frames;
	copy->head.records = before->head.records + before->head.own_records;
	copy->head.end_ns = head->end_ns + later.ns;
	copied++;
	put(pad, SEGMENT_HEAD_BYTES);
	put_digest(input + offset_of(entries - 1) + SEGMENT_HEAD_BYTES, before->head.number,
		   of_before);
	at += SEGMENT_HEAD_BYTES;
	put_frames(at, end, later);
}

static void put_end(uint64_t step_ns)
{
	const struct segment_head *last;
	uint64_t number = copied - (entries - 1);
	uint8_t bytes[FILE_END_BYTES], *table;
	struct file_end end = { 0 };

	last = &copies[copied - 1].head;
	copies[copied - 1].head.bytes = written - copies[copied - 1].back;
	write_head(&copies[copied - 1]);
	put_digest(input + offset_of(entries - 1) + SEGMENT_HEAD_BYTES, last->number,
		   later_by(number, step_ns));
	for (size_t i = 0; i < copied; i++)
		copies[i].back = written - copies[i].back;
	table = room(segment_index_length(copied) + file_seek_length(seeks));
	put(table, segment_index_write(table, copies, copied));
	end.frames = last->frames + last->own_frames;
	end.records = last->records + last->own_records;
	end.end_ns = last->end_ns;
	put(bytes, file_end_write(bytes, &end));
	put(table, file_seek_write(table, seek, seeks));
	free(table);
}

static void read_input(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	size_t length;

	if (fd < 0 || fstat(fd, &status))
		fail("cannot open the file");
	input_length = (size_t)status.st_size;
	input = mmap(NULL, input_length, PROT_READ, MAP_PRIVATE, fd, 0);
	if (input == MAP_FAILED)
		fail("cannot map the file");
	close(fd);
	if (file_header_read(input, input_length, &header, &length))
		fail("not a recording");
	read_index();
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc == 4 ? strtoull(argv[2], NULL, 10) : 0, number = 1, step_ns;

	if (!bytes)
		fail("usage: scale_segments FILE BYTES OUTPUT");
	read_input(argv[1]);
	output = fopen(argv[3], "wb");
	packs = ZSTD_createCCtx();
	content = room(CONTENT_MAX);
	shifted = room(CONTENT_MAX);
	packed = room(ZSTD_compressBound(CONTENT_MAX));
	copies = room(SEGMENT_INDEX_MAX * sizeof(*copies));
	if (!output || !packs)
		fail("cannot open the output");
	ZSTD_CCtx_setParameter(packs, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(packs, ZSTD_c_checksumFlag, 1);
	put_first();
	for (size_t i = 0; i + 1 < entries; i++)
		copies[copied++] = (struct segment_entry){ offset_of(i), entry[i].head };
	step_ns = entry[entries - 2].head.end_ns - entry[entries - 2].head.begin_ns;
	step_ns = (step_ns + HEAP_TIME_UNIT - 1) / HEAP_TIME_UNIT * HEAP_TIME_UNIT;
	while (written < bytes && copied < SEGMENT_INDEX_MAX)
		put_copy(number++, step_ns);
	put_end(step_ns);
	return fclose(output) ? 1 : 0;
}
