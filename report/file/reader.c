/* SPDX-License-Identifier: MIT */
/*
 * The way through the file. Every step either moves the position forward or ends the reading, so
 * that no file can cause an endless loop.
 */
#include "report/file/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/format/error.h"
#include "report/file/reader_state.h"

#define FRAME_WANTED_FIRST (256u << 10) /* most frames are smaller */
#define SALVAGE_BYTES (64u << 10) /* how far after a damaged header the schema is searched for */
#define SALVAGE_TRIES 16u

void reader_fault(struct reader *reader, uint64_t offset, int error, const char *format, ...)
{
	char text[READER_FAULT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (reader->listener.fault)
		reader->listener.fault(reader->listener.context, offset, error, text);
}

int reader_find_frame(struct reader *reader, uint64_t offset, struct frame_place *ret_place)
{
	size_t most = frame_compressed_max();
	size_t wanted = FRAME_WANTED_FIRST;
	struct frame_place place;
	size_t available;

	for (;;) {
		int error;

		place.bytes = window_at(&reader->window, offset, wanted, &available);
		if (!place.bytes)
			return reader->window.error ? reader->window.error : EVT_TRUNCATED;
		error = frame_compressed_length(place.bytes, available, &place.length);
		if (!error)
			*ret_place = place;
		if (error != EVT_TRUNCATED || available < wanted)
			return error;
		if (available >= most)
			return EVT_TOO_LARGE;
		wanted = available * 2 < most ? available * 2 : most;
	}
}

static uint32_t reader_magic(struct reader *reader, uint64_t offset)
{
	size_t available;
	const uint8_t *bytes = window_at(&reader->window, offset, sizeof(uint32_t), &available);
	struct cursor c = cursor_of(bytes, bytes ? available : 0);

	return get_u32(&c);
}

void reader_tell_gap(struct reader *reader, uint64_t sequence)
{
	uint64_t first = reader->facts.last_sequence + 1;

	if (reader->damage.open)
		damage_tell(reader, sequence);
	else if (sequence == first + 1)
		reader_fault(reader, reader->facts.position, EVT_CORRUPT, "frame %llu is missing",
			     (unsigned long long)first);
	else if (sequence > first)
		reader_fault(reader, reader->facts.position, EVT_CORRUPT,
			     "frames %llu to %llu are missing", (unsigned long long)first,
			     (unsigned long long)sequence - 1);
}

/* A decoded frame. EVT_END if it is not usable. */
static int reader_accept(struct reader *reader, struct reader_frame *frame)
{
	struct reader_facts *facts = &reader->facts;

	if (frame->is_state) {
		frame->rejoins = reader->seeking.rejoins;
		reader->seeking.rejoins = false;
		facts->last_watermark_ns = frame->info.watermark_ns;
		return EVT_OK;
	}
	if (frame->info.sequence <= facts->last_sequence) {
		reader_fault(reader, facts->position, EVT_CORRUPT,
			     "frame %llu comes after frame %llu: not read again",
			     (unsigned long long)frame->info.sequence,
			     (unsigned long long)facts->last_sequence);
		return EVT_END;
	}
	reader_tell_gap(reader, frame->info.sequence);
	frame->rejoins = reader->seeking.rejoins;
	reader->seeking.rejoins = false;
	facts->last_sequence = frame->info.sequence;
	facts->last_watermark_ns = frame->info.watermark_ns;
	facts->frames++;
	for (size_t i = 0; i < frame->block_count; i++)
		facts->records += frame->block[i].records;
	return EVT_OK;
}

/* Takes a verified data frame at the present position. EVT_CORRUPT: it must not be used. */
static int reader_take_data(struct reader *reader, const uint8_t *bytes, size_t length,
			    struct reader_frame *frame)
{
	struct reader_facts *facts = &reader->facts;
	int error = EVT_OK;

	if (!reader->schema_loaded) {
		reader_fault(reader, facts->position, EVT_CORRUPT,
			     "the schema is missing: events are read as this version knows them");
		error = schema_load_own(reader);
	}
	if (!error && frame->is_state && reader->seeking.rejoins)
		frame_reader_want(reader->decoder.frame_reader, &reader->seeking.wants);
	if (!error)
		error = frame_decode(reader, bytes, length, frame);
	if (frame->is_state && reader->seeking.rejoins)
		frame_reader_want(reader->decoder.frame_reader, reader->wants);
	return error ? error : reader_accept(reader, frame);
}

/*
 * Takes the content of a zstd frame. Returns 0 if it is data and was put into `frame`, EVT_END if
 * it was something else and has been handled, or an error for damage.
 */
static int reader_take_content(struct reader *reader, const uint8_t *bytes, size_t length,
			       struct reader_frame *frame)
{
	struct cursor c = cursor_of(bytes, length);
	uint32_t tag = get_u32(&c);
	int error;

	frame->is_state = tag == FRAME_TAG_STATE && (reader->enters || reader->seeking.rejoins);
	if (tag == FRAME_TAG_DATA || frame->is_state) {
		reader->enters = false;
		return reader_take_data(reader, bytes, length, frame);
	}
	if (tag != FRAME_TAG_SCHEMA) /* from a later version, which this one may skip */
		return EVT_END;
	if (reader->schema_loaded) {
		reader_fault(reader, reader->facts.position, EVT_CORRUPT,
			     "a second schema: not read");
		return EVT_END;
	}
	error = schema_load(reader, bytes, length);
	if (error == EVT_NO_MEMORY)
		return error;
	if (error)
		reader_fault(reader, reader->facts.position, error, "the schema cannot be used: %s",
			     evt_error_text(error));
	return EVT_END;
}

/* The frame has been handled, whether `result` says that it is usable or not. */
static int reader_pass_frame(struct reader *reader, const struct reader_frame *frame, int result)
{
	int error = ending_note_frame(reader, frame->compressed, frame->uncompressed);

	if (error)
		return error;
	reader->facts.position += frame->compressed;
	return result;
}

static int reader_read_frame(struct reader *reader, struct reader_frame *frame)
{
	uint64_t offset = reader->facts.position;
	struct frame_place place;
	const uint8_t *bytes;
	size_t length;
	int error, result;

	error = reader_find_frame(reader, offset, &place);
	if (!error)
		error = decompressor_run(&reader->decompressor, place.bytes, place.length, &bytes,
					 &length);
	if (error)
		return error;
	frame->offset = offset;
	frame->compressed = place.length;
	frame->uncompressed = length;
	result = reader_take_content(reader, bytes, length, frame);
	if (result && result != EVT_END)
		return result;
	return reader_pass_frame(reader, frame, result);
}

/* Submits frames after the present one, as far as they are found and there is room. */
static void reader_look_ahead(struct reader *reader)
{
	uint64_t offset = reader->facts.position;
	struct frame_place place;

	if (reader->workers && !reader->ahead && reader->facts.frames)
		reader->ahead = ahead_new(reader->workers, &reader->schema, reader->wants);
	if (!reader->ahead)
		return;
	if (offset < ahead_end(reader->ahead))
		offset = ahead_end(reader->ahead);
	while (ahead_has_room(reader->ahead) && reader_magic(reader, offset) == ZSTD_FRAME_MAGIC &&
	       !reader_find_frame(reader, offset, &place)) {
		ahead_put(reader->ahead, offset, place.bytes, place.length);
		offset += place.length;
	}
}

static int reader_take_frame(struct reader *reader, struct reader_frame *frame)
{
	int error;

	if (reader->ahead) { /* so that no thread is idle while this one waits */
		ahead_let_go(reader->ahead);
		reader_look_ahead(reader);
	}
	if (reader->ahead && ahead_take(reader->ahead, reader->facts.position, frame))
		error = reader_pass_frame(reader, frame, reader_accept(reader, frame));
	else
		error = reader_read_frame(reader, frame);
	if (!error)
		reader_look_ahead(reader);
	return error;
}

static bool error_is_damage(int error)
{
	return error != EVT_OK && error != EVT_END && error != EVT_NO_MEMORY && error != EVT_IO;
}

static bool reader_lacks_magic(struct reader *reader, uint64_t offset)
{
	size_t available;

	return reader->follows && window_at(&reader->window, offset, 4, &available) &&
	       available < 4;
}

/* One step: 0 returns a frame, EVT_END means continue. */
static int reader_step(struct reader *reader, struct reader_frame *frame)
{
	uint64_t offset = reader->facts.position;
	uint32_t magic = reader_magic(reader, offset);
	int error;

	if (!magic && reader_lacks_magic(reader, offset))
		error = EVT_TRUNCATED;
	else if (magic == ZSTD_FRAME_MAGIC && !reader->facts.complete)
		error = reader_take_frame(reader, frame);
	else if (magic_is_skippable(magic))
		error = ending_take(reader, magic);
	else
		error = EVT_CORRUPT;
	if (error == EVT_TRUNCATED && reader->follows)
		return error;
	if (error_is_damage(error))
		error = damage_pass(reader, error);
	return error;
}

bool reader_is_at_segment(struct reader *reader)
{
	uint32_t magic = reader_magic(reader, reader->facts.position);

	return magic == ZSTD_FRAME_MAGIC || magic == FILE_MAGIC_SEGMENT;
}

/* There are no bytes after the position, or not enough yet. */
static int reader_stop(struct reader *reader)
{
	if (reader->follows)
		return EVT_END;
	reader->done = true;
	damage_tell_end(reader);
	ending_check(reader);
	return reader->window.error ? reader->window.error : EVT_END;
}

bool reader_is_at_end(struct reader *reader)
{
	return reader_magic(reader, reader->facts.position) == FILE_MAGIC_END;
}

int reader_next(struct reader *reader, struct reader_frame *ret_frame)
{
	struct reader_frame frame = { 0 };
	size_t available;
	int error;

	while (!reader->done) {
		if (!window_at(&reader->window, reader->facts.position, 1, &available))
			return reader_stop(reader);
		error = seek_pass(reader, &frame);
		if (error == EVT_END)
			error = reader_step(reader, &frame);
		/* reader_step() returns this only for a file that grows */
		if (error == EVT_TRUNCATED)
			return EVT_END;
		if (error == EVT_OK)
			*ret_frame = frame;
		if (error != EVT_END)
			return error;
	}
	return reader->window.error ? reader->window.error : EVT_END;
}

/* After an unusable header: finds where a schema begins, if there is one. */
static int reader_salvage(struct reader *reader, int header_error)
{
	unsigned int tries = 0;

	for (uint64_t at = 1; at < SALVAGE_BYTES && tries < SALVAGE_TRIES; at++) {
		struct frame_place place;
		const uint8_t *bytes;
		size_t length;

		if (reader_magic(reader, at) != ZSTD_FRAME_MAGIC)
			continue;
		tries++;
		if (reader_find_frame(reader, at, &place) ||
		    decompressor_run(&reader->decompressor, place.bytes, place.length, &bytes,
				     &length))
			continue;
		if (length < 4 || memcmp(bytes, "SCHM", 4) != 0)
			return header_error;
		reader->facts.position = at;
		reader_fault(reader, 0, header_error,
			     "the header is damaged: host, session and start are unknown");
		return EVT_OK;
	}
	return header_error;
}

static int reader_start(struct reader *reader)
{
	size_t available, length;
	const uint8_t *bytes = window_at(&reader->window, 0, FILE_HEADER_BYTES_MAX, &available);
	int error;

	if (reader->window.error)
		return reader->window.error;
	if (!bytes)
		return EVT_EMPTY;
	if (available >= 4 && !memcmp(bytes, "PK\3\4", 4))
		/* a .zip: the first of its recordings would look like a damaged one */
		return EVT_FOREIGN;
	error = file_header_read(bytes, available, &reader->facts.header, &length);
	if (error == EVT_NEWER)
		return error;
	if (error)
		return reader_salvage(reader, error);
	reader->facts.header_known = true;
	reader->facts.position = length;
	return segments_find_first(reader);
}

int reader_open(struct reader **ret_reader, const struct bytes *bytes, bool live,
		const struct reader_listener *listener)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int error;

	if (!reader)
		return EVT_NO_MEMORY;
	reader->listener = *listener;
	reader->facts.live = live;
	window_init(&reader->window, bytes);
	error = decompressor_init(&reader->decompressor);
	if (!error)
		error = reader_start(reader);
	if (error) {
		reader_close(reader);
		return error;
	}
	*ret_reader = reader;
	return EVT_OK;
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	ahead_free(reader->ahead);
	frame_decoder_release(&reader->decoder);
	if (reader->schema_loaded)
		schema_release(&reader->schema);
	decompressor_release(&reader->decompressor);
	window_release(&reader->window);
	free(reader->seek);
	seek_release(&reader->seeking);
	free(reader);
}

