/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/heap/resident.c over recordings in memory: what explains resident memory, and what is not
 * told.
 */

#include <sys/mman.h>

#include "report/heap/resident.h"
#include "tests/unit/run_fixture.h"

#define MIB (1ull << 20)
#define PYTHON 0x500000ull /* where its module lies */
#define LIBRARY 0x700000ull

static struct resident *resident;

static void start(void)
{
	cuda_recording_start(&c, 2);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 0, module, .process = 1, .start = PYTHON, .bytes = 0x1000,
		  .path = cuda_recording_name(&c, "/usr/bin/python3.11"));
	FRAME_PUT(c.r.fw, 0, module, .process = 1, .start = LIBRARY, .bytes = 0x1000,
		  .path = cuda_recording_name(&c, "/lib/libpool.so"));
	on_stream(1);
}

static void map(uint64_t time_ns, uint64_t address, uint64_t bytes, uint64_t caller)
{
	FRAME_PUT(c.r.fw, time_ns, map_anonymous, .address = address, .bytes = bytes,
		  .protection = PROT_READ, .flags = MAP_PRIVATE, .caller = caller);
}

static void sample(uint64_t time_ns, uint64_t process, uint64_t anonymous, uint64_t file)
{
	FRAME_PUT(c.r.fw, time_ns, process_memory, .process = process,
		  .resident_bytes = anonymous + file, .anonymous_bytes = anonymous,
		  .file_bytes = file);
}

static void finish(void)
{
	recording_end(1000000);
	run = run_new(source, &recording_whole);
	resident = resident_want(run, &(struct resident_options){ { BY_alloc_caller, HEAP_OF_C } });
	run_read(run, false);
}

static int release(void **state)
{
	recording_close();
	return 0;
}

TEST_TEAR_DOWN(heap_arenas_and_mappings_explain_what_is_resident, release)
{
	const struct resident_process *most;
	uint32_t index;

	start();
	frame_put_born(c.r.fw, EVT_malloc, 100, 0x10, 3 * MIB, PYTHON);
	map(110, 0x10000000, MIB, PYTHON + 0x10);
	map(120, 0x20000000, MIB, PYTHON + 0x10);
	map(130, 0x30000000, MIB, LIBRARY + 0x10); /* as long as an arena */
	map(140, 0x40000000, 2 * MIB, LIBRARY + 0x20);
	map(150, 0x50000000, 16384, PYTHON + 0x20);
	FRAME_PUT(c.r.fw, 300, free, .ptr = 0x10);
	FRAME_PUT(c.r.fw, 310, unmap, .address = 0x10000000, .bytes = MIB);
	on_stream(0);
	sample(50, 1, MIB, 2 * MIB);
	sample(200, 1, 20 * MIB, 5 * MIB);
	sample(400, 1, 4 * MIB, 6 * MIB);
	sample(200, 2, 9 * MIB, 0);
	finish();
	most = resident_most(resident, &index);
	assert_non_null(most);
	assert_int_equal(index, 0);
	assert_int_equal(most->peak.time_ns, 200);
	assert_int_equal(most->peak.resident, 25 * MIB);
	assert_int_equal(most->peak.heap, 3 * MIB);
	assert_int_equal(most->peak.arenas, 2 * MIB);
	assert_int_equal(most->peak.mapped, 3 * MIB + 16384);
	assert_int_equal(resident_rest(&most->peak), 12 * MIB - 16384);
	assert_int_equal(resident_untouched(&most->peak), 0);
	assert_int_equal(most->end.time_ns, 1000000);
	assert_int_equal(most->end.heap, 0);
	assert_int_equal(most->end.arenas, MIB);
	assert_int_equal(resident_rest(&most->end), 0);
	assert_int_equal(resident_untouched(&most->end), 16384);
	assert_int_equal(resident_of(resident, 1)->peak.mapped, 0);
	assert_null(resident_of(resident, 7));
}

TEST_TEAR_DOWN(the_runtimes_end_is_not_the_programs, release)
{
	const struct resident_process *process;

	start();
	FRAME_PUT(c.r.fw, 250, teardown_begin, .name = cuda_recording_name(&c, "python"));
	on_stream(0);
	sample(200, 1, 20 * MIB, 5 * MIB);
	sample(300, 1, 90 * MIB, 6 * MIB);
	finish();
	process = resident_of(resident, 0);
	assert_int_equal(process->peak.time_ns, 200);
	assert_int_equal(process->end.time_ns, 250);
	assert_int_equal(process->curves->resident.last, 96 * MIB);
}

/*
 * The first look came when Python had freed its own: the program's end is still the moment before.
 */
