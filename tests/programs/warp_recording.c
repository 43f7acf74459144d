/* SPDX-License-Identifier: MIT */
/* build: report/file/reader.c report/file/seek.c report/file/frame_events.c report/file/frame_decoder.c report/file/damage.c report/file/ending.c report/file/segments.c collector/format/segment.c report/file/window.c report/file/bytes.c report/file/decompress.c report/file/ahead.c report/base/workers.c report/base/confine.c report/base/memory.c collector/format/block_reader.c collector/format/block_decode.c collector/format/block_kinds.c collector/format/block_plan.c collector/format/heap_decode.c collector/format/own_decode.c collector/format/kinds_wide.c collector/format/varints.c collector/format/varints_wide.c collector/format/stack_reader.c collector/format/paths.c collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -pthread -lzstd */
/*
 * usage: warp_recording IN OUT HOST OFFSET_NS DRIFT_PPB
 *        warp_recording IN OUT HOST OFFSET_NS DRIFT_PPB RANK WORLD_SIZE TIMES
 * Writes a recording as another machine would have made it: its clock is OFFSET_NS ahead when the
 * recording begins, and gains DRIFT_PPB ns a second; it was booted at another time. So a time t of
 * IN is t * (1 + DRIFT_PPB / 1e9) in OUT, and the real-time clock of time 0 is OFFSET_NS later.
 *
 * With RANK, it is that one of WORLD_SIZE ranks, and what happens between the first and the last
 * step happens TIMES times: as many steps more, whose lengths vary from half to twice, alike in all
 * ranks; and each time of an event varies by up to 1 us, differently in each. Stacks are left out.
 */
#include <stdbool.h>
#include <stdio.h>

#define RECORDING_FRAMES_MAX 65536u

#include "report/file/reader.h"
#include "tests/unit/recording.h"

struct kept {
	struct event event;
	uint64_t words[EVT_WORDS_MAX];
};

static struct kept *kept;
static size_t kept_count, kept_room;

static double drift;
static uint64_t rank = UINT64_MAX, world_size, times = 1;

/* The steps that are repeated: from the first to the last one. */
static uint64_t loop_from_ns, loop_to_ns, loop_steps;
static uint64_t rank_key, world_key, rank_name, world_name, last_name;

/* --- reading --- */

static void tell_fault(void *context, uint64_t offset, int error, const char *text)
{
	(void)context;
	(void)error;
	fprintf(stderr, "warp_recording: offset %llu: %s\n", (unsigned long long)offset, text);
	exit(1);
}

/* Words of a text, or of a name, stay with the file that is read. */
static void keep(const struct event *event, uint32_t stream)
{
	struct kept *copy;
	const struct evt_string *string = EVENT_AS(string, event);

	if (kept_count == kept_room) {
		kept_room = kept_room ? 2 * kept_room : 4096;
		kept = realloc(kept, kept_room * sizeof(*kept));
	}
	copy = &kept[kept_count++];
	copy->event = *event;
	copy->event.stream = stream;
	memset(copy->words, 0, sizeof(copy->words));
	memcpy(copy->words, event->value, event->words * sizeof(uint64_t));
	if (event->id != EVT_string)
		return;
	copy->words[1] = (uintptr_t)memcpy(malloc(string->text.length + 1),
					   evt_text_bytes(string->text), string->text.length);
	if (string->id > last_name)
		last_name = string->id;
	if (string->text.length == 4 && !memcmp(evt_text_bytes(string->text), "rank", 4))
		rank_key = string->id;
	if (string->text.length == 10 && !memcmp(evt_text_bytes(string->text), "world_size", 10))
		world_key = string->id;
}

static void take_frame(const struct reader_frame *frame)
{
	if (frame->is_state)
		return;
	for (size_t i = 0; i < frame->block_count; i++)
		for (uint32_t k = 0; k < frame->block[i].count; k++)
			keep(&frame->block[i].event[k], frame->block[i].stream);
}

static int by_time(const void *a, const void *b)
{
	const struct event *left = &((const struct kept *)a)->event;
	const struct event *right = &((const struct kept *)b)->event;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return (left > right) - (left < right);
}

static void find_loop(void)
{
	loop_from_ns = loop_to_ns = UINT64_MAX;
	for (size_t i = 0; i < kept_count; i++) {
		if (kept[i].event.id != EVT_step)
			continue;
		if (loop_from_ns == UINT64_MAX)
			loop_from_ns = kept[i].event.time_ns;
		else
			loop_steps++;
		loop_to_ns = kept[i].event.time_ns;
	}
}

/* --- times --- */

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return (x ^ x >> 29) * 0xff51afd7ed558ccdu >> 20;
}

/* How long a round is in 1/64ths of the one that was recorded: 32 to 128. */
static uint64_t round_length(uint64_t round)
{
	return times > 1 ? 32 + mixed(round) % 97 : 64;
}

static uint64_t round_begin_ns(uint64_t round)
{
	static uint64_t known_round, known_ns;

	if (round < known_round)
		known_round = known_ns = 0;
	for (; known_round < round; known_round++)
		known_ns += (loop_to_ns - loop_from_ns) * round_length(known_round) / 64;
	return loop_from_ns + known_ns;
}

static uint64_t warped(uint64_t time_ns, uint64_t round, bool in_loop)
{
	uint64_t true_ns = time_ns;

	if (in_loop)
		true_ns = round_begin_ns(round) +
			  (time_ns - loop_from_ns) * round_length(round) / 64;
	else if (time_ns >= loop_to_ns && times > 1)
		true_ns = time_ns - loop_to_ns + round_begin_ns(times);
	if (rank != UINT64_MAX)
		true_ns += mixed(time_ns * 1024 + rank) % 1000;
	return true_ns + (uint64_t)(int64_t)((double)true_ns * drift);
}

