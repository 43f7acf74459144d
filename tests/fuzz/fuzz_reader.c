/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Any bytes as a recording, through reader and source as a report reads them, and through the
 * checks of `prof-report check`. Must not crash, hang, or take memory without bound.
 *
 * Bytes that begin with a frame's tag are the content of one: they are compressed and put into a
 * recording that is whole, since no fuzzer guesses a checksum. SCHM...DATA... gives two frames.
 * STAT gives a recording whose beginning was given back: the numbers of its head, then a state's
 * content.
 */
#include <stdlib.h>

#include "collector/format/segment.h"
#include "report/heap/heap_events.h"
#include "report/raw/check.h"
#include "report/session/source_open.h"
#include "report/session/stacks.h"
#include "tests/unit/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fault_pass_over(void *context, uint64_t offset, int error, const char *text)
{
	(void)context;
	(void)offset;
	(void)error;
	(void)text;
}

/* So that values are read, whatever the compiler thinks of it. */
static volatile uint64_t sum;

/* `wants`: NULL, everything. */
static void fuzz_source(const uint8_t *data, size_t size, const struct frame_wants *wants)
{
	static char path[] = "fuzz.evt";
	struct session_file file = { .path = path, .bytes = bytes_of(data, size) };
	struct source *source;
	struct source_event event;
	char message[256];

	if (source_open_files(&source, &file, 1, message, sizeof(message)))
		return;
	if (wants)
		source_want(source, wants);
	while (!source_next(source, &event)) {
		for (unsigned int i = 0; i < event.event.words; i++)
			sum += event.event.value[i];
		for (uint32_t at = event.stack; at;
		     at = stacks_frame(source_stacks(source), at)->parent)
			sum += stacks_frame(source_stacks(source), at)->address;
		if (event.process)
			sum += (uintptr_t)source_module_at(event.process, event.event.value[0],
							   event.event.time_ns);
	}
	source_close(source);
}

/* Whoever takes records of the heap has to do with partners and sites. */
static void fuzz_heap(const uint8_t *data, size_t size)
{
	static char path[] = "fuzz.evt";
	struct session_file file = { .path = path, .bytes = bytes_of(data, size) };
	struct filter_settings filter = { .pid = FILTER_NO_ID,
					  .tid = FILTER_NO_ID,
					  .to_ns = UINT64_MAX };
	struct source *source;
	struct run *run;
	char message[256];

	if (source_open_files(&source, &file, 1, message, sizeof(message)))
		return;
	run = run_new(source, &filter);
	sum += heap_want(run, &(struct heap_options){ .by = BY_alloc_caller })->row_count;
	run_reads_stacks(run);
	run_read(run, false);
	run_free(run);
	source_close(source);
}

static void fuzz_check(const uint8_t *data, size_t size)
{
	const struct reader_listener listener = { fault_pass_over, NULL, NULL };
	struct bytes bytes = bytes_of(data, size);
	struct reader_frame frame;
	struct reader *reader;
	struct check check;

	if (reader_open(&reader, &bytes, false, &listener))
		return;
	check_init(&check, &listener);
	while (!reader_next(reader, &frame) && !check_frame(&check, reader_facts(reader), &frame))
		;
	check_finish(&check, reader_facts(reader));
	check_release(&check);
	reader_close(reader);
}

/* Other events and fields for other bytes. */
static void fuzz_wants(struct frame_wants *wants, size_t size)
{
	*wants = (struct frame_wants){ .stacks = size % 2 };
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		wants->event[id] = (size >> id % 7) & 1;
		wants->fields[id] = (uint32_t)(size * id);
		wants->sum[id] = (size + id) % 3 == 0;
		wants->exact[id] = (size + id) % 50 == 0;
	}
}

static void fuzz_image(const uint8_t *data, size_t size)
{
	struct frame_wants wants;

	fuzz_wants(&wants, size);
	fuzz_source(data, size, NULL);
	fuzz_source(data, size, &wants);
	fuzz_heap(data, size);
	fuzz_check(data, size);
}

static void fuzz_content(const uint8_t *data, size_t size)
{
	static const struct file_header header = { .version = FILE_VERSION, .session = "fuzz" };
	const uint8_t *second = memmem(data + 4, size - 4, "DATA", 4);
	bool has_schema = memcmp(data, "SCHM", 4) == 0;
	struct recording recording;

	if (has_schema)
		recording_start_bare(&recording, &header);
	else
		recording_start(&recording, &header);
	recording_append_frame(&recording, data, second ? (size_t)(second - data) : size);
	if (second)
		recording_append_frame(&recording, second, size - (size_t)(second - data));
	recording_finish(&recording, 0);
	fuzz_image(recording.bytes, recording.length);
	recording_release(&recording);
}

static void fuzz_state(const uint8_t *data, size_t size)
{
	static const struct file_header header = { .version = FILE_VERSION_KEEP_LAST,
						   .session = "fuzz" };
	const uint8_t *second = memmem(data + 4, size - 4, "DATA", 4);
	uint8_t bytes[SEGMENT_HEAD_BYTES + SEGMENT_GONE_BYTES];
	const struct segment_gone gone = { .segments = 1 };
	struct segment_head head = { .number = 0 };
	struct recording recording;

	memcpy(&head, data + 4, size - 4 < sizeof(head) ? size - 4 : sizeof(head));
	recording_start(&recording, &header);
	recording_append(&recording, bytes, segment_gone_write(bytes, &gone, SEGMENT_GONE_BYTES));
	recording_append(&recording, bytes, segment_head_write(bytes, &head));
	recording_append_frame(&recording, data, second ? (size_t)(second - data) : size);
	if (second)
		recording_append_frame(&recording, second, size - (size_t)(second - data));
	recording_finish(&recording, 0);
	fuzz_image(recording.bytes, recording.length);
	recording_release(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 4 && memcmp(data, "STAT", 4) == 0) {
		fuzz_state(data, size);
		return 0;
	}
	if (size > 4 && (memcmp(data, "DATA", 4) == 0 || memcmp(data, "SCHM", 4) == 0))
		fuzz_content(data, size);
	else
		fuzz_image(data, size);
	return 0;
}