TEST_TEAR_DOWN(a_look_behind_the_programs_end_does_not_move_it, release)
{
	const struct resident_process *process;

	start();
	frame_put_born(c.r.fw, EVT_malloc, 100, 0x10, 3 * MIB, PYTHON);
	FRAME_PUT(c.r.fw, 250, teardown_begin, .name = cuda_recording_name(&c, "python"));
	FRAME_PUT(c.r.fw, 260, free, .ptr = 0x10);
	on_stream(0);
	sample(300, 1, 20 * MIB, 5 * MIB);
	finish();
	process = resident_of(resident, 0);
	assert_int_equal(process->peak.time_ns, 300);
	assert_int_equal(process->peak.heap, 0);
	assert_int_equal(process->end.time_ns, 250);
	assert_int_equal(process->end.heap, 3 * MIB);
	assert_int_equal(process->end.resident, 25 * MIB);
}

/*
 * Resident memory stands still while blocks are freed: what holds at the end is not what held at
 * the last look.
 */
TEST_TEAR_DOWN(at_the_end_counts_what_lives_then, release)
{
	const struct resident_process *process;

	start();
	frame_put_born(c.r.fw, EVT_malloc, 100, 0x10, 30 * MIB, PYTHON);
	frame_put_born(c.r.fw, EVT_malloc, 110, 0x20, MIB, PYTHON);
	FRAME_PUT(c.r.fw, 5000, free, .ptr = 0x10);
	frame_put_born(c.r.fw, EVT_malloc, 7000, 0x30, 2 * MIB, PYTHON);
	on_stream(0);
	FRAME_PUT(c.r.fw, 200, process_memory, .process = 1, .resident_bytes = 40 * MIB,
		  .anonymous_bytes = 40 * MIB, .brk_bytes = 32 * MIB);
	FRAME_PUT(c.r.fw, 6000, process_end, .process = 1, .how = EVT_END_EXIT);
	finish();
	process = resident_of(resident, 0);
	assert_int_equal(process->peak.heap, 31 * MIB);
	assert_int_equal(resident_kept(&process->peak), MIB);
	assert_int_equal(resident_rest(&process->peak), 8 * MIB);
	assert_int_equal(process->end.time_ns, 6000);
	assert_int_equal(process->end.resident, 40 * MIB);
	assert_int_equal(process->end.heap, MIB);
	assert_int_equal(resident_kept(&process->end), 31 * MIB);
	assert_int_equal(resident_rest(&process->end), 8 * MIB);
}

/*
 * Blocks were recorded until 1000, the kernel was asked on: what explains memory after that is not
 * known.
 */
TEST_TEAR_DOWN(after_the_recordings_end_nothing_is_explained, release)
{
	const struct resident_process *process;

	start();
	frame_put_born(c.r.fw, EVT_malloc, 100, 0x10, 3 * MIB, PYTHON);
	on_stream(0);
	sample(200, 1, 4 * MIB, 0);
	frame_end_block(c.r.fw);
	recording_close_frame(&c.r, 1000);
	frame_begin_block(c.r.fw, 0);
	sample(2000, 1, 50 * MIB, 0);
	FRAME_PUT(c.r.fw, 9000, lost, .count = 500, .reason = EVT_LOST_LIMIT);
	finish();
	process = resident_of(resident, 0);
	assert_int_equal(process->peak.resident, 50 * MIB);
	assert_false(process->peak.has_blocks);
	assert_int_equal(process->end.time_ns, 1000);
	assert_int_equal(process->end.heap, 3 * MIB);
	assert_int_equal(resident_rest(&process->peak), 0);
	assert_int_equal(resident_kept(&process->peak), 0);
	assert_int_equal(resident_untouched(&process->peak), 0);
}

TEST_TEAR_DOWN(what_no_kernel_tells_is_followed_without_harm, release)
{
	const struct resident_process *most;
	uint32_t index;

	start();
	on_stream(0);
	FRAME_PUT(c.r.fw, 100, process_memory, .process = 1, .resident_bytes = 7); /* no kinds */
	sample(110, 99, MIB, MIB);                                                 /* of nobody */
	sample(UINT64_MAX, 2, UINT64_MAX / 2, 1);
	sample(120, 2, 0, 0);
	finish();
	most = resident_of(resident, 0);
	assert_false(most->peak.has_kinds);
	assert_int_equal(resident_rest(&most->peak), 0);
	assert_non_null(resident_most(resident, &index));
}

TEST_TEAR_DOWN(arenas_are_known_without_samples, release)
{
	start();
	map(110, 0x10000000, MIB, PYTHON + 0x10);
	map(120, 0x20000000, MIB, PYTHON + 0x10);
	map(130, 0x30000000, MIB, LIBRARY + 0x10);
	FRAME_PUT(c.r.fw, 310, unmap, .address = 0x10000000, .bytes = MIB);
	FRAME_PUT(c.r.fw, 320, unmap, .address = 0x20000000, .bytes = MIB);
	finish();
	assert_int_equal(mappings_python_peak(resident->mappings, source), 2 * MIB);
}
