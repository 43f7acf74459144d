/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: every_event FILE
 * Writes a recording in which each event of events.def stands, with small numbers in its fields, as
 * the collector writes it: for tests/golden/events, where a later reader has to find them.
 */
#include <stdio.h>

#include "tests/unit/recording.h"

#define NAMES 6u

static uint64_t now = 1000;

static void put_names(struct frame_writer *fw)
{
	static const char *const text[NAMES] = {
		"every_event FILE", "/usr/bin/every_event", "main", "aten::mm", "step", "label"
	};

	for (uint64_t i = 0; i < NAMES; i++)
		FRAME_PUT(fw, 0, string, .id = i + 1,
			  .text = { (uint64_t)(uintptr_t)text[i], (uint64_t)strlen(text[i]) });
}

static void put_start(struct frame_writer *fw)
{
	frame_begin_block(fw, 0);
	put_names(fw);
	FRAME_PUT(fw, 0, meta, .key = 5, .value = 6);
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000, .command = 1, .executable = 2);
	FRAME_PUT(fw, 0, thread, .stream = 1, .process = 1, .tid = 1000);
	FRAME_PUT(fw, 0, thread_name, .process = 1, .tid = 1000, .name = 3);
	FRAME_PUT(fw, 0, module, .process = 1, .start = 0x400000, .bytes = 0x1000, .path = 2);
	frame_end_block(fw);
}

static void put_end(struct frame_writer *fw)
{
	frame_begin_block(fw, 0);
	FRAME_PUT(fw, now, process_cpu, .process = 1, .cpu_ns = 500, .memory_bytes = 1 << 20);
	FRAME_PUT(fw, now, process_usage, .process = 1, .memory_peak_bytes = 1 << 21,
		  .children_ns = 3, .major_faults = 4, .disk_read = 4097, .disk_written = 8193);
	FRAME_PUT(fw, now, process_memory, .process = 1, .resident_bytes = 1 << 20,
		  .anonymous_bytes = 1 << 19);
	FRAME_PUT(fw, now, thread_sched, .stream = 1, .cpu_ns = 400, .runnable_ns = 30,
		  .voluntary = 2, .involuntary = 1);
	FRAME_PUT(fw, now, cost, .cpu_ns = 100, .records = 90, .file_bytes = 80, .memory_bytes = 70,
		  .waits = 1);
	FRAME_PUT(fw, now, lost, .process = 1, .stream = 1, .count = 7, .reason = EVT_LOST_FULL);
	FRAME_PUT(fw, now, capture_begin, .number = 2, .from = EVT_CAPTURE_FILE, .request = 5);
	FRAME_PUT(fw, now, capture_end, .number = 2, .how = EVT_CAPTURE_OVER);
	FRAME_PUT(fw, now, capture_refused, .why = EVT_CAPTURE_BUSY, .request = 6);
	FRAME_PUT(fw, now, module_end, .process = 1, .start = 0x400000);
	FRAME_PUT(fw, now, thread_end, .stream = 1, .cpu_ns = 400);
	FRAME_PUT(fw, now, process_end, .process = 1, .exit_status = 3, .cpu_ns = 500);
	frame_end_block(fw);
}

static void put_block(struct frame_writer *fw, uint32_t id)
{
	bool dies = id == EVT_free || id == EVT_realloc_free;

	if (dies)
		frame_put(fw, id, now, &(uint64_t){ 0x10000 + 64 * EVT_malloc });
	else
		frame_put_born(fw, id, now, 0x10000 + 64ull * id, 16 + id, 0x400010);
}

static void put_any(struct frame_writer *fw, uint32_t id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];
	uint64_t word[EVT_WORDS_MAX] = { 0 };

	for (unsigned int i = 0; i < event->field_count; i++) {
		word[i] = 1 + (id + i) % 5;
		if (event->field[i].codec == EVT_CODEC_text) {
			word[i] = (uint64_t)(uintptr_t) "text";
			word[i + 1] = 4;
		}
	}
	frame_put(fw, id, now, word);
}

static void put_program(struct frame_writer *fw)
{
	frame_begin_block(fw, 1);
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		if (!evt_descriptors[id].name || evt_descriptors[id].family == EVT_FAMILY_system)
			continue;
		now += 10;
		if (evt_is_of_block(id) && id != EVT_realloc_failed)
			put_block(fw, id);
		else
			put_any(fw, id);
	}
	frame_end_block(fw);
}

int main(int argc, char **argv)
{
	struct file_header header = { .version = FILE_VERSION,
				      .base_mono = 1000000000,
				      .base_real = 2000000000,
				      .pid = 1000,
				      .session = "every",
				      .host = "example" };
	struct recording r;
	FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!out) {
		fprintf(stderr, "usage: every_event FILE\n");
		return 2;
	}
	recording_start(&r, &header);
	put_start(r.fw);
	put_program(r.fw);
	put_end(r.fw);
	recording_close_frame(&r, now);
	recording_finish_losing(&r, now, 7);
	if (fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out))
		return 1;
	recording_release(&r);
	return 0;
}
