/* SPDX-License-Identifier: MIT */
/* Every write goes through output_append(), which appends either everything or nothing. */
#include "collector/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/format/error.h"

#define SEEK_FIRST 64u
/* reserved below max_bytes, for the last frame and what follows it */
#define END_RESERVE (64u << 10)

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
	if (output->seek_count == output->seek_room) {
		size_t room = output->seek_room ? output->seek_room * 2 : SEEK_FIRST;
		struct seek_entry *seek = realloc(output->seek, room * sizeof(*seek));

		if (!seek)
			return EVT_NO_MEMORY;
		output->seek = seek;
		output->seek_room = room;
	}
	output->seek[output->seek_count++] = (struct seek_entry){ (uint32_t)compressed,
								  (uint32_t)uncompressed };
	return EVT_OK;
}

/* The limit must leave room for the end, which would otherwise exceed it. */
static bool output_has_room(const struct output *output, size_t length, bool last)
{
	uint64_t end = file_seek_length(output->seek_count + 1) + FILE_END_BYTES;

	if (!output->max_bytes)
		return true;
	if (!last)
		end += output->max_bytes / 4 < END_RESERVE ? output->max_bytes / 4 : END_RESERVE;
	return output->bytes + length + end <= output->max_bytes;
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
	output->max_bytes = max_bytes; /* header and schema are written whatever the limit */
	return error;
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

int output_finish(struct output *output, struct file_end end)
{
	size_t seek = file_seek_length(output->seek_count);
	uint8_t *bytes = malloc(FILE_END_BYTES + seek);
	size_t length;
	int error;

	if (!bytes)
		return EVT_NO_MEMORY;
	end.frames = output->frames;
	end.records = output->records;
	length = file_end_write(bytes, &end);
	length += file_seek_write(bytes + length, output->seek, output->seek_count);
	error = output_append(output, bytes, length);
	free(bytes);
	return error;
}

void output_release(struct output *output)
{
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
