/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Stacks of a session: numbered once whatever frame, file and process they come from, for events
 * and for records of the heap, and only for who wants them.
 */
#include "tests/unit/unit.h"
#include "collector/format/error.h"
#include "collector/format/frame_flags.h"
#include "report/session/source_open.h"
#include "report/session/stacks.h"
#include "tests/unit/recording.h"

static const struct file_header plain_header = { .version = FILE_VERSION, .session = "stacks" };

static struct source *open_images(const struct recording *recordings, size_t count)
{
	struct session_file file[4] = { { 0 } };
	static char path[] = "memory.evt";
	struct source *source = NULL;
	char message[256] = "";

	for (size_t i = 0; i < count; i++) {
		file[i].path = path;
		file[i].bytes = bytes_of(recordings[i].bytes, recordings[i].length);
	}
	assert_int_equal(source_open_files(&source, file, count, message, sizeof(message)), 0);
	return source;
}

/* Processes 1 and 2 with streams 1 and 2. */
static void put_definitions(struct recording *r)
{
	frame_begin_block(r->fw, 0);
	for (uint64_t i = 1; i <= 2; i++) {
		FRAME_PUT(r->fw, 0, process, .process = i, .pid = 100 + i);
		FRAME_PUT(r->fw, 0, thread, .stream = i, .process = i, .tid = 10 + i);
	}
	frame_end_block(r->fw);
}

static void put_mark(struct recording *r, uint64_t time_ns, uint64_t stack)
{
	const uint64_t words[EVT_WORDS_MAX] = { 0 };

	if (stack)
		frame_put_stack(r->fw, EVT_nvtx_mark, time_ns, words, stack);
	else
		frame_put(r->fw, EVT_nvtx_mark, time_ns, words);
}

static void end_frame(struct recording *r, uint64_t watermark_ns)
{
	frame_end_block(r->fw);
	recording_close_frame(r, watermark_ns);
}

/* Marks of two processes in three frames; `swap`: the ids appear in another order. */
static void record(struct recording *r, bool swap)
{
	static const uint64_t inner[] = { 0x10, 0x20, 0x30 }, other[] = { 0x10, 0x99 };

	recording_start(r, &plain_header);
	if (swap)
		recording_stack(r, 0, 0x7777, 0);
	put_definitions(r);
	frame_begin_block(r->fw, 1);
	if (swap)
		put_mark(r, 5, recording_stack_of(r, other, 2));
	put_mark(r, 10, recording_stack_of(r, inner, 3));
	put_mark(r, 11, 0);
	end_frame(r, 20);
	frame_begin_block(r->fw, 2);
	put_mark(r, 30, recording_stack_of(r, other, 2));
	put_mark(r, 31, recording_stack_of(r, inner, 3));
	put_mark(r, 32, recording_stack_of(r, inner, 2));
	end_frame(r, 40);
	frame_begin_block(r->fw, 1);
	put_mark(r, 50, 0);
	end_frame(r, 60);
	recording_finish(r, 60);
}

static void check_frames(const struct stacks *stacks, uint32_t stack, const uint64_t *address,
			 unsigned int count)
{
	assert_int_equal(stacks_depth(stacks, stack), count);
	for (unsigned int i = count; i-- > 0; stack = stacks_frame(stacks, stack)->parent)
		assert_int_equal(stacks_frame(stacks, stack)->address, address[i]);
}

/* The next event of a thread. */
static uint32_t next_stack(struct source *source, uint64_t time_ns)
{
	struct source_event event;

	do
		assert_int_equal(source_next(source, &event), EVT_OK);
	while (!event.thread);
	assert_int_equal(event.event.time_ns, time_ns);
	return event.stack;
}

TEST(stacks_are_the_same_in_all_frames)
{
	static const uint64_t inner[] = { 0x10, 0x20, 0x30 }, other[] = { 0x10, 0x99 };
	struct recording r;
	struct source *source;
	uint32_t first, second;

	record(&r, false);
	source = open_images(&r, 1);
	first = next_stack(source, 10);
	check_frames(source_stacks(source), first, inner, 3);
	assert_int_equal(next_stack(source, 11), STACK_NONE);
	second = next_stack(source, 30);
	check_frames(source_stacks(source), second, other, 2);
	assert_int_equal(next_stack(source, 31), first);
	check_frames(source_stacks(source), next_stack(source, 32), inner, 2);
	assert_int_equal(next_stack(source, 50), STACK_NONE);
	assert_int_equal(source_stacks(source)->count, 1 + 4);
	source_close(source);
	recording_release(&r);
}

