/* SPDX-License-Identifier: MIT */
/*
 * A recording whose older part was given back: reading begins with the state of the first segment
 * that is there. Damage of any part of that is told, and costs no more than the part.
 */
/* links: report format */

#include "collector/format/error.h"
#include "collector/format/segment.h"
#include "tests/unit/recording_source.h"

#define GONE_BYTES 5000u
#define BEGIN_NS 900u

static struct recording recording;
static size_t gone_at, head_at, state_at;

static void segments_put_string(uint64_t id, const char *text)
{
	FRAME_PUT(recording.fw, 0, string, .id = id,
		  .text = { (uint64_t)(uintptr_t)text, strlen(text) });
}

static void segments_put_state(void)
{
	struct frame_image image;

	frame_begin_block(recording.fw, 0);
	segments_put_string(1, "old");
	FRAME_PUT(recording.fw, 10, process, .process = 1, .pid = 77);
	FRAME_PUT(recording.fw, 20, thread, .stream = 1, .process = 1, .tid = 77);
	frame_end_block(recording.fw);
	frame_begin_block(recording.fw, 1);
	FRAME_PUT(recording.fw, 30, nvtx_push, .name = 1);
	frame_end_block(recording.fw);
	frame_close(recording.fw, (struct frame_info){ .sequence = 5, .watermark_ns = BEGIN_NS },
		    &image);
	frame_image_set_tag(recording.fw, &image, FRAME_TAG_STATE);
	recording_append_frame(&recording, image.bytes, image.length);
}

static void segments_put_head(uint64_t sequence)
{
	const struct segment_head head = { .number = 3,
					   .sequence = sequence,
					   .begin_ns = BEGIN_NS,
					   .frames = sequence,
					   .records = 100 };
	uint8_t bytes[SEGMENT_HEAD_BYTES];

	head_at = recording.length;
	recording_append(&recording, bytes, segment_head_write(bytes, &head));
}

/* Frames 1 to 5 were given back; frame 6 and a second segment with frame 7 follow. */
static int segments_setup(void **state)
{
	static const struct file_header header = { .version = FILE_VERSION_KEEP_LAST,
						   .session = "segments" };
	const struct segment_gone gone = { 2, 5, 100, 0, 0, BEGIN_NS };
	uint8_t *bytes = calloc(1, GONE_BYTES);

	recording_start(&recording, &header);
	recording_append(&recording, bytes, segment_pad_write(bytes, 100));
	gone_at = recording.length;
	segment_gone_write(bytes, &gone, GONE_BYTES);
	recording_append(&recording, bytes, GONE_BYTES);
	free(bytes);
	recording.sequence = 5;
	recording.records = 100;
	segments_put_head(5);
	state_at = recording.length;
	segments_put_state();
	for (uint64_t i = 0; i < 2; i++) {
		if (i) {
			segments_put_head(6);
			segments_put_state();
		}
		frame_begin_block(recording.fw, 1);
		FRAME_PUT(recording.fw, 1000 + i, nvtx_pop, .domain = 0);
		frame_end_block(recording.fw);
		recording_close_frame(&recording, 2000 + i);
	}
	recording_finish(&recording, 3000);
	return 0;
}

static int segments_teardown(void **state)
{
	recording_release(&recording);
	return 0;
}

static struct source *segments_open_source(void)
{
	struct source *source;

	source = recording_source(&recording);
	return source;
}

static unsigned int segments_count(struct source *source, uint32_t id, uint64_t *ret_last_ns)
{
	struct source_event event;
	unsigned int count = 0;

	while (!source_next(source, &event)) {
		if (event.event.id != id)
			continue;
		count++;
		*ret_last_ns = event.event.time_ns;
		assert_int_equal(event.process->pid, 77);
	}
	return count;
}

static size_t segments_faults(struct source *source)
{
	const struct source_fault *fault;

	return source_faults(source, &fault);
}

TEST_BOTH(reading_begins_with_the_state, segments_setup, segments_teardown)
{
	struct source *source = segments_open_source();
	struct source_file *const *file;
	uint64_t last_ns = 0;

	source_files(source, &file);
	assert_true(source_gave_back(source));
	assert_int_equal(file[0]->kept_from_ns, BEGIN_NS);
	assert_int_equal(file[0]->gone_records, 100);
	assert_int_equal(segments_count(source, EVT_nvtx_push, &last_ns), 1);
	assert_int_equal(last_ns, 30);
	assert_int_equal(segments_faults(source), 0);
	assert_int_equal(file[0]->frames, 2);
	assert_int_equal(file[0]->records, 2);
	assert_true(file[0]->complete);
	source_close(source);
}

/* What a state repeats is no event of the run: it is not counted for its thread. */
TEST_BOTH(repeated_events_are_not_counted, segments_setup, segments_teardown)
{
	struct source *source = segments_open_source();
	struct source_process *const *process;
	uint64_t last_ns;

	assert_int_equal(segments_count(source, EVT_nvtx_pop, &last_ns), 2);
	assert_int_equal(source_processes(source, &process), 1);
	assert_int_equal(process[0]->events, 2);
	assert_int_equal(process[0]->start_ns, 10);
	source_close(source);
}

TEST_BOTH(a_damaged_state_costs_no_frame, segments_setup, segments_teardown)
{
	struct source *source;
	struct source_event event;
	unsigned int count = 0;

	recording.bytes[state_at + 20] ^= 0xff;
	source = segments_open_source();
	while (!source_next(source, &event))
		count += event.event.id == EVT_nvtx_pop;
	assert_int_equal(count, 2);
	assert_true(segments_faults(source) > 0);
	source_close(source);
}

/* Then it is not known that something was given back: frames are missing. */
TEST_BOTH(a_damaged_gone_frame_is_a_fault, segments_setup, segments_teardown)
{
	struct source *source;
	struct source_event event;
	unsigned int count = 0;

	recording.bytes[gone_at + 30] ^= 0xff;
	source = segments_open_source();
	assert_false(source_gave_back(source));
	while (!source_next(source, &event))
		count += event.event.id == EVT_nvtx_pop;
	assert_int_equal(count, 2);
	assert_true(segments_faults(source) > 0);
	source_close(source);
}

/* Cut anywhere, as by a kill: it reads as far as it goes, or is refused. */
TEST_BOTH(any_beginning_reads, segments_setup, segments_teardown)
{
	size_t whole = recording.length;

	for (size_t length = gone_at; length < whole; length += length < head_at ? 97 : 1) {
		struct source *source;
		struct source_event event;

		recording.length = length;
		source = segments_open_source();
		while (!source_next(source, &event))
			;
		source_close(source);
	}
	recording.length = whole;
}