/* --- writing --- */

static void put_name(struct recording *r, uint64_t id, uint64_t number)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "%llu", (unsigned long long)number);

	FRAME_PUT(r->fw, 0, string, .id = id, .text = { (uintptr_t)text, (uint64_t)length });
}

static void put_event(struct recording *r, struct kept *from, uint64_t round, bool in_loop)
{
	struct kept copy = *from;

	if (copy.event.id == EVT_step)
		((struct evt_step *)copy.words)->number += round * loop_steps;
	if (rank != UINT64_MAX && copy.event.id == EVT_meta) {
		struct evt_meta *meta = (struct evt_meta *)copy.words;

		meta->value = meta->key == rank_key    ? rank_name
			      : meta->key == world_key ? world_name
						       : meta->value;
	}
	frame_put(r->fw, copy.event.id, warped(copy.event.time_ns, round, in_loop), copy.words);
}

/* Events from `from` to before `to`, which are in the order of time: a block a stream. */
static void put_events(struct recording *r, size_t from, size_t to, uint64_t round, bool in_loop)
{
	bool *put = calloc(to - from + 1, sizeof(*put));

	for (size_t i = from; i < to; i++) {
		uint32_t stream = kept[i].event.stream;

		if (put[i - from] || (round && !stream)) /* what the collector wrote comes once */
			continue;
		frame_begin_block(r->fw, stream);
		for (size_t k = i; k < to; k++) {
			if (put[k - from] || kept[k].event.stream != stream)
				continue;
			if (!frame_block_room(r->fw)) {
				frame_end_block(r->fw);
				frame_begin_block(r->fw, stream);
			}
			put_event(r, &kept[k], round, in_loop);
			put[k - from] = true;
		}
		frame_end_block(r->fw);
	}
	free(put);
}

static size_t first_from(uint64_t time_ns)
{
	size_t at = 0;

	while (at < kept_count && kept[at].event.time_ns < time_ns)
		at++;
	return at;
}

static void put_definitions(struct recording *r)
{
	frame_begin_block(r->fw, 0);
	if (rank != UINT64_MAX) {
		put_name(r, rank_name, rank);
		put_name(r, world_name, world_size);
	}
	frame_end_block(r->fw);
}

static void put_rest(struct recording *r, size_t from, size_t to)
{
	for (size_t next; from < to; from = next) {
		next = to - from < 4096 ? to : from + 4096;
		put_events(r, from, next, 0, false);
		recording_close_frame(r, warped(kept[next - 1].event.time_ns, 0, false) + 1000);
	}
}

static void put_all(struct recording *r, uint64_t end_ns)
{
	size_t from = first_from(loop_from_ns), to = first_from(loop_to_ns);

	put_definitions(r);
	if (times == 1)
		from = to = 0;
	put_rest(r, 0, from);
	for (uint64_t round = 0; round < times && to > from; round++) {
		put_events(r, from, to, round, true);
		recording_close_frame(r, warped(loop_to_ns - 1, round, true) + 1000);
	}
	put_rest(r, to, kept_count);
	recording_finish(r, warped(end_ns, 0, false) + 1000);
}

static void take_arguments(int argc, char **argv, struct file_header *header)
{
	uint64_t booted_ns = 0;

	snprintf(header->host, sizeof(header->host), "%s", argv[3]);
	for (const char *at = argv[3]; *at; at++)
		booted_ns = mixed(booted_ns + (uint64_t)*at) % 1000;
	header->base_real += (uint64_t)strtoll(argv[4], NULL, 10);
	header->base_mono += (1000 + booted_ns) * 1000000000;
	header->segment = 0;
	drift = strtod(argv[5], NULL) / 1e9;
	if (argc < 9)
		return;
	rank = strtoull(argv[6], NULL, 10);
	world_size = strtoull(argv[7], NULL, 10);
	times = strtoull(argv[8], NULL, 10);
	header->pid += (uint32_t)rank;
	rank_name = ++last_name;
	world_name = ++last_name;
}

static void write_file(const char *path, const struct recording *r)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(r->bytes, 1, r->length, out) != r->length || fclose(out)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const struct reader_listener listener = { .fault = tell_fault };
	struct file_header header;
	struct reader_frame frame;
	struct reader *reader;
	struct recording r;
	struct bytes in;

	if (argc != 6 && argc != 9) {
		fprintf(stderr, "usage: warp_recording IN OUT HOST OFFSET_NS DRIFT_PPB [RANK "
				"WORLD_SIZE TIMES]\n");
		return 2;
	}
	if (bytes_open(&in, argv[1]) || reader_open(&reader, &in, false, &listener)) {
		fprintf(stderr, "warp_recording: '%s' cannot be read\n", argv[1]);
		return 1;
	}
	while (!reader_next(reader, &frame))
		take_frame(&frame);
	if (kept_count)
		qsort(kept, kept_count, sizeof(*kept), by_time);
	find_loop();
	header = reader_facts(reader)->header;
	take_arguments(argc, argv, &header);
	recording_start(&r, &header);
	put_all(&r, reader_facts(reader)->end.end_ns);
	write_file(argv[2], &r);
	recording_release(&r);
	reader_close(reader);
	bytes_close(&in);
	return 0;
}
