/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Events in order, files on one clock, tables filled: report/session/source.h over recordings in
 * memory.
 */
#include "tests/unit/unit.h"
#include "report/session/source_open.h"
#include "tests/unit/recording.h"

static const struct file_header plain_header = { .version = FILE_VERSION,
						 .clock = 1,
						 .base_mono = 5000,
						 .base_real = 900000000000,
						 .tsc_hz = 1000000000,
						 .pid = 100,
						 .session = "session",
						 .host = "host" };

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
	if (source_open_files(&source, file, count, message, sizeof(message)))
		print_error("%s\n", message);
	assert_non_null(source);
	return source;
}

static void put_string(struct recording *r, uint64_t id, const char *text)
{
	FRAME_PUT(r->fw, 0, string, .id = id, .text = { (uintptr_t)text, strlen(text) });
}

/* Process 1 (pid 100) with streams 1 (tid 11) and 2 (tid 12). */
static void put_definitions(struct recording *r)
{
	frame_begin_block(r->fw, 0);
	put_string(r, 1, "program");
	FRAME_PUT(r->fw, 0, process, .process = 1, .pid = 100, .command = 1, .executable = 1);
	FRAME_PUT(r->fw, 0, thread, .stream = 1, .process = 1, .tid = 11);
	FRAME_PUT(r->fw, 0, thread, .stream = 2, .process = 1, .tid = 12);
	frame_end_block(r->fw);
}

static void put_marks(struct recording *r, uint32_t stream, const uint64_t *times, size_t count)
{
	frame_begin_block(r->fw, stream);
	for (size_t i = 0; i < count; i++)
		FRAME_PUT(r->fw, times[i], nvtx_pop, .domain = 0); /* of exact times */
	frame_end_block(r->fw);
}

/* Times of the events of threads, as `tid:time` numbers: tid * 1000000 + time. */
static size_t read_threads(struct source *source, uint64_t *order, size_t room)
{
	struct source_event event;
	size_t count = 0;

	while (!source_next(source, &event)) {
		if (!event.thread)
			continue;
		assert_true(count < room);
		order[count++] = event.thread->tid * 1000000ull + event.event.time_ns;
	}
	return count;
}

TEST(streams_are_merged_by_time)
{
	static const uint64_t first[] = { 10, 20, 50 }, second[] = { 15, 20, 30 };
	static const uint64_t expected[] = { 11000010, 12000015, 11000020,
					     12000020, 12000030, 11000050 };
	struct recording r;
	struct source *source;
	uint64_t order[8];

	recording_start(&r, &plain_header);
	put_definitions(&r);
	put_marks(&r, 1, first, 3);
	put_marks(&r, 2, second, 3);
	recording_close_frame(&r, 60);
	recording_finish(&r, 60);
	source = open_images(&r, 1);
	assert_int_equal(read_threads(source, order, 8), 6);
	assert_memory_equal(order, expected, sizeof(expected));
	assert_int_equal(source_end_ns(source), 60);
	source_close(source);
	recording_release(&r);
}

static const struct source_thread *thread_of(const struct source *source, uint32_t tid)
{
	struct source_thread *const *thread;
	size_t count = source_threads(source, &thread);

	for (size_t i = 0; i < count; i++)
		if (thread[i]->tid == tid)
			return thread[i];
	fail_msg("no thread %u", tid);
	return NULL;
}

/*
 * Thread 11 was looked at, and read its clock; of 12 only where it began is known, of 13 nothing.
 */
static void put_times(struct recording *r)
{
	static const uint64_t first[] = { 100, 200 };

	frame_begin_block(r->fw, 0);
	put_string(r, 1, "program");
	FRAME_PUT(r->fw, 0, process, .process = 1, .pid = 100, .command = 1, .executable = 1);
	FRAME_PUT(r->fw, 0, thread, .stream = 1, .process = 1, .tid = 11, .cpu_ns = 1000);
	FRAME_PUT(r->fw, 0, thread, .stream = 2, .process = 1, .tid = 12, .cpu_ns = 1000);
	FRAME_PUT(r->fw, 0, thread, .stream = 3, .process = 1, .tid = 13);
	FRAME_PUT(r->fw, 1500, thread_sched, .stream = 1, .cpu_ns = 1200, .runnable_ns = 300,
		  .voluntary = 4, .involuntary = 5);
	FRAME_PUT(r->fw, 5000, thread_sched, .stream = 99, .cpu_ns = 1); /* nobody's */
	FRAME_PUT(r->fw, 5000, thread_end, .stream = 1, .cpu_ns = 3000);
	frame_end_block(r->fw);
	frame_begin_block(r->fw, 1);
	FRAME_PUT(r->fw, 1000, thread_clock, .cpu_ns = 1100);
	FRAME_PUT(r->fw, 1000, nvtx_pop, .domain = 0);
	FRAME_PUT(r->fw, 2000, thread_clock, .cpu_ns = 1900);
	frame_end_block(r->fw);
	put_marks(r, 2, first, 2);
	put_marks(r, 3, first, 2);
}

