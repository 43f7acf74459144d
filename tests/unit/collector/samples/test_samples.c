/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/samples/samples.c: looks at a made-up CPython of every layout, whose thread is one that
 * spins: what becomes a sample, what is torn, threads that are gone, many threads, lists without
 * end, a kernel that refuses, gates that are shut.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/collector/samples/made_process.h"

#define NO_TID 0x7fff0000u /* larger than any thread's */

/* A thread that runs whenever it is looked at. */
static struct {
	pthread_t thread;
	atomic_uint tid;
	atomic_bool ends;
} spinner;

static void *spin(void *argument)
{
	atomic_store(&spinner.tid, (uint32_t)syscall(SYS_gettid));
	while (!atomic_load(&spinner.ends))
		;
	return argument;
}

static int spinner_start(void **state)
{
	if (pthread_create(&spinner.thread, NULL, spin, NULL))
		return -1;
	while (!atomic_load(&spinner.tid))
		sched_yield();
	return 0;
}

static int spinner_end(void **state)
{
	atomic_store(&spinner.ends, true);
	return pthread_join(spinner.thread, NULL);
}

static void begin_with(unsigned int minor, uint32_t threads, uint32_t tid)
{
	made_python_init(minor, threads, tid);
	made_process_init(minor);
}

static unsigned int told(uint32_t id)
{
	const struct journal *journal = &looked.common.journal;
	unsigned int count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += journal->event[i].id == id;
	return count;
}

/*
 * The samples so far, but those that only set the clock. What is in the queue for a CPU counts as
 * running: others may have the CPUs.
 */
static uint32_t samples_of(enum evt_python_state state, uint32_t *ret_place)
{
	uint32_t looks = 0;

	samples_settle(&looked.samples, 1);
	for (uint32_t i = 0; i < looked.samples.waiting_count; i++) {
		const struct sample *sample = &looked.samples.waiting[i];
		enum evt_python_state is = sample->state == EVT_PYTHON_READY ? EVT_PYTHON_RUNS
									     : sample->state;

		if (!sample->looks || is != state)
			continue;
		looks += sample->looks;
		*ret_place = sample->place;
	}
	return looks;
}

static const struct evt_python_sampling *standing(void)
{
	const struct journal *journal = &looked.common.journal;

	for (size_t i = journal->count; i > 0; i--)
		if (journal->event[i - 1].id == EVT_python_sampling)
			return (const void *)journal->event[i - 1].value;
	fail_msg("nothing was told of sampling");
	return NULL;
}

TEST(each_layout_is_sampled)
{
	uint32_t place;

	for (unsigned int minor = 8; minor; minor = layout_next(minor)) {
		begin_with(minor, 1, atomic_load(&spinner.tid));
		made_process_look(4);
		assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 3);
		assert_int_equal(place, MADE_FRAMES);
		assert_int_equal(told(EVT_python_place), MADE_FRAMES);
		assert_int_equal(told(EVT_python_code), MADE_CODES);
		assert_int_equal(told(EVT_thread), 1);
		assert_int_equal(standing()->off, EVT_PYTHON_ON);
		assert_int_equal(standing()->torn, 0);
		made_process_release();
	}
}

/* Who had the GIL at each of `looks` looks at the thread that spins: the same all the time. */
static uint32_t holder_seen(uint32_t looks)
{
	uint32_t holder = 0, place;

	made_process_look(looks);
	(void)samples_of(EVT_PYTHON_RUNS, &place);
	for (uint32_t i = 0; i < looked.samples.waiting_count; i++)
		if (looked.samples.waiting[i].looks)
			holder = looked.samples.waiting[i].holder;
	return holder;
}

/* The thread that spins has the GIL, or had it last, or a thread has it that nobody lists. */
TEST(holder_of_the_gil_is_known)
{
	for (unsigned int minor = 8; minor; minor = layout_next(minor)) {
		uint32_t tid = atomic_load(&spinner.tid), gil;

		begin_with(minor, 1, tid);
		gil = made.layout->gil ? MADE_RUNTIME + made.layout->gil : MADE_CFRAME;
		made_put(gil + made.layout->gil_holder, made_address(made_thread(0)));
		assert_int_equal(holder_seen(3), 0);
		made_put(gil + made.layout->gil_locked, 1);
		assert_int_equal(holder_seen(3), tid);
		made_put(gil + made.layout->gil_holder, made_address(made_thread(1)));
		assert_int_equal(holder_seen(3), 0);
		made_put(gil + made.layout->gil_holder, 0x10);
		assert_int_equal(holder_seen(3), 0);
		made_process_release();
	}
}

