/* SPDX-License-Identifier: MIT */
/*
 * A recording in memory, made by the collector's own writer, for tests of what reads it.
 */
#ifndef TESTS_UNIT_RECORDING_H
#define TESTS_UNIT_RECORDING_H

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "collector/format/block.h"
#include "collector/format/file.h"
#include "collector/format/stack_table.h"

#ifndef RECORDING_FRAMES_MAX
#define RECORDING_FRAMES_MAX 64u
#endif

struct recording {
	uint8_t *bytes;
	size_t length;
	struct seek_entry seek[RECORDING_FRAMES_MAX];
	size_t seek_count;
	size_t frame_offset[RECORDING_FRAMES_MAX]; /* of data frame 1, 2, ... at [1], [2], ... */
	uint64_t sequence, records;
	struct frame_writer *fw;
};

static inline void recording_append(struct recording *r, const void *bytes, size_t length)
{
	r->bytes = realloc(r->bytes, r->length + length);
	memcpy(r->bytes + r->length, bytes, length);
	r->length += length;
}

static inline void recording_append_frame(struct recording *r, const void *bytes, size_t length)
{
	size_t room = ZSTD_compressBound(length), compressed;
	uint8_t *out = malloc(room);
	ZSTD_CCtx *context = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	compressed = ZSTD_compress2(context, out, room, bytes, length);
	recording_append(r, out, compressed);
	r->seek[r->seek_count++] = (struct seek_entry){ (uint32_t)compressed, (uint32_t)length };
	ZSTD_freeCCtx(context);
	free(out);
}

/* Nothing but the header. */
static inline void recording_start_bare(struct recording *r, const struct file_header *header)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];

	memset(r, 0, sizeof(*r));
	recording_append(r, bytes, file_header_write(bytes, header));
}

static inline void recording_start(struct recording *r, const struct file_header *header)
{
	uint8_t *schema = malloc(SCHEMA_BYTES_MAX);

	recording_start_bare(r, header);
	recording_append_frame(r, schema, schema_write(schema, SCHEMA_BYTES_MAX));
	free(schema);
	r->fw = frame_writer_new();
}

/*
 * The id of a stack, for frame_put_stack(), or for STACK_WORD | id as the caller of an allocation:
 * a frame at `address` that the stack `parent` called, 0 for the outermost one. The same frame has
 * the same id each time. Flags: FRAME_IS_...
 */
static inline uint64_t recording_stack(struct recording *r, uint64_t parent, uint64_t address,
				       uint32_t flags)
{
	uint64_t id = (parent * 31 + address * 0x9e3779b97f4a7c15u + flags) * 0xff51afd7ed558ccdu;

	id = (id ^ id >> 32) % (STACK_WORD - 1) + 1;
	frame_define_stack(r->fw, id, parent, address, flags);
	return id;
}

/* The same of `count` addresses, the outermost one first. */
static inline uint64_t recording_stack_of(struct recording *r, const uint64_t *address,
					  size_t count)
{
	uint64_t id = 0;

	for (size_t i = 0; i < count; i++)
		id = recording_stack(r, id, address[i], 0);
	return id;
}

/* Closes the frame that was gathered in r->fw. */
static inline void recording_close_frame(struct recording *r, uint64_t watermark_ns)
{
	struct frame_image image;

	r->sequence++;
	r->records += frame_records(r->fw);
	r->frame_offset[r->sequence] = r->length;
	frame_close(r->fw,
		    (struct frame_info){ .sequence = r->sequence,
					 .watermark_ns = watermark_ns,
					 .sync_tsc = 1000 + watermark_ns,
					 .sync_mono_ns = 1000 + watermark_ns,
					 .sync_real_ns = 1000 + watermark_ns },
		    &image);
	recording_append_frame(r, image.bytes, image.length);
}

static inline void recording_finish_losing(struct recording *r, uint64_t end_ns, uint64_t lost)
{
	struct file_end end = { r->sequence, r->records, lost, end_ns };
	uint8_t bytes[FILE_END_BYTES];
	uint8_t *seek = malloc(file_seek_length(r->seek_count));

	recording_append(r, bytes, file_end_write(bytes, &end));
	recording_append(r, seek, file_seek_write(seek, r->seek, r->seek_count));
	free(seek);
}

static inline void recording_finish(struct recording *r, uint64_t end_ns)
{
	recording_finish_losing(r, end_ns, 0);
}

/*
 * How far a test that damages each byte has to go from this one. 19 of 20 bytes are the schema's,
 * which is compressed and read as a whole: one in eight of them is enough, but for those at its
 * edges.
 */
static inline size_t recording_step(const struct recording *r, size_t byte)
{
	const size_t edge = 64;
	size_t end = r->frame_offset[1], begin = end - r->seek[0].compressed;

	return byte >= begin + edge && byte + edge < end ? 8 : 1;
}

static inline void recording_release(struct recording *r)
{
	frame_writer_free(r->fw);
	free(r->bytes);
	memset(r, 0, sizeof(*r));
}

#endif