TEST(times_of_threads)
{
	struct recording r;
	struct source *source;
	struct thread_times times;
	uint64_t order[16];

	recording_start(&r, &plain_header);
	put_times(&r);
	recording_close_frame(&r, 6000);
	recording_finish(&r, 6000);
	source = open_images(&r, 1);
	assert_int_equal(read_threads(source, order, 16), 7);
	assert_int_equal(thread_of(source, 11)->events, 1); /* readings are none */
	times = thread_times(thread_of(source, 11));
	assert_true(times.has_cpu && times.has_waits);
	assert_int_equal(times.cpu_ns, 2000);
	assert_int_equal(times.runnable_ns, 300);
	assert_int_equal(times.blocked_ns, 5000 - 2300);
	assert_int_equal(times.voluntary, 4);
	assert_int_equal(times.involuntary, 5);
	assert_false(thread_times(thread_of(source, 12)).has_cpu);
	assert_false(thread_times(thread_of(source, 13)).has_cpu);
	times = process_times(thread_of(source, 11)->process);
	assert_int_equal(times.cpu_ns, 2000);
	assert_int_equal(times.blocked_ns, 2700);
	source_close(source);
	recording_release(&r);
}

TEST(blocks_of_one_stream_keep_their_order_at_equal_times)
{
	static const uint64_t times[] = { 10, 10 };
	struct recording r;
	struct source *source;
	struct source_event event;
	uint64_t expected = 0x1000;

	recording_start(&r, &plain_header);
	put_definitions(&r);
	for (unsigned int i = 0; i < 3; i++) {
		frame_begin_block(r.fw, 1);
		for (unsigned int j = 0; j < 2; j++)
			frame_put_born(r.fw, EVT_malloc, times[j], 0x1000 + 16 * (2 * i + j), 24,
				       1);
		frame_end_block(r.fw);
	}
	recording_close_frame(&r, 60);
	recording_finish(&r, 60);
	source = open_images(&r, 1);
	while (!source_next(source, &event)) {
		if (event.event.id != EVT_malloc)
			continue;
		assert_int_equal(EVENT_AS(malloc, &event.event)->ptr, expected);
		expected += 16;
	}
	assert_int_equal(expected, 0x1000 + 6 * 16);
	source_close(source);
	recording_release(&r);
}

/* How many records `lost` events tell of and how many the end marker: the sum of the losses. */
static uint64_t losses_of(uint64_t told, uint64_t counted, uint32_t *ret_reason)
{
	static const uint64_t times[] = { 10 };
	const struct source_loss *loss;
	struct recording r;
	struct source *source;
	uint64_t order[8], sum = 0;

	recording_start(&r, &plain_header);
	put_definitions(&r);
	put_marks(&r, 1, times, 1);
	frame_begin_block(r.fw, 0);
	if (told)
		FRAME_PUT(r.fw, 20, lost, .process = 1, .count = told, .reason = EVT_LOST_FULL);
	frame_end_block(r.fw);
	recording_close_frame(&r, 60);
	recording_finish_losing(&r, 60, counted);
	source = open_images(&r, 1);
	assert_int_equal(read_threads(source, order, 8), 1);
	for (size_t i = source_losses(source, &loss); i-- > 0; sum += loss->count, loss++)
		*ret_reason = loss->reason;
	source_close(source);
	recording_release(&r);
	return sum;
}

TEST(losses_that_no_event_tells_are_of_the_end_marker)
{
	uint32_t reason = 0;

	assert_int_equal(losses_of(0, 0, &reason), 0);
	assert_int_equal(losses_of(5, 5, &reason), 5);
	assert_int_equal(reason, EVT_LOST_FULL);
	assert_int_equal(losses_of(5, 3, &reason), 5);
	assert_int_equal(losses_of(0, 21205, &reason), 21205);
	assert_int_equal(reason, EVT_LOST_LIMIT);
	assert_int_equal(losses_of(5, 21205, &reason), 21205);
	assert_int_equal(reason, EVT_LOST_LIMIT);
}

static void make_one(struct recording *r, const struct file_header *header, uint64_t time_ns)
{
	recording_start(r, header);
	put_definitions(r);
	put_marks(r, 1, &time_ns, 1);
	recording_close_frame(r, time_ns + 10);
	recording_finish(r, time_ns + 10);
}