/* AddressSanitizer sees a read beyond a frame. */
TEST(words_at_the_end_of_a_frame_are_read)
{
	uint32_t place = 0;

	begin_with(FREE_THREADED + 14, 1, atomic_load(&spinner.tid));
	made_put(MADE_RUNTIME + 36 * 8, PYTHON_FRAME_BYTES - 5); /* owner */
	made_put(MADE_RUNTIME + 38 * 8, PYTHON_FRAME_BYTES - 4); /* copy */
	for (uint32_t i = 0; i < MADE_FRAMES; i++)
		made_put(MADE_FRAME + i * 128 + PYTHON_FRAME_BYTES - 8, 1ull << 32);
	made_process_look(4);
	assert_int_equal(samples_of(EVT_PYTHON_TORN, &place), 0);
	assert_int_equal(standing()->off, EVT_PYTHON_ON);
	made_process_release();
}

/*
 * Where nothing changes: the instruction that the thread is at, then all that moves, of one moment,
 * then the rest.
 */
TEST(look_is_at_most_three_reads)
{
	begin_with(11, 1, atomic_load(&spinner.tid));
	made_process_look(4);
	for (int i = 0; i < 16; i++) {
		made.reads = 0;
		made_process_look(1);
		assert_in_range(made.reads, 2, 3);
	}
	made_process_release();
}

TEST(torn_stack_has_no_line)
{
	uint32_t place = 1;

	begin_with(11, 1, atomic_load(&spinner.tid));
	made_process_look(3);
	made_put(MADE_FRAME + made.layout->frame_back, 3);
	made_process_look(2);
	made_frame(0, 0, false);
	made_process_look(2);
	assert_int_equal(samples_of(EVT_PYTHON_TORN, &place), 2);
	assert_int_equal(place, 0);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 4);
	assert_int_equal(place, MADE_FRAMES);
	assert_int_equal(standing()->torn, 2);
	made_process_release();
}

/*
 * Its state is still listed, the kernel has none of it; then it is listed no more, and comes back.
 */
TEST(thread_ends)
{
	uint32_t place;

	begin_with(12, 2, NO_TID);
	made_tid(0, atomic_load(&spinner.tid));
	made_process_look(3);
	assert_int_equal(looked.samples.thread_count, 2);
	assert_int_equal(told(EVT_thread), 1);
	made_put(MADE_INTERPRETER + made.layout->threads, made_address(made_thread(1)));
	made_process_look(2);
	assert_int_equal(looked.samples.thread_count, 1);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 2);
	made_put(MADE_INTERPRETER + made.layout->threads, made_address(made_thread(0)));
	made_process_look(3); /* all three count: it has begun since a look */
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 5);
	made_process_release();
}

/*
 * Who is seen for the first time, and runs, stands for those that began and ended since the look
 * before.
 */
TEST(thread_that_is_new_stands_for_the_time_since_the_last_look)
{
	const struct sample *first = NULL;
	uint32_t place;

	begin_with(12, 2, NO_TID);
	made_put(MADE_INTERPRETER + made.layout->threads, made_address(made_thread(1)));
	made_process_look(2);
	made_tid(0, atomic_load(&spinner.tid));
	made_put(MADE_INTERPRETER + made.layout->threads, made_address(made_thread(0)));
	made_process_look(1);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 1);
	assert_int_equal(place, MADE_FRAMES);
	for (uint32_t i = 0; i < looked.samples.waiting_count; i++)
		if (looked.samples.waiting[i].looks)
			first = &looked.samples.waiting[i];
	assert_non_null(first);
	assert_true(looked.samples.since_ns > 0);
	/* less where others have had the CPUs; never what it has used since it began */
	assert_in_range(first->cpu_us, 0, looked.samples.since_ns / 1000);
	made_process_release();

	/* the first look of all follows none: what was before is not known */
	begin_with(12, 1, atomic_load(&spinner.tid));
	made_process_look(1);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 0);
	made_process_release();
}

static void *sleep_until_locked(void *argument)
{
	atomic_store(&spinner.tid, (uint32_t)syscall(SYS_gettid));
	pthread_mutex_lock(argument);
	pthread_mutex_unlock(argument);
	return NULL;
}

/* The looks of the only thread so far, whatever its state. */
static uint32_t looks_so_far(void)
{
	uint32_t looks = 0;

	samples_settle(&looked.samples, 1);
	for (uint32_t i = 0; i < looked.samples.waiting_count; i++)
		looks += looked.samples.waiting[i].looks;
	return looks;
}

/* Takes looks; returns for how many they stand, with those that were left out before them. */
static uint32_t looks_taken(unsigned int times)
{
	uint32_t periods = 0;

	while (times--) {
		periods += 1 + looked.samples.rest;
		made_process_look(1);
	}
	return periods;
}

