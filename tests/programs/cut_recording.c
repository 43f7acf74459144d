/* SPDX-License-Identifier: MIT */
/* build: report/file/reader.c report/file/seek.c report/file/frame_events.c report/file/frame_decoder.c report/file/damage.c report/file/ending.c report/file/segments.c collector/format/segment.c report/file/window.c report/file/bytes.c report/base/confine.c report/file/decompress.c report/file/ahead.c report/base/workers.c report/base/memory.c collector/format/block_reader.c collector/format/block_decode.c collector/format/block_kinds.c collector/format/block_plan.c collector/format/heap_decode.c collector/format/own_decode.c collector/format/kinds_wide.c collector/format/varints.c collector/format/varints_wide.c collector/format/stack_reader.c collector/format/paths.c collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -pthread -lzstd */
/*
 * usage: cut_recording IN OUT FROM..TO [FROM..TO ...]     times in nanoseconds
 * Writes a copy of a recording that is small enough to be a test: of what programs did, only what
 * lies in one of those times, and nothing of the heap and of mappings. What the collector wrote,
 * samples, imports and facts of the environment stay. Work of a GPU counts where it began. Stacks
 * are left out. Choose times at which no operator is open.
 */
#include <stdbool.h>
#include <stdio.h>

#define RECORDING_FRAMES_MAX 4096u

#include "report/file/reader.h"
#include "tests/unit/recording.h"

#define TIMES_MAX 16

static struct {
	uint64_t from_ns, to_ns;
} keep[TIMES_MAX];
static int keep_count;

static bool is_kept_time(uint64_t time_ns)
{
	for (int i = 0; i < keep_count; i++)
		if (time_ns >= keep[i].from_ns && time_ns < keep[i].to_ns)
			return true;
	return false;
}

static uint64_t time_of(const struct event *event)
{
	switch (event->id) {
	case EVT_gpu_kernel:
	case EVT_gpu_copy:
	case EVT_gpu_set:
	case EVT_gpu_wait: /* all have that field first */
		return event->time_ns - EVENT_AS(gpu_kernel, event)->ago_ns;
	}
	return event->time_ns;
}

static bool is_kept(const struct event *event, uint32_t stream)
{
	if (!stream)
		return stream == 0;
	switch (evt_descriptors[event->id].family) {
	case EVT_FAMILY_alloc:
		return false;
	case EVT_FAMILY_torch:
	case EVT_FAMILY_tensors:
	case EVT_FAMILY_cuda:
	case EVT_FAMILY_gpu:
	case EVT_FAMILY_nvtx:
	case EVT_FAMILY_steps:
		return event->id == EVT_gpu_cupti || event->id == EVT_gpu_device ||
		       event->id == EVT_gpu_clock || event->id == EVT_gpu_limits ||
		       is_kept_time(time_of(event));
	case EVT_FAMILY_system:
		return event->id != EVT_thread_clock || is_kept_time(event->time_ns);
	default:
		return true;
	}
}

static void copy_block(struct frame_writer *fw, const struct event_block *block)
{
	frame_begin_block(fw, block->stream);
	for (uint32_t i = 0; i < block->count; i++)
		if (is_kept(&block->event[i], block->stream))
			frame_put(fw, block->event[i].id, block->event[i].time_ns,
				  block->event[i].value);
	frame_end_block(fw);
}

static void copy_frame(struct recording *r, const struct reader_frame *frame)
{
	struct frame_info info = frame->info;
	struct frame_image image;

	for (size_t i = 0; i < frame->block_count; i++)
		copy_block(r->fw, &frame->block[i]);
	if (r->seek_count >= RECORDING_FRAMES_MAX - 1) {
		fprintf(stderr, "cut_recording: too many frames\n");
		exit(1);
	}
	info.sequence = ++r->sequence;
	r->records += frame_records(r->fw);
	frame_close(r->fw, info, &image);
	recording_append_frame(r, image.bytes, image.length);
}

static void tell_fault(void *context, uint64_t offset, int error, const char *text)
{
	(void)context;
	(void)error;
	fprintf(stderr, "cut_recording: offset %llu: %s\n", (unsigned long long)offset, text);
	exit(1);
}

static void take_times(int count, char **texts)
{
	for (int i = 0; i < count && i < TIMES_MAX; i++, keep_count++)
		if (sscanf(texts[i], "%lu..%lu", &keep[i].from_ns, &keep[i].to_ns) != 2) {
			fprintf(stderr, "cut_recording: '%s' is not FROM..TO\n", texts[i]);
			exit(2);
		}
}

int main(int argc, char **argv)
{
	const struct reader_listener listener = { .fault = tell_fault };
	struct reader_frame frame;
	struct reader *reader;
	struct recording r;
	struct bytes in;
	FILE *out;

	if (argc < 4) {
		fprintf(stderr, "usage: cut_recording IN OUT FROM..TO [FROM..TO ...]\n");
		return 2;
	}
	take_times(argc - 3, argv + 3);
	if (bytes_open(&in, argv[1]) || reader_open(&reader, &in, false, &listener)) {
		fprintf(stderr, "cut_recording: '%s' cannot be read\n", argv[1]);
		return 1;
	}
	recording_start(&r, &reader_facts(reader)->header);
	while (!reader_next(reader, &frame))
		copy_frame(&r, &frame);
	recording_finish(&r, reader_facts(reader)->end.end_ns);
	out = fopen(argv[2], "wb");
	if (!out || fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	recording_release(&r);
	reader_close(reader);
	bytes_close(&in);
	return 0;
}
