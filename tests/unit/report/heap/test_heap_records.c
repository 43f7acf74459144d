/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * The heap by runs of records (report/heap/heap_records.c) against the heap event by event, over
 * random recordings: processes of one and of two threads, blocks that another thread gives back,
 * reallocs that fail, frees that are missing, events that are told as lost, modules that change.
 * Where one thread is alone its runs are long, and most of what it gets is small beside what it
 * once had: then nothing can rise, and pairs are only added up.
 */

#include <string.h>

#include "report/heap/heap_events.h"
#include "tests/unit/recording_source.h"

#define STREAMS 3u /* 1 and 2 of process 1, 3 of process 2 */
#define BLOCKS 60u
#define FRAMES 12u
#define FRAME_OPS 900u
#define TICK 64u /* ns; whole units of the file, so that times are exact */

struct op {
	uint16_t id;
	uint64_t time_ns, address, size, caller;
};

struct maker {
	struct recording r;
	uint64_t seed, time_ns;
	bool live[2][BLOCKS];
	uint32_t owner[2][BLOCKS];
	struct op op[STREAMS + 1][FRAME_OPS * 2];
	uint32_t count[STREAMS + 1];
	bool is_strange; /* frees are missing, and more */
	bool is_alone;   /* one thread does everything */
};

static uint32_t pick(struct maker *m, uint32_t below)
{
	m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(m->seed >> 33) % below;
}

static void add(struct maker *m, uint32_t stream, struct op op)
{
	m->time_ns += TICK;
	op.time_ns = m->time_ns;
	m->op[stream][m->count[stream]++] = op;
}

static void make_free(struct maker *m, uint32_t stream, uint64_t address, bool *live)
{
	bool is_realloc = !pick(m, 6);

	add(m, stream, (struct op){ is_realloc ? EVT_realloc_free : EVT_free, 0, address, 0, 0 });
	*live = false;
	if (is_realloc && !pick(m, 3)) {
		add(m, stream, (struct op){ EVT_realloc_failed, 0, address, 0, 0 });
		*live = true;
	}
}

static uint64_t pick_size(struct maker *m)
{
	if (!pick(m, 900))
		return 1ull << (32 + pick(m, 32));
	if (m->is_alone)
		return pick(m, 60) ? 1 + pick(m, 100) : 20000;
	return 1 + pick(m, 5000);
}

static void make_op(struct maker *m)
{
	uint32_t stream = pick(m, 5) || m->is_alone ? 1 : 1 + pick(m, STREAMS);
	uint32_t process = stream == 3, block = pick(m, BLOCKS);
	uint64_t address = 0x1000 + 16 * block;
	bool *live = &m->live[process][block];

	if (m->is_strange && !pick(m, 100))
		*live = !*live; /* an event is missing */
	if (!*live) {
		*live = true;
		m->owner[process][block] = stream;
		add(m, stream,
		    (struct op){ EVT_malloc, 0, address, pick_size(m), 0x4000 + pick(m, 9) });
		return;
	}
	if (pick(m, 10))
		stream = m->owner[process][block];
	make_free(m, stream, address, live);
}

static void put_ops(struct maker *m, uint32_t stream)
{
	struct frame_writer *fw = m->r.fw;

	frame_begin_block(fw, stream);
	for (uint32_t i = 0; i < m->count[stream]; i++) {
		const struct op *op = &m->op[stream][i];

		frame_put(fw, op->id, op->time_ns, &op->address);
		if (i % 97 == 50)
			FRAME_PUT(fw, op->time_ns, nvtx_pop, .domain = 0);
		if (i % 301 == 150)
			FRAME_PUT(fw, op->time_ns, step, .number = i);
		if (m->is_strange && i % 401 == 300)
			FRAME_PUT(fw, op->time_ns, capture_stop);
		if (m->is_strange && i % 401 == 320)
			FRAME_PUT(fw, op->time_ns, capture_start);
	}
	m->count[stream] = 0;
	assert_int_equal(frame_end_block(fw), 0);
}

static void put_definitions(struct maker *m)
{
	struct frame_writer *fw = m->r.fw;

	frame_begin_block(fw, 0);
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 100);
	FRAME_PUT(fw, 0, process, .process = 2, .pid = 200);
	for (uint32_t stream = 1; stream <= STREAMS; stream++)
		FRAME_PUT(fw, 0, thread, .stream = stream, .process = 1 + (stream == 3),
			  .tid = stream);
	frame_end_block(fw);
}