/* Who sleeps is looked at less often, and what is left out counts; a new process ends the rest. */
TEST(threads_that_sleep_are_left_out_together)
{
	uint32_t spinning = atomic_load(&spinner.tid), before, periods;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_t sleeper;

	atomic_store(&spinner.tid, 0);
	pthread_mutex_lock(&mutex);
	assert_int_equal(pthread_create(&sleeper, NULL, sleep_until_locked, &mutex), 0);
	while (!atomic_load(&spinner.tid))
		sched_yield();
	begin_with(11, 1, atomic_load(&spinner.tid));
	for (int i = 0; i < 100000 && !looked.samples.rest; i++) {
		made_process_look(1);
		sched_yield(); /* until it has got as far as the lock */
	}
	assert_int_equal(looked.samples.rest, 3);
	before = looks_so_far();
	periods = looks_taken(40);
	assert_int_equal(looks_so_far() - before, periods);
	for (int i = 0; i < 40; i++) {
		periods += looks_taken(1);
		(void)looks_so_far(); /* a frame is closed in the middle of a rest, too */
	}
	periods += looks_taken(8);
	assert_int_equal(looks_so_far() - before, periods);
	assert_true(periods > 88);

	while (!looked.samples.rest)
		made_process_look(1);
	periods = (uint32_t)looked.samples.looks;
	samples_take(&looked.samples, 0);
	assert_int_equal(looked.samples.looks, periods); /* it is too early */
	looked.processes.limit = 2;
	looked.processes.slot[1] = looked.processes.slot[0];
	looked.processes.slot[1].number = MADE_NUMBER + 1;
	samples_take(&looked.samples, 0);
	assert_int_equal(looked.samples.looks, periods); /* it has no Python yet */
	atomic_store(&looked.shared[1].python, atomic_load(&looked.shared[0].python));
	samples_take(&looked.samples, 0);
	assert_int_equal(looked.samples.looks, periods + 1);
	made_process_release();
	pthread_mutex_unlock(&mutex);
	pthread_join(sleeper, NULL);
	atomic_store(&spinner.tid, spinning);
}

/*
 * A list that leads back into itself, interpreters too; a thread of address 1; one without an id.
 */
TEST(lists_without_end_end)
{
	uint32_t place;

	begin_with(11, MADE_THREADS, NO_TID);
	made_tid(0, atomic_load(&spinner.tid));
	made_put(made_thread(MADE_THREADS - 1) + made.layout->thread_next,
		 made_address(made_thread(0)));
	made_put(MADE_INTERPRETER + made.layout->interpreter_next, made_address(MADE_INTERPRETER));
	made_process_look(3);
	assert_int_equal(looked.samples.thread_count, MADE_THREADS);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), 2);
	made_put(made_thread(3) + made.layout->thread_next, 1);
	made_tid(2, 0);
	made_process_look(2);
	assert_int_equal(looked.samples.thread_count, 3);
	samples_settle(&looked.samples, 1);
	assert_int_equal(standing()->partial, 5);
	made_put(MADE_INTERPRETER + made.layout->interpreter_next, 0);
	made_process_look(2); /* now all of them are followed */
	samples_settle(&looked.samples, 2);
	assert_int_equal(standing()->partial, 5);
	made_process_release();
}

TEST(kernel_that_refuses_is_asked_no_more)
{
	static const int errors[] = { EPERM, ENOSYS, EACCES };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		begin_with(11, 1, atomic_load(&spinner.tid));
		made.error = errors[i];
		made_process_look(1);
		samples_settle(&looked.samples, 1);
		made.reads = 0;
		made_process_look(5);
		samples_settle(&looked.samples, 2);
		assert_int_equal(made.reads, 0);
		assert_int_equal(told(EVT_python_sampling), 1);
		assert_int_equal(standing()->off, EVT_PYTHON_OFF_REFUSED);
		assert_int_equal(looked.samples.next_ns, 0);
		made_process_release();
	}
}

/*
 * It ends, and for a while its entry is still there: not refused at once, and not asked for ever.
 */
TEST(process_that_is_gone_is_given_up)
{
	begin_with(11, 1, atomic_load(&spinner.tid));
	made_process_look(2);
	made.error = ESRCH;
	made_process_look(5);
	samples_settle(&looked.samples, 1);
	assert_int_equal(standing()->off, EVT_PYTHON_ON);
	made_process_look(30);
	samples_settle(&looked.samples, 2);
	assert_int_equal(standing()->off, EVT_PYTHON_OFF_REFUSED);
	assert_int_equal(told(EVT_meta), 0); /* it was sampled: that nothing was would be wrong */
	made_process_release();
}