void reader_follow(struct reader *reader, bool grows)
{
	bool is_whole = reader->facts.complete && reader->seek_checked;

	reader->follows = grows && !is_whole;
	reader->facts.live = grows;
	reader->done &= is_whole;
}

void reader_want(struct reader *reader, const struct frame_wants *wants)
{
	reader->wants = wants;
	if (reader->schema_loaded)
		frame_reader_want(reader->decoder.frame_reader, wants);
}

void reader_work_with(struct reader *reader, struct workers *workers)
{
	reader->workers = workers;
}

void reader_seek(struct reader *reader, const struct reader_chooser *chooser)
{
	reader->seeking.chooser = *chooser;
}

struct reader_scratch *reader_scratch_new(void)
{
	struct reader_scratch *scratch = calloc(1, sizeof(*scratch));

	if (!scratch)
		return NULL;
	scratch->frame = frame_scratch_new();
	if (!scratch->frame || decompressor_init(&scratch->decompressor)) {
		reader_scratch_free(scratch);
		return NULL;
	}
	return scratch;
}

void reader_scratch_free(struct reader_scratch *scratch)
{
	if (!scratch)
		return;
	decompressor_release(&scratch->decompressor);
	frame_scratch_free(scratch->frame);
	free(scratch);
}

void reader_share(struct reader *reader, struct reader_scratch *scratch)
{
	reader->scratch = scratch;
	decompressor_share(&reader->decompressor, &scratch->decompressor);
}

const struct reader_facts *reader_facts(const struct reader *reader)
{
	return &reader->facts;
}

const struct schema *reader_schema(const struct reader *reader)
{
	return reader->schema_loaded ? &reader->schema : NULL;
}
