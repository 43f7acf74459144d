/* SPDX-License-Identifier: MIT */
/*
 * Decodes a frame's content to its blocks of events, reports what is wrong with them, and loads the
 * schema that this needs.
 */
#include "report/file/reader_state.h"
#include "report/base/units.h"

#include <stdlib.h>

#include "collector/format/error.h"

int schema_load(struct reader *reader, const uint8_t *bytes, size_t length)
{
	int error = schema_read(&reader->schema, bytes, length);

	if (error)
		return error;
	error = frame_decoder_init(&reader->decoder, &reader->schema, reader->wants);
	if (error) {
		schema_release(&reader->schema);
		return error;
	}
	if (reader->scratch)
		frame_reader_share(reader->decoder.frame_reader, reader->scratch->frame);
	reader->schema_loaded = true;
	return EVT_OK;
}

int schema_load_own(struct reader *reader)
{
	uint8_t *bytes = malloc(SCHEMA_BYTES_MAX);
	int error;

	if (!bytes)
		return EVT_NO_MEMORY;
	error = schema_load(reader, bytes, schema_write(bytes, SCHEMA_BYTES_MAX));
	free(bytes);
	return error;
}

/* Blocks before a bad one are good, because each block is independent. */
static void frame_tell_bad_block(struct reader *reader, const struct reader_frame *frame,
				 uint64_t records, int error)
{
	uint64_t lost = frame->info.records > records ? frame->info.records - records : 0;

	reader_fault(reader, frame->offset, error, "frame %llu: block %zu: %s (%llu record%s lost)",
		     (unsigned long long)frame->info.sequence, frame->block_count + 1,
		     evt_error_text(error), (unsigned long long)lost, unit_plural(lost));
}

int frame_decode(struct reader *reader, const uint8_t *bytes, size_t length,
		 struct reader_frame *frame)
{
	uint64_t records;
	int error = frame_decoder_open(&reader->decoder, bytes, length, frame);

	if (error)
		return error;
	error = frame_decoder_run(&reader->decoder, frame, &records);
	if (error == EVT_NO_MEMORY)
		return error;
	if (error != EVT_END)
		frame_tell_bad_block(reader, frame, records, error);
	else if (records != frame->info.records)
		reader_fault(reader, frame->offset, EVT_CORRUPT,
			     "frame %llu: it holds %llu records, its header claims %llu",
			     (unsigned long long)frame->info.sequence, (unsigned long long)records,
			     (unsigned long long)frame->info.records);
	return EVT_OK;
}