TEST(files_of_one_host_are_placed_by_the_monotonic_clock)
{
	struct file_header later = plain_header;
	struct recording r[2];
	struct source *source;
	uint64_t order[2];

	later.base_mono += 100;
	later.base_real += 77; /* was set a little meanwhile */
	make_one(&r[0], &plain_header, 150);
	make_one(&r[1], &later, 20);
	source = open_images(r, 2);
	assert_int_equal(read_threads(source, order, 2), 2);
	assert_int_equal(order[0], 11000120);
	assert_int_equal(order[1], 11000150);
	source_close(source);
	recording_release(&r[0]);
	recording_release(&r[1]);
}

TEST(files_of_other_hosts_are_placed_by_the_wall_clock)
{
	struct file_header other = plain_header;
	struct recording r[2];
	struct source *source;
	uint64_t order[2];

	strcpy(other.host, "elsewhere");
	other.base_mono += 1000000000000;
	other.base_real -= 30;
	make_one(&r[0], &plain_header, 150);
	make_one(&r[1], &other, 20);
	source = open_images(r, 2);
	assert_int_equal(read_threads(source, order, 2), 2);
	assert_int_equal(order[0], 11000020); /* the other one began 30 ns earlier and is time 0 */
	assert_int_equal(order[1], 11000180);
	source_close(source);
	recording_release(&r[0]);
	recording_release(&r[1]);
}

TEST(names_may_be_defined_late_or_never)
{
	struct recording r;
	struct source *source;
	struct source_event event;
	const struct source_name *late, *never;

	recording_start(&r, &plain_header);
	put_definitions(&r);
	frame_begin_block(r.fw, 1);
	FRAME_PUT(r.fw, 5, nvtx_push, .name = 7);
	FRAME_PUT(r.fw, 6, nvtx_push, .name = 8);
	frame_end_block(r.fw);
	recording_close_frame(&r, 10);
	frame_begin_block(r.fw, 0);
	put_string(&r, 7, "late");
	frame_end_block(r.fw);
	recording_close_frame(&r, 20);
	recording_finish(&r, 20);
	source = open_images(&r, 1);
	while (!source_next(source, &event) && event.event.id != EVT_nvtx_push)
		;
	late = source_name_of(source, event.file, 7);
	never = source_name_of(source, event.file, 8);
	assert_string_equal(source_name_text(late), "<lost #7>");
	while (!source_next(source, &event))
		assert_int_equal(event.file->index, 0);
	assert_string_equal(source_name_text(late), "late");
	assert_int_equal(late->length, 4);
	assert_string_equal(source_name_text(never), "<lost #8>");
	assert_null(never->text);
	source_close(source);
	recording_release(&r);
}

TEST(a_signal_handlers_stream_joins_its_thread)
{
	static const uint64_t time_ns = 9;
	struct source_thread *const *thread;
	struct recording r;
	struct source *source;
	uint64_t order[2];

	recording_start(&r, &plain_header);
	put_definitions(&r);
	frame_begin_block(r.fw, 0);
	FRAME_PUT(r.fw, 1, thread, .stream = 3, .process = 1, .tid = 11, .level = 1);
	FRAME_PUT(r.fw, 2, thread_end, .stream = 3);
	FRAME_PUT(r.fw, 20, thread_end, .stream = 1);
	FRAME_PUT(r.fw, 30, thread, .stream = 4, .process = 1, .tid = 11);
	frame_end_block(r.fw);
	put_marks(&r, 1, &time_ns, 1);
	put_marks(&r, 3, &time_ns, 1);
	recording_close_frame(&r, 40);
	recording_finish(&r, 40);
	source = open_images(&r, 1);
	assert_int_equal(read_threads(source, order, 2), 2);
	assert_int_equal(source_threads(source, &thread), 3); /* 11, 12, and 11 used again */
	assert_int_equal(thread[0]->events, 2);
	assert_true(thread[0]->ended);
	assert_int_equal(thread[0]->end_ns, 20);
	assert_int_equal(thread[2]->tid, 11);
	assert_int_equal(thread[2]->events, 0);
	assert_false(thread[2]->ended);
	source_close(source);
	recording_release(&r);
}

TEST(a_stream_without_definition_has_a_row_that_says_so)
{
	static const uint64_t time_ns = 9;
	struct source_process *const *process;
	struct source_thread *const *thread;
	struct recording r;
	struct source *source;
	uint64_t order[1];

	recording_start(&r, &plain_header);
	put_marks(&r, 5, &time_ns, 1);
	recording_close_frame(&r, 40);
	recording_finish(&r, 40);
	source = open_images(&r, 1);
	assert_int_equal(read_threads(source, order, 1), 1);
	assert_int_equal(source_threads(source, &thread), 1);
	assert_int_equal(thread[0]->tid, 0);
	assert_int_equal(source_processes(source, &process), 1);
	assert_int_equal(process[0]->pid, 0);
	assert_string_equal(source_name_text(process[0]->command), "");
	source_close(source);
	recording_release(&r);
}

