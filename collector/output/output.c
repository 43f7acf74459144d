/* SPDX-License-Identifier: MIT */
/* Every write goes through output_append(), which appends either everything or nothing. */
#include "collector/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/format/error.h"
#include "collector/format/room.h"

/* reserved below max_bytes, for the last frame and what follows it */
#define END_RESERVE (64u << 10)
/* reserved on disk for what follows the last frame, and for blocks that are used in part */
#define DISK_RESERVE (32u << 10)

/* If this fails, nothing may follow the torn frame. */
static void output_take_back(struct output *output, size_t written)
{
	int saved = errno;

	if (written && (ftruncate(output->fd, (off_t)output->bytes) ||
			lseek(output->fd, (off_t)output->bytes, SEEK_SET) < 0))
		output->torn = true;
	errno = saved;
}

static int output_append(struct output *output, const uint8_t *bytes, size_t length)
{
	size_t done = 0;

	if (output->torn)
		return EVT_IO;
	while (done < length) {
		ssize_t n = write(output->fd, bytes + done, length - done);

		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		output_take_back(output, done);
		return EVT_IO;
	}
	output->bytes += length;
	return EVT_OK;
}

static int output_note_frame(struct output *output, size_t compressed, size_t uncompressed)
{
	struct seek_entry *seek = room_for_one(output->seek, &output->seek_room, output->seek_count,
					       sizeof(*seek));

	if (!seek)
		return EVT_NO_MEMORY;
	output->seek = seek;
	output->seek[output->seek_count++] = (struct seek_entry){ (uint32_t)compressed,
								  (uint32_t)uncompressed };
	return EVT_OK;
}

/* The limit must leave room for the end, which would otherwise exceed it. */
static bool output_has_room(const struct output *output, size_t length, bool last)
{
	uint64_t end = file_seek_length(output->seek_count + 1) + FILE_END_BYTES;

	if (!output->max_bytes || output->segments.gives_back)
		return true;
	if (!last)
		end += output->max_bytes / 4 < END_RESERVE ? output->max_bytes / 4 : END_RESERVE;
	return output->bytes + length + end <= output->max_bytes;
}

/* Frames that are not on disk any more leave the seek table, which begins with the schema. */
bool output_give_back(struct output *output)
{
	size_t from = output->segments.count ? output->segments.segment[0].frames : 0;
	size_t count = output->segments.count;
	size_t frames = segments_give_back(&output->segments, output->fd);

	if (output->segments.count == count) /* its bytes may be none: a page stays */
		return false;
	output->seek_count -= frames;
	memmove(output->seek + from, output->seek + from + frames,
		(output->seek_count - from) * sizeof(*output->seek));
	return true;
}

/* Gives back as much as `length` more bytes need; what is open stays. */
static void output_make_room(struct output *output, size_t length)
{
	while (output->disk_max && output->segments.count > 1 &&
	       output_disk_bytes(output) + length + DISK_RESERVE > output->disk_max &&
	       output_give_back(output))
		;
}

static int output_write_image(struct output *output, const struct frame_image *image, bool last)
{
	const uint8_t *bytes;
	size_t length;
	int error = compressor_run(&output->compressor, image, &bytes, &length);

	if (error)
		return error;
	if (!output_has_room(output, length, last)) {
		output->full = true;
		return EVT_TOO_LARGE;
	}
	output_make_room(output, length);
	error = output_append(output, bytes, length);
	return error ? error : output_note_frame(output, length, image->length);
}

static int output_write_start(struct output *output, const struct file_header *header)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	uint8_t *schema = malloc(SCHEMA_BYTES_MAX);
	struct frame_image image = { .bytes = schema };
	int error;

	if (!schema)
		return EVT_NO_MEMORY;
	error = output_append(output, bytes, file_header_write(bytes, header));
	if (!error) {
		image.length = schema_write(schema, SCHEMA_BYTES_MAX);
		error = output_write_image(output, &image, true);
	}
	free(schema);
	return error;
}

int output_init(struct output *output, int fd, uint64_t max_bytes, const struct file_header *header)
{
	int error;

	*output = (struct output){ .fd = fd, .header = *header, .guard_fd = -1 };
	error = compressor_init(&output->compressor);
	if (!error)
		error = output_write_start(output, header);
	if (error) {
		int saved = errno;

		output_release(output);
		errno = saved;
	}
	output->begin = output->bytes;
	output->max_bytes = max_bytes; /* header and schema are written whatever the limit */
	return error;
}

/* Puts padding, if needed, and a head at the end of the file. Returns the bytes before the head. */
static size_t output_put_head(const struct output *output, const struct segment_head *head,
			      uint8_t *bytes, size_t *ret_length)
{
	bool to_page = output->segments.gives_back;
	size_t pad = segment_pad_bytes(output->bytes, SEGMENT_HEAD_BYTES, to_page);

	memset(bytes, 0, pad);
	if (pad)
		segment_pad_write(bytes, pad);
	*ret_length = pad + segment_head_write(bytes + pad, head);
	return pad;
}

#define HEAD_ROOM (2 * SEGMENT_PAGE + SEGMENT_HEAD_BYTES)

int output_keep_last(struct output *output, const struct keep_last *keep)
{
	const struct segment_head head = { .number = 1 };
	struct file_header header = output->header;
	struct segment first = { .has_head = true, .head = head };
	uint8_t bytes[HEAD_ROOM];
	size_t length, pad;
	int error;

	output->keep = *keep;
	output->segments.gives_back = segments_can_give_back(output->fd);
	output->keeps_all = !output->segments.gives_back;
	if (output->keeps_all) {
		if (keep->bytes && (!output->max_bytes || keep->bytes < output->max_bytes))
			output->max_bytes = keep->bytes;
		return EVT_OK;
	}
	pad = output_put_head(output, &head, bytes, &length);
	first.offset = output->bytes + pad;
	first.frames = output->seek_count;
	error = output_append(output, bytes, length);
	if (error)
		return error;
	output->segments.count = 0;
	header.version = FILE_VERSION_KEEP_LAST;
	header.segment = first.offset;
	output_write_header(output, &header);
	return segments_add(&output->segments, &first) ? EVT_OK : EVT_NO_MEMORY;
}