static void put_news(struct maker *m, uint32_t frame)
{
	struct frame_writer *fw = m->r.fw;
	uint64_t time_ns = m->time_ns - TICK * FRAME_OPS / 2;

	if (!m->is_strange)
		return;
	frame_begin_block(fw, 0);
	if (frame % 4 == 1)
		FRAME_PUT(fw, time_ns, module, .process = 1, .start = 0x4000, .bytes = 0x1000);
	if (frame % 4 == 3)
		FRAME_PUT(fw, time_ns, module_end, .process = 1, .start = 0x4000);
	if (frame == FRAMES - 3)
		FRAME_PUT(fw, time_ns, lost, .process = 1, .stream = 1, .count = 3,
			  .reason = EVT_LOST_FULL);
	frame_end_block(fw);
}

static void make(struct maker *m, uint64_t seed, bool is_strange, bool is_alone)
{
	static const struct file_header header = { .version = FILE_VERSION,
						   .clock = 1,
						   .tsc_hz = 1000000000,
						   .pid = 100,
						   .session = "session",
						   .host = "host" };

	*m = (struct maker){ .seed = seed, .is_strange = is_strange, .is_alone = is_alone };
	recording_start(&m->r, &header);
	put_definitions(m);
	for (uint32_t frame = 0; frame < FRAMES; frame++) {
		for (uint32_t i = 0; i < FRAME_OPS; i++)
			make_op(m);
		for (uint32_t stream = 1; stream <= STREAMS; stream++)
			put_ops(m, stream);
		put_news(m, frame);
		recording_close_frame(&m->r, m->time_ns);
	}
	recording_finish(&m->r, m->time_ns);
}

struct reading {
	struct source *source;
	struct run *run;
	struct heap *heap;
};

/* A filter that every event passes has them read one after the other. */
static struct reading read_heap(const struct maker *m, bool by_records)
{
	struct filter_settings filter = { .pid = FILTER_NO_ID,
					  .tid = FILTER_NO_ID,
					  .to_ns = by_records ? UINT64_MAX : UINT64_MAX - 1 };
	struct reading reading;

	reading.source = recording_source(&m->r);
	reading.run = run_new(reading.source, &filter);
	reading.heap = heap_want(reading.run, &(struct heap_options){ .by = BY_alloc_caller });
	assert_int_equal(run_wants(reading.run)->heap, by_records);
	heap_keep_layers(reading.heap);
	run_read(reading.run, false);
	return reading;
}

static void close_reading(struct reading *reading)
{
	run_free(reading->run);
	source_close(reading->source);
}

static void compare_layers(struct heap *first, struct heap *second, uint64_t end_ns)
{
	const struct layers *a = heap_end_layers(first, end_ns);
	const struct layers *b = heap_end_layers(second, end_ns);

	assert_true(a->count > 3);
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_true(a->moment[i].time_ns == b->moment[i].time_ns);
		assert_true(a->moment[i].all == b->moment[i].all);
		assert_int_equal(a->moment[i].count, b->moment[i].count);
		for (uint32_t part = 0; part < a->moment[i].count; part++) {
			assert_true(a->moment[i].part[part].value == b->moment[i].part[part].value);
			assert_int_equal(a->moment[i].part[part].row, b->moment[i].part[part].row);
		}
	}
}

static void compare(const struct maker *m)
{
	struct reading records = read_heap(m, true), events = read_heap(m, false);
	const struct heap *a = records.heap, *b = events.heap;

	compare_layers(records.heap, events.heap, m->time_ns);
	assert_memory_equal(&a->totals, &b->totals, sizeof(a->totals));
	assert_true(a->totals.allocations > FRAMES * FRAME_OPS / 4);
	assert_true(a->totals.temporary_allocations > 0);
	assert_true(a->totals.reallocs_failed > 0);
	assert_memory_equal(a->class_allocations, b->class_allocations,
			    sizeof(a->class_allocations));
	assert_memory_equal(a->class_bytes, b->class_bytes, sizeof(a->class_bytes));
	assert_memory_equal(&a->curve, &b->curve, sizeof(a->curve));
	assert_int_equal(a->row_count, b->row_count);
	for (size_t i = 0; i < a->row_count; i++) {
		struct heap_row row = a->row[i];

		row.peak_seen = b->row[i].peak_seen; /* how it came to it */
		assert_memory_equal(&row, &b->row[i], sizeof(row));
	}
	assert_int_equal(run_events(records.run, EVT_malloc), run_events(events.run, EVT_malloc));
	close_reading(&records);
	close_reading(&events);
}

TEST(records_count_as_events)
{
	static struct maker m;

	for (uint64_t seed = 1; seed <= 160; seed++) {
		make(&m, seed, seed % 2, seed % 4 > 1);
		compare(&m);
		recording_release(&m.r);
	}
}