TEST(the_tables_say_what_was_recorded)
{
	struct source_process *const *process;
	const struct source_loss *loss;
	const struct source_meta *meta;
	struct source_event event;
	struct recording r;
	struct source *source;

	recording_start(&r, &plain_header);
	put_definitions(&r);
	frame_begin_block(r.fw, 0);
	FRAME_PUT(r.fw, 1, process, .process = 2, .pid = 101, .parent_pid = 100, .parent = 1);
	FRAME_PUT(r.fw, 2, module, .process = 1, .start = 0x1000, .bytes = 0x1000, .path = 1);
	FRAME_PUT(r.fw, 3, lost, .process = 2, .count = 5, .reason = EVT_LOST_FULL);
	FRAME_PUT(r.fw, 4, lost, .process = 2, .count = 6, .reason = EVT_LOST_FULL);
	FRAME_PUT(r.fw, 4, lost, .process = 2, .count = 7, .reason = EVT_LOST_MODULES);
	FRAME_PUT(r.fw, 5, meta, .key = 1, .value = 1);
	FRAME_PUT(r.fw, 6, process_end, .process = 2, .exit_status = 3, .cpu_ns = 44,
		  .how = EVT_END_EXIT);
	FRAME_PUT(r.fw, 7, module_end, .process = 1, .start = 0x1000);
	frame_end_block(r.fw);
	recording_close_frame(&r, 40);
	recording_finish(&r, 40);
	source = open_images(&r, 1);
	while (!source_next(source, &event))
		assert_null(event.process);
	assert_int_equal(source_processes(source, &process), 2);
	assert_ptr_equal(process[1]->parent, process[0]);
	assert_true(process[1]->ended);
	assert_int_equal(process[1]->exit_status, 3);
	assert_int_equal(process[1]->cpu_ns, 44);
	assert_int_equal(process[1]->lost, 11);
	assert_int_equal(source_losses(source, &loss), 2);
	assert_int_equal(loss[0].count, 11);
	assert_int_equal(loss[1].count, 7); /* of libraries: no event is missing */
	assert_int_equal(source_metas(source, &meta), 1);
	assert_string_equal(source_name_text(meta[0].value), "program");
	assert_int_equal(process[0]->module_count, 1);
	assert_ptr_equal(source_module_at(process[0], 0x1fff, 5), process[0]->module[0]);
	assert_null(source_module_at(process[0], 0x2000, 5));
	assert_null(source_module_at(process[0], 0x1fff, 8)); /* gone by then */
	assert_ptr_equal(source_module_at(process[0], 0x1000, 1),
			 process[0]->module[0]); /* not yet seen */
	assert_ptr_equal(source_module_at(process[1], 0x1000, 6),
			 process[0]->module[0]); /* inherited */
	source_close(source);
	recording_release(&r);
}

/*
 * The collector finds both in one look: the new one has been there since the look before, the old
 * one ends now.
 */
TEST(a_mapping_takes_the_place_of_another)
{
	struct source_process *const *process;
	const struct source_module *before, *after;
	struct source_event event;
	struct recording r;
	struct source *source;

	recording_start(&r, &plain_header);
	put_definitions(&r);
	frame_begin_block(r.fw, 0);
	put_string(&r, 2, "old");
	put_string(&r, 3, "new");
	FRAME_PUT(r.fw, 2, module, .process = 1, .start = 0x1000, .bytes = 0x2000, .path = 2);
	FRAME_PUT(r.fw, 5, module, .process = 1, .start = 0x1000, .bytes = 0x1000, .path = 3);
	FRAME_PUT(r.fw, 7, module_end, .process = 1, .start = 0x1000);
	frame_end_block(r.fw);
	recording_close_frame(&r, 40);
	recording_finish(&r, 40);
	source = open_images(&r, 1);
	while (!source_next(source, &event))
		;
	assert_int_equal(source_processes(source, &process), 1);
	before = source_module_at(process[0], 0x1800, 3);
	after = source_module_at(process[0], 0x1800, 9);
	assert_non_null(before);
	assert_string_equal(source_name_text(before->path), "old");
	assert_non_null(after);
	assert_string_equal(source_name_text(after->path), "new");
	assert_null(source_module_at(process[0], 0x2800, 9)); /* what is left of the old one */
	source_close(source);
	recording_release(&r);
}