struct output_digest output_make_digest(struct output *output, const struct frame_image *image)
{
	struct output_digest digest = { 0 };
	const uint8_t *frame;
	size_t length;

	if (compressor_run(&output->compressor, image, &frame, &length))
		return digest;
	digest.bytes = malloc(SEGMENT_DIGEST_HEAD + length);
	if (!digest.bytes)
		return digest;
	digest.length = segment_digest_write(digest.bytes, output_segment_number(output), length);
	memcpy(digest.bytes + digest.length, frame, length);
	digest.length += length;
	return digest;
}

/* Appends padding, head, the digest of the segment before, and state, or nothing. */
static int output_append_segment(struct output *output, const struct segment_head *head,
				 const struct output_digest *digest,
				 const struct frame_image *state, uint64_t *ret_offset)
{
	const uint8_t *frame;
	size_t frame_length, length, pad;
	uint8_t *bytes;
	int error = compressor_run(&output->compressor, state, &frame, &frame_length);

	if (error)
		return error;
	bytes = malloc(HEAD_ROOM + digest->length + frame_length);
	if (!bytes)
		return EVT_NO_MEMORY;
	pad = output_put_head(output, head, bytes, &length);
	if (digest->length)
		memcpy(bytes + length, digest->bytes, digest->length);
	length += digest->length;
	memcpy(bytes + length, frame, frame_length);
	*ret_offset = output->bytes + pad;
	output_make_room(output, length + frame_length);
	error = output_has_room(output, length + frame_length, false) ? EVT_OK : EVT_TOO_LARGE;
	if (!error)
		error = output_append(output, bytes, length + frame_length);
	free(bytes);
	return error ? error : output_note_frame(output, frame_length, state->length);
}

int output_begin_segment(struct output *output, const struct segment_head *end,
			 const struct segment_head *next, uint64_t steps,
			 const struct output_digest *digest, const struct frame_image *state)
{
	struct segment segment = { .has_head = true, .steps = steps, .head = *next };
	const struct segment first = { .offset = output->begin, .head = { .number = 1 } };
	struct file_header header = output->header;
	bool is_first = !output->segments.count;
	int error;

	if (is_first && !segments_add(&output->segments, &first))
		return EVT_NO_MEMORY;
	segment.head.number = segments_open(&output->segments)->head.number + 1;
	error = output_append_segment(output, &segment.head, digest, state, &segment.offset);
	if (error)
		return error;
	segment.frames = output->seek_count - 1; /* the state is the first of the segment */
	segments_close(&output->segments, output->fd, segment.offset, end);
	if (!output->header.segment) {
		header.segment = segment.offset;
		output_write_header(output, &header);
	}
	return segments_add(&output->segments, &segment) ? EVT_OK : EVT_NO_MEMORY;
}

void output_write_header(struct output *output, const struct file_header *header)
{
	uint8_t before[FILE_HEADER_BYTES_MAX], bytes[FILE_HEADER_BYTES_MAX];
	size_t length = file_header_write(bytes, header);

	if (length == file_header_write(before, &output->header) && !output->torn &&
	    pwrite(output->fd, bytes, length, 0) == (ssize_t)length)
		output->header = *header;
}

int output_write_frame(struct output *output, const struct frame_image *image, uint64_t records,
		       bool last)
{
	int error;

	if (output->full && !last)
		return EVT_TOO_LARGE;
	error = output_write_image(output, image, last);
	if (error)
		return error;
	output->frames++;
	output->records += records;
	return EVT_OK;
}

/* Puts the digest of the last segment and the index at `bytes`. Returns their length. */
static size_t output_put_index(const struct output *output, const struct output_digest *digest,
			       uint8_t *bytes)
{
	size_t index = segments_index_length(&output->segments), length = 0;

	if (digest->length)
		memcpy(bytes, digest->bytes, digest->length);
	length = digest->length;
	if (!segments_write_index(&output->segments, output->bytes + length, bytes + length))
		return 0;
	return length + index;
}

int output_finish(struct output *output, struct file_end end, const struct segment_head *last,
		  const struct output_digest *digest)
{
	size_t seek = file_seek_length(output->seek_count);
	size_t index = segments_index_length(&output->segments) + digest->length;
	bool has_index = last && output_has_index(output) && output_has_room(output, index, true);
	uint8_t *bytes = malloc(index + FILE_END_BYTES + seek);
	size_t length = 0;
	int error;

	if (!bytes)
		return EVT_NO_MEMORY;
	end.frames = output->frames;
	end.records = output->records;
	if (last)
		segments_close(&output->segments, output->fd, output->bytes, last);
	if (has_index)
		length = output_put_index(output, digest, bytes);
	length += file_end_write(bytes + length, &end);
	length += file_seek_write(bytes + length, output->seek, output->seek_count);
	error = output_append(output, bytes, length);
	free(bytes);
	return error;
}

void output_release(struct output *output)
{
	segments_release(&output->segments);
	compressor_release(&output->compressor);
	free(output->seek);
	if (output->fd >= 0)
		close(output->fd);
	if (output->guard_fd >= 0)
		close(output->guard_fd);
	output->seek = NULL;
	output->fd = -1;
	output->guard_fd = -1;
}