TEST(stacks_are_the_same_in_all_files)
{
	struct recording r[2];
	struct source *source;
	struct source_event event;
	uint32_t of_time[64] = { 0 };

	record(&r[0], false);
	record(&r[1], true);
	source = open_images(r, 2);
	while (!source_next(source, &event)) {
		if (!event.thread)
			continue;
		if (of_time[event.event.time_ns])
			assert_int_equal(event.stack, of_time[event.event.time_ns]);
		of_time[event.event.time_ns] = event.stack;
	}
	assert_int_not_equal(of_time[10], STACK_NONE);
	assert_int_equal(of_time[10], of_time[31]);
	assert_int_equal(of_time[5], of_time[30]);
	assert_int_equal(source_stacks(source)->count, 1 + 4);
	source_close(source);
	recording_release(&r[0]);
	recording_release(&r[1]);
}

TEST(who_wants_none_has_none)
{
	struct frame_wants wants = { 0 };
	struct recording r;
	struct source *source;

	wants.event[EVT_nvtx_mark] = true;
	record(&r, false);
	source = open_images(&r, 1);
	source_want(source, &wants);
	assert_int_equal(next_stack(source, 10), STACK_NONE);
	assert_int_equal(next_stack(source, 11), STACK_NONE);
	assert_int_equal(next_stack(source, 30), STACK_NONE);
	assert_int_equal(source_stacks(source)->count, 1);
	source_close(source);
	recording_release(&r);
}

#define RECORDS_MAX 16u

struct taken {
	uint64_t caller[RECORDS_MAX];
	uint32_t stack[RECORDS_MAX];
	uint32_t count;
};

static void heap_take(void *context, const struct source_heap *heap)
{
	struct taken *taken = context;

	for (uint32_t i = heap->from; i < heap->to; i++) {
		const struct heap_site *site = &heap->site[heap->record[i].site];

		assert_true(taken->count < RECORDS_MAX);
		taken->caller[taken->count] = site->caller;
		taken->stack[taken->count++] = site->stack;
	}
}

/* Two frames, in which the nodes have other numbers. */
static void record_heap(struct recording *r)
{
	static const uint64_t deep[] = { 0x10, 0x20, 0x30 }, flat[] = { 0x40 };
	uint64_t wrapper;

	recording_start(r, &plain_header);
	put_definitions(r);
	wrapper = recording_stack(r, recording_stack_of(r, deep, 2), 0x50, FRAME_IS_WRAPPER);
	for (uint32_t frame = 0; frame < 2; frame++) {
		frame_begin_block(r->fw, 1 + frame);
		if (frame)
			frame_put_born(r->fw, EVT_malloc, 1000, 0x1000, 8,
				       STACK_WORD | recording_stack_of(r, flat, 1));
		frame_put_born(r->fw, EVT_malloc, 2000, 0x2000, 8,
			       STACK_WORD | recording_stack_of(r, deep, 3));
		frame_put_born(r->fw, EVT_calloc, 3000, 0x3000, 8, STACK_WORD | wrapper);
		frame_put_born(r->fw, EVT_malloc, 4000, 0x4000, 8, 0x60);
		FRAME_PUT(r->fw, 5000, free, .ptr = 0x4000);
		end_frame(r, 6000);
	}
	recording_finish(r, 6000);
}