TEST(nothing_is_seen_while_gates_are_shut)
{
	uint32_t place, before;

	begin_with(11, 1, atomic_load(&spinner.tid));
	made_process_look(3);
	before = samples_of(EVT_PYTHON_RUNS, &place);
	made_put(MADE_GATES, 0);
	made_process_look(5);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), before);
	made_put(MADE_GATES + 8, 1);
	made_process_look(3);
	assert_int_equal(samples_of(EVT_PYTHON_RUNS, &place), before + 3);
	made_process_release();
}

/* The words at the start of _PyRuntime, as a program may leave them: `index` is another one. */
static void layout_refused_with(uint32_t index, uint64_t word)
{
	begin_with(FREE_THREADED + 14, 1, atomic_load(&spinner.tid));
	made_put(MADE_RUNTIME + index * 8, word);
	made_process_look(3);
	samples_settle(&looked.samples, 1);
	assert_int_equal(standing()->off, EVT_PYTHON_OFF_LAYOUT);
	made_process_release();
}

TEST(words_of_a_program_are_not_believed)
{
	const struct python_offset_words *at = python_offset_words_of(14);
	const uint8_t index[] = {
		at->interpreters,  at->interpreter_next, at->threads,      at->gil_pointer,
		at->gil,           at->thread_next,      at->thread_frame, at->thread_id,
		at->thread_native, at->frame_back,       at->frame_code,   at->frame_at,
		at->frame_owner,   at->frame_copy,       at->code_file,    at->code_name,
		at->code_table,    at->code_line,        at->code_start,   at->code_copies,
		at->object_type,   at->bytes_size,       at->bytes_data,   at->text_state,
		at->text_length,   at->text_data
	};

	layout_refused_with(0, 0);
	layout_refused_with(1, 0x30d00f0);
	layout_refused_with(2, 2);
	for (size_t i = 0; i < sizeof(index); i++) {
		layout_refused_with(index[i], UINT64_MAX);
		layout_refused_with(index[i], UINT16_MAX);
		layout_refused_with(index[i], 1ull << 32);
	}
}

TEST(why_there_are_none_is_told)
{
	static const struct {
		unsigned int minor;
		enum python_standing standing;
		enum evt_python_off off;
	} all[] = { { 15, PYTHON_STANDS_UNKNOWN, EVT_PYTHON_OFF_VERSION },
		    { 11, PYTHON_STANDS_REFUSED, EVT_PYTHON_OFF_REFUSED },
		    { 77, PYTHON_STANDS_CHECKED, EVT_PYTHON_OFF_VERSION },
		    { 12, PYTHON_STANDS_DIFFERENT, EVT_PYTHON_OFF_LAYOUT } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin_with(11, 1, atomic_load(&spinner.tid));
		made_process_say(all[i].minor, all[i].standing);
		made_process_look(3);
		samples_settle(&looked.samples, 1);
		assert_int_equal(made.reads, 0);
		assert_int_equal(standing()->off, all[i].off);
		made_process_release();
	}
	begin_with(11, 1, atomic_load(&spinner.tid));
	looked.processes.slot[0].moved = true;
	made_process_look(1);
	samples_settle(&looked.samples, 1);
	assert_int_equal(standing()->off, EVT_PYTHON_OFF_ELSEWHERE);
	made_process_release();
}

/* How many looks of `looks`, each of which had to wait for its own CPU, found the thread on one. */
static uint32_t late_looks_on_cpu(uint32_t looks)
{
	struct samples *samples = &looked.samples;
	uint32_t found = 0;

	for (uint32_t i = 0; i < looks && !found; i++) {
		samples->waiting_count = 0;
		samples->prompt.ready_ns -= 1000000; /* so long it was in a queue since */
		made_process_look(1);
		samples_settle(samples, 1);
		assert_true(samples->is_late);
		for (uint32_t j = 0; j < samples->waiting_count; j++)
			found += samples->waiting[j].weight &&
				 samples->waiting[j].state == EVT_PYTHON_RUNS;
	}
	return found;
}

/* That we came late has nothing to do with where it was: our CPU is another one. */
TEST(look_that_is_late_counts_if_the_thread_kept_its_cpu)
{
	cpu_set_t cpus;

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	if (CPU_COUNT(&cpus) < 2)
		skip();
	begin_with(11, 1, atomic_load(&spinner.tid));
	looked.samples.sees_queues = true;
	assert_int_not_equal(late_looks_on_cpu(200000), 0);
	made_process_release();
}

TEST_GROUP(spinner_start, spinner_end)