TEST(sites_of_the_heap_have_stacks)
{
	static const uint64_t deep[] = { 0x10, 0x20, 0x30 }, wrapped[] = { 0x10, 0x20, 0x50 };
	static const uint64_t flat[] = { 0x40 };
	struct frame_wants wants = { .heap = true, .stacks = true };
	struct taken taken = { { 0 }, { 0 }, 0 };
	const struct stacks *stacks;
	struct source_event event;
	struct source *source;
	struct recording r;

	record_heap(&r);
	source = open_images(&r, 1);
	source_want_heap(source, heap_take, &taken);
	source_want(source, &wants);
	while (!source_next(source, &event))
		;
	stacks = source_stacks(source);
	assert_int_equal(taken.count, 9);
	check_frames(stacks, taken.stack[0], deep, 3);
	check_frames(stacks, taken.stack[1], wrapped, 3);
	assert_int_equal(stacks_frame(stacks, taken.stack[1])->flags, FRAME_IS_WRAPPER);
	assert_int_equal(taken.caller[1], 0x20);
	assert_int_equal(taken.stack[2], STACK_NONE);
	assert_int_equal(taken.caller[2], 0x60);
	assert_int_equal(taken.stack[3], STACK_NONE);
	check_frames(stacks, taken.stack[4], flat, 1);
	assert_int_equal(taken.stack[5], taken.stack[0]);
	assert_int_equal(taken.stack[6], taken.stack[1]);
	assert_int_equal(taken.stack[7], STACK_NONE);
	source_close(source);
	recording_release(&r);
}

#define LARGE_FRAMES 60u
#define LARGE_EVENTS 20000u

/*
 * A stack that an allocation of so many bytes has: its outermost frames are those of smaller ones.
 */
static void check_size(const struct stacks *stacks, uint32_t stack, uint64_t size)
{
	for (; size; size /= 3, stack = stacks_frame(stacks, stack)->parent)
		assert_int_equal(stacks_frame(stacks, stack)->address, 0x1000 + size);
	assert_int_equal(stack, STACK_NONE);
}

static uint64_t stack_of_size(struct recording *r, uint64_t size)
{
	return size ? recording_stack(r, stack_of_size(r, size / 3), 0x1000 + size, 0) : 0;
}

/* Large enough that other threads decode its frames ahead. */
static void record_large(struct recording *r)
{
	uint64_t seed = 1;

	recording_start(r, &plain_header);
	put_definitions(r);
	for (uint64_t i = 0; i < LARGE_FRAMES; i++) {
		frame_begin_block(r->fw, 1);
		for (uint64_t j = 0; j < LARGE_EVENTS; j++) {
			uint64_t size = (seed >> 33) % 500;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			assert_int_equal(frame_put_born(r->fw, EVT_malloc, i * 1000000 + j * 32,
							seed >> 20, size,
							STACK_WORD | stack_of_size(r, size + 1)),
					 0);
		}
		end_frame(r, (i + 1) * 1000000);
	}
	recording_finish(r, LARGE_FRAMES * 1000000);
}

TEST(large_files_have_the_same_stacks)
{
	struct source_event event;
	struct source *source;
	struct recording r;
	uint64_t count = 0;

	record_large(&r);
	assert_true(r.length > 1 << 20);
	source = open_images(&r, 1);
	while (!source_next(source, &event)) {
		if (!event.thread)
			continue;
		check_size(source_stacks(source), event.stack,
			   EVENT_AS(malloc, &event.event)->size + 1);
		count++;
	}
	assert_int_equal(count, LARGE_FRAMES * LARGE_EVENTS);
	assert_int_equal(source_stacks(source)->count, 1 + 500);
	source_close(source);
	recording_release(&r);
}

/* They are no events: the process has lost none. */
TEST(losses_of_stacks_are_told_apart)
{
	struct source_process *const *process;
	const struct source_loss *loss;
	struct source_event event;
	struct source *source;
	struct recording r;

	recording_start(&r, &plain_header);
	put_definitions(&r);
	frame_begin_block(r.fw, 0);
	FRAME_PUT(r.fw, 3, lost, .process = 1, .count = 5, .reason = EVT_LOST_STACK);
	FRAME_PUT(r.fw, 4, lost, .process = 1, .count = 7, .reason = EVT_LOST_FULL);
	end_frame(&r, 10);
	recording_finish_losing(&r, 10, 7);
	source = open_images(&r, 1);
	while (!source_next(source, &event))
		;
	assert_int_equal(source_losses(source, &loss), 2);
	assert_int_equal(loss[0].reason, EVT_LOST_STACK);
	assert_int_equal(loss[0].count, 5);
	assert_int_equal(loss[1].count, 7);
	assert_true(source_processes(source, &process) >= 1);
	assert_int_equal(process[0]->lost, 7);
	source_close(source);
	recording_release(&r);
}
