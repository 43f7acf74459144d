/* SPDX-License-Identifier: MIT */
/*
 * A look lists the threads of a process from its interpreters, asks the kernel which of them have
 * run, reads the stacks of those, and spreads each thread's CPU time over its looks.
 */
#include "collector/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/processes/limitations.h"
#include "collector/processes/proc.h"
#include "collector/region/python_offsets.h"
#include "collector/samples/native_calls.h"
#include "collector/samples/gil.h"
#include "collector/samples/holders.h"
#include "collector/samples/moments.h"
#include "collector/samples/prompt.h"
#include "collector/samples/rest.h"
#include "collector/samples/spread.h"

#define NS_PER_S 1000000000ull
#define SHARE 20u /* sampling may take one part in so many of the collector's time */
#define INTERPRETERS_MAX 16u
#define IDLE_LOOKS 50u /* a thread that is idle for longer is looked at less often */
#define SKIP_MAX 7u
#define LOOKS_MAX 10u     /* one sample stands for at most so many looks: 0.1 s */
#define WATCH_LOOKS 4u    /* a thread that ran within so many looks may get a CPU again */
#define PROMPT_NS 200000u /* a look that is later than this had to wait for a CPU itself */
#define FAILURES_MAX 20u  /* failures in a row before a process is given up */

int samples_init(struct samples *samples, struct common *common, struct processes *processes,
		 uint32_t *stream_numbers)
{
	memset(samples, 0, sizeof(*samples));
	samples->common = common;
	samples->processes = processes;
	samples->stream_numbers = stream_numbers;
	samples->random = (uint64_t)(uintptr_t)samples ^ common->view.base_mono ^ 1;
	places_init(&samples->places, &common->journal);
	codes_init(&samples->codes, common, &samples->places);
	samples->sees_queues = true;
	prompt_begin(&samples->prompt);
	samples->is_ready = memory_init(&samples->memory) == 0;
	return samples->is_ready ? 0 : -1;
}

static void samples_thread_forget(struct samples *samples, uint32_t index)
{
	struct sampled_thread *thread = &samples->thread[index];

	thread_files_close(&thread->files);
	memory_hints_release(&thread->hints);
	stack_known_release(&thread->known);
	samples->thread[index] = samples->thread[--samples->thread_count];
}

void samples_release(struct samples *samples)
{
	while (samples->thread_count)
		samples_thread_forget(samples, 0);
	for (uint32_t i = 0; i < REGION_PROCESSES; i++)
		memory_hints_release(&samples->process[i].hints);
	prompt_end(&samples->prompt);
	free(samples->thread);
	free(samples->waiting);
	codes_release(&samples->codes);
	places_release(&samples->places);
	memory_release(&samples->memory);
	samples->thread = NULL;
	samples->waiting = NULL;
}

/* --- what waits for the frame --- */

static void samples_sample_keep(struct samples *samples, struct sampled_process *process,
				const struct sample *sample)
{
	uint32_t room = samples->waiting_room ? samples->waiting_room * 2 : 256;
	struct sample *moved;

	if (samples->waiting_count == samples->waiting_room) {
		moved = room > SAMPLES_WAITING_MAX
				? NULL
				: realloc(samples->waiting, room * sizeof(*moved));
		if (!moved) {
			if (process)
				process->now.dropped++;
			return;
		}
		samples->waiting = moved;
		samples->waiting_room = room;
	}
	samples->waiting[samples->waiting_count] = *sample;
	samples->waiting[samples->waiting_count].order = samples->waiting_count;
	samples->waiting_count++;
}

void samples_settle_thread(struct samples *samples, struct sampled_process *process,
			   struct sampled_thread *thread)
{
	struct sample *last = &thread->last;

	if (last->looks) {
		if (thread->owed_us <= UINT32_MAX - last->cpu_us) {
			last->cpu_us += (uint32_t)thread->owed_us;
			thread->owed_us = 0;
		}
		samples_sample_keep(samples, process, last);
	}
	last->looks = 0;
}

/* --- threads --- */

static uint64_t clock_now_ns(const struct samples *samples)
{
	return clockmap_ns(&samples->common->clock, clockmap_now(&samples->common->clock));
}

struct sampled_thread *samples_thread_of(struct samples *samples, uint32_t process, uint32_t tid,
					 uint32_t *next)
{
	for (uint32_t i = 0, at = *next; i < samples->thread_count; i++, at++) {
		if (at >= samples->thread_count)
			at = 0;
		if (samples->thread[at].tid == tid && samples->thread[at].process == process) {
			*next = at + 1;
			return &samples->thread[at];
		}
	}
	return NULL;
}

static struct sampled_thread *thread_add(struct samples *samples, const struct process *process,
					 uint32_t tid)
{
	struct sampled_thread *moved, *thread;
	uint32_t room = samples->thread_room ? samples->thread_room * 2 : 16;

	if (samples->thread_count == samples->thread_room) {
		moved = room > SAMPLES_THREADS_MAX
				? NULL
				: realloc(samples->thread, room * sizeof(*moved));
		if (!moved)
			return NULL;
		samples->thread = moved;
		samples->thread_room = room;
	}
	thread = &samples->thread[samples->thread_count++];
	*thread = (struct sampled_thread){ .process = process->number,
					   .tid = tid,
					   .plan = PLAN_BEGIN };
	thread_files_init(&thread->files, process->pid, tid);
	return thread;
}

/* Returns false if the thread cannot be seen. */
static bool samples_look_at(struct samples *samples, struct sampled_thread *thread)
{
	bool was_stopped = thread->look.state == EVT_PYTHON_STOPPED;

	if (!thread_look(&thread->files, thread->gil, &thread->look))
		return false;
	if (was_stopped != (thread->look.state == EVT_PYTHON_STOPPED))
		samples->common->stop_is_new = true;
	return true;
}

/* The first look, from which on the thread's times count. Returns false if it cannot be seen. */
static bool thread_begin(struct samples *samples, struct sampled_process *process,
			 struct sampled_thread *thread)
{
	uint64_t now_ns = clock_now_ns(samples);

	if (!samples_look_at(samples, thread))
		return false;
	if (!thread->stream) {
		thread->stream = ++*samples->stream_numbers;
		JOURNAL_ADD(&samples->common->journal, now_ns, thread, .stream = thread->stream,
			    .process = thread->process, .tid = thread->tid, .level = 2);
	}
	thread->cpu_ns = thread->look.cpu_ns;
	thread->ready_ns = thread->look.ready_ns;
	thread->has_begun = true;
	thread->moment = (struct thread_moment){ .is_known = false };
	thread->idle = 0;
	thread->owed_us = 0;
	thread->last = (struct sample){ 0 };
	samples_sample_keep(samples, process,
			    &(struct sample){ .stream = thread->stream, .time_ns = now_ns });
	return true;
}

static uint32_t take_us(uint64_t now_ns, uint64_t *told_ns)
{
	uint64_t us = now_ns > *told_ns ? (now_ns - *told_ns) / 1000 : 0;

	if (us > UINT32_MAX)
		us = UINT32_MAX;
	*told_ns += us * 1000;
	return (uint32_t)us;
}

/* The thread has not run: its last look holds again. */
static void thread_rest(struct samples *samples, struct sampled_process *process,
			struct sampled_thread *thread)
{
	struct sample *last = &thread->last;

	if (last->looks >= LOOKS_MAX)
		samples_settle_thread(samples, process, thread);
	if (!last->looks) {
		last->cpu_us = 0;
		last->ready_us = 0;
	}
	last->looks += 1 + thread->left_out;
	thread->left_out = 0;
	last->time_ns = clock_now_ns(samples);
	thread->idle++;
	thread->skip = thread->idle > IDLE_LOOKS ? SKIP_MAX : 0;
}

static void thread_walk(struct samples *samples, struct sampled_process *process,
			struct sampled_thread *thread, const struct code_reader *reader)
{
	const struct thread_look *look = &thread->look;
	struct moments_again again = { samples, thread, reader };
	const struct stack_wanted wanted = { .thread = thread->address,
					     .runs = moments_has_run(samples, thread),
					     .begin_again = moments_begin_again,
					     .end_again = moments_end_again,
					     .of = &again };
	uint64_t now_ns = clock_now_ns(samples);
	enum stack_result result;
	struct stack stack;
	bool calls_c;

	samples_settle_thread(samples, process, thread);
	thread->idle = thread->skip = thread->left_out = 0;
	memory_begin_use(&samples->memory);
	result = stack_read(&samples->codes, reader, &wanted, &thread->known, &stack);
	calls_c = wanted.runs && result == STACK_READ &&
		  native_calls_at(&samples->memory, reader->layout, &stack.innermost);
	memory_keep_hints(&samples->memory, &thread->hints);
	process->now.torn += result == STACK_TORN;
	process->now.cut += stack.is_cut;
	thread->last = (struct sample){ .stream = thread->stream,
					.time_ns = now_ns,
					.place = stack.place,
					.state = look->state,
					.cpu_us = take_us(look->cpu_ns, &thread->cpu_ns),
					.ready_us = take_us(look->ready_ns, &thread->ready_ns),
					.call = look->wait.call,
					.looks = 1 };
	process->told_ns += thread->last.cpu_us * 1000ull;
	if (wanted.runs)
		moments_judge(samples, thread, reader);
	if (result == STACK_TORN)
		thread->last.state = EVT_PYTHON_TORN;
	else if (!wanted.runs)
		thread->waited = stack.place;
	thread->last.calls = calls_c && thread->last.state == EVT_PYTHON_RUNS;
}

/* Returns the process's CPU time that no thread was charged with; UINT64_MAX for a new process. */
static uint64_t process_untold_ns(struct sampled_process *process, uint32_t pid)
{
	uint64_t used_ns = proc_cpu_ns(pid);

	if (!process->base_ns || !used_ns)
		return UINT64_MAX;
	used_ns -= process->base_ns < used_ns ? process->base_ns : used_ns;
	return used_ns > process->told_ns ? used_ns - process->told_ns : 0;
}

/*
 * Returns the thread's CPU time since the previous sample, limited by the time it was runnable.
 * Whether it has a CPU at this moment is not asked, because this look may have taken it away. A
 * thread that waits in the run queue may be charged too much; the excess belongs to the threads
 * that ran instead.
 */
static uint32_t thread_share_us(const struct samples *samples, const struct thread_look *look,
				uint64_t most_ns)
{
	double cpu_ns = (double)look->cpu_ns, ready_ns = (double)look->ready_ns, share_ns;

	if (!look->cpu_ns)
		return 0;
	share_ns = (double)samples->since_ns * cpu_ns / (cpu_ns + ready_ns);
	return (uint32_t)((share_ns < (double)most_ns ? share_ns : (double)most_ns) / 1000);
}

/*
 * Threads begin and end between two looks. Their work before the first and after the last look is
 * not seen, and a thread that lives for less than a period may not be seen at all. So a thread that
 * can run when it is first seen is charged with all of the time since the previous look. On average
 * this excess equals what is missing of the unseen threads.
 */
static void thread_meet(struct samples *samples, struct sampled_process *process,
			struct sampled_thread *thread, const struct code_reader *reader)
{
	uint64_t most_ns;

	if (!thread_begin(samples, process, thread) || !samples->since_ns)
		return;
	most_ns = process_untold_ns(process, thread->files.pid);
	thread_walk(samples, process, thread, reader);
	if (thread->look.state == EVT_PYTHON_RUNS)
		thread->last.cpu_us = thread_share_us(samples, &thread->look, most_ns);
	process->told_ns += thread->last.cpu_us * 1000ull;
	thread->plan = PLAN_WALK;
}

/* Chooses the plan from what the kernel says, before any memory of the thread is read. */
static enum sample_plan thread_plan(struct samples *samples, struct sampled_thread *thread)
{
	const struct thread_look *look = &thread->look;

	if (!thread->has_begun)
		return PLAN_BEGIN;
	if (thread->skip && thread->last.looks)
		return PLAN_SKIP;
	if (!samples_look_at(samples, thread))
		return PLAN_NONE;
	if (thread->last.place && look->state != EVT_PYTHON_RUNS && look->state != EVT_PYTHON_GIL &&
	    look->cpu_ns < thread->cpu_ns + 1000 &&
	    look->state == (enum evt_python_state)thread->last.state)
		return thread->idle < WATCH_LOOKS ? PLAN_WATCH : PLAN_REST;
	return PLAN_WALK;
}

static void thread_take(struct samples *samples, struct sampled_process *process,
			struct sampled_thread *thread, const struct code_reader *reader)
{
	switch (thread->plan) {
	case PLAN_SKIP:
		thread->skip--;
		thread->last.looks++;
		break;
	case PLAN_BEGIN:
		thread_meet(samples, process, thread, reader);
		break;
	case PLAN_WATCH:
		if (moments_has_run(samples, thread)) {
			thread_walk(samples, process, thread, reader);
			break;
		}
		thread->plan = PLAN_REST;
		/* fallthrough */
	case PLAN_REST:
		thread_rest(samples, process, thread);
		break;
	case PLAN_WALK:
		thread_walk(samples, process, thread, reader);
		break;
	case PLAN_NONE:
		break;
	}
}

/* --- processes --- */

static uint64_t samples_word_at(struct memory *memory, uint64_t address)
{
	uint64_t word = 0;

	return memory_get(memory, address, &word, sizeof(word)) ? word : 0;
}

struct listed {
	uint64_t address, gil;
	uint32_t interpreter;
	uint64_t holder; /* thread state that holds this GIL, 0: none */
	uint32_t tid;
};

/* Returns the thread's id in the kernel; 0: not known. */
static uint32_t tid_of(struct memory *memory, const struct python_layout *layout, uint64_t thread,
		       uint32_t tid_offset)
{
	uint8_t bytes[PYTHON_THREAD_BYTES];
	uint64_t id;
	uint32_t tid = 0;

	if (!memory_get(memory, thread, bytes, sizeof(bytes)))
		return 0;
	memcpy(&id, bytes + layout->thread_id, sizeof(id));
	if (layout->thread_native)
		memcpy(&tid, bytes + layout->thread_native, sizeof(tid));
	else if (tid_offset)
		(void)memory_get(memory, id + tid_offset, &tid, sizeof(tid));
	return tid;
}

/* Lists the interpreters' threads, at most `room`. Threads beyond that are counted. */
static uint32_t process_list(struct samples *samples, struct sampled_process *process,
			     const struct region_process *shared, struct listed *listed,
			     uint32_t room)
{
	const struct python_layout *layout = &process->layout;
	struct memory *memory = &samples->memory;
	uint64_t runtime = view_load64(&shared->python_runtime);
	uint32_t tid_offset = python_word_of(view_load64(&shared->python)).tid_offset;
	uint64_t interpreter = samples_word_at(memory, runtime + layout->interpreters);
	uint32_t count = 0;
	bool is_cut = false;

	for (uint32_t i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
		uint64_t gil = layout->gil
				       ? runtime + layout->gil
				       : samples_word_at(memory, interpreter + layout->gil_pointer);
		uint64_t thread = samples_word_at(memory, interpreter + layout->threads);
		uint64_t holder = gil_holder(memory, layout, gil);

		for (; thread && count < room;
		     thread = samples_word_at(memory, thread + layout->thread_next))
			listed[count++] = (struct listed){
				thread, gil, i, holder, tid_of(memory, layout, thread, tid_offset)
			};
		is_cut |= thread != 0;
		interpreter = samples_word_at(memory, interpreter + layout->interpreter_next);
	}
	process->now.partial += is_cut || interpreter;
	return count;
}

/* While nothing is recorded, threads are not sampled. They begin anew when recording does. */
static void process_pause(struct samples *samples, struct sampled_process *sampled)
{
	sampled->base_ns = 0;
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];

		if (thread->process != sampled->number)
			continue;
		samples_settle_thread(samples, sampled, thread);
		thread->has_begun = false;
		thread->seen = samples->looks;
	}
}

/*
 * Gives the process up after an error that is permanent. The same errors come from a process that
 * ends, until its parent has waited for it.
 */
static void process_note_error(struct samples *samples, struct sampled_process *sampled,
			       uint32_t pid)
{
	int error = samples->memory.error;
	bool is_refused = error == EPERM || error == EACCES;
	struct proc_stat stat;

	if (error == ESRCH || (is_refused && sampled->was_read)) {
		if (++sampled->failures <= FAILURES_MAX)
			return;
		sampled->failures = 0;
		is_refused = proc_stat(pid, &stat) && !stat.zombie;
	}
	if (is_refused || error == ENOSYS)
		sampled->now.off = EVT_PYTHON_OFF_REFUSED;
}

static bool is_walked(const struct sampled_thread *thread)
{
	return thread->plan == PLAN_WALK || thread->plan == PLAN_WATCH;
}

/* Finds the threads that have run, then reads all that is likely to be needed, in one call. */
static void process_read(struct samples *samples, struct sampled_process *sampled, uint32_t pid)
{
	memory_begin(&samples->memory, pid);
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];

		if (thread->process != sampled->number)
			continue;
		thread->plan = thread_plan(samples, thread);
		if (!is_walked(thread))
			continue;
		stack_mark(&samples->memory, &sampled->layout, &thread->known, &thread->mark);
		stack_want_moment(&thread->known, &thread->hints, &samples->memory);
	}
	moments_begin(samples, sampled);
	memory_fetch(&samples->memory);
	moments_end(samples, sampled);
	memory_want_hints(&samples->memory, &sampled->hints);
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		const struct sampled_thread *thread = &samples->thread[i];

		if (thread->process == sampled->number && is_walked(thread))
			stack_want_rest(&thread->known, &sampled->layout, &thread->hints,
					&samples->memory);
	}
	memory_fetch(&samples->memory);
}

static void process_take_thread(struct samples *samples, const struct process *process,
				struct sampled_process *sampled, const struct code_reader *reader,
				const struct listed *listed, uint32_t *next)
{
	struct sampled_thread *thread = samples_thread_of(samples, sampled->number, listed->tid,
							  next);

	if (!thread && listed->tid)
		thread = thread_add(samples, process, listed->tid);
	if (!thread || thread->seen == samples->looks)
		return; /* two interpreters list it: the first one counts */
	thread->seen = samples->looks;
	thread->address = listed->address;
	thread->gil = listed->gil;
	thread->files.ours_at = sampled->region_at;
	thread->files.ours_bytes = sampled->region_at ? samples->common->view.shape.bytes : 0;
	thread_take(samples, sampled, thread, reader);
}

/*
 * A thread has a state in each interpreter that it was in; the newest is listed first. If that one
 * has a frame, the thread is there, and its callers wait in the older ones. Otherwise the thread
 * has returned from there, and an older state is the one.
 */
static bool is_left(struct samples *samples, const struct sampled_process *sampled,
		    const struct listed *listed, uint32_t index, uint32_t count)
{
	if (listed[index].interpreter == listed[count - 1].interpreter ||
	    stack_has_frame(&samples->memory, &sampled->layout, listed[index].address))
		return false;
	for (uint32_t i = index + 1; i < count; i++)
		if (listed[i].tid == listed[index].tid &&
		    listed[i].interpreter != listed[index].interpreter)
			return true;
	return false;
}

static void process_take(struct samples *samples, const struct process *process,
			 struct sampled_process *sampled, struct region_process *shared)
{
	static struct listed listed[SAMPLES_THREADS_MAX];
	struct code_reader reader = { .memory = &samples->memory,
				      .layout = &sampled->layout,
				      .process = sampled->number,
				      .code_type = view_load64(&shared->python_code_type) };
	uint32_t count, next = 0;

	process_read(samples, sampled, process->pid);
	if (!memory_has_open_gate(&samples->memory, view_load64(&shared->gates))) {
		process_note_error(samples, sampled, process->pid);
		process_pause(samples, sampled);
		return;
	}
	sampled->failures = 0;
	sampled->was_read = true;
	count = process_list(samples, sampled, shared, listed, SAMPLES_THREADS_MAX);
	atomic_store_explicit(&shared->python_threads, count, memory_order_relaxed);
	memory_keep_hints(&samples->memory, &sampled->hints);
	for (uint32_t i = 0; i < count; i++)
		if (!is_left(samples, sampled, listed, i, count))
			process_take_thread(samples, process, sampled, &reader, &listed[i], &next);
	if (!sampled->base_ns) {
		sampled->base_ns = proc_cpu_ns(process->pid);
		sampled->told_ns = 0;
	}
	for (uint32_t i = 0; i < count; i++)
		if (listed[i].address == listed[i].holder)
			holders_note_gil(samples, sampled,
					 &(struct holder){ listed[i].address, listed[i].gil,
							   listed[i].tid });
	holders_note_mutexes(samples, sampled);
}

/* A process reports its Python for the first time. */
static void samples_process_meet(struct sampled_process *sampled, const struct process *process,
				 const struct python_word *word)
{
	const struct python_layout *known = python_layout_of(word->minor);

	memory_hints_release(&sampled->hints);
	*sampled = (struct sampled_process){ .number = process->number, .serial = process->serial };
	if (known)
		sampled->layout = *known;
	sampled->told.off = EVT_PYTHON_OFF_LIMIT; /* differs from any value: it will be reported */
	sampled->now.process = process->number;
	sampled->now.hz = word->hz;
	if (process->moved)
		sampled->now.off = EVT_PYTHON_OFF_ELSEWHERE;
	else if (word->standing == PYTHON_STANDS_REFUSED)
		sampled->now.off = EVT_PYTHON_OFF_REFUSED;
	else if (word->standing == PYTHON_STANDS_UNKNOWN ||
		 (!known && !python_offset_words_of(word->minor)))
		sampled->now.off = EVT_PYTHON_OFF_VERSION;
	else if (word->standing != PYTHON_STANDS_CHECKED)
		sampled->now.off = EVT_PYTHON_OFF_LAYOUT;
}

/* Reads, once, the offsets that a newer CPython publishes itself; they are checked there. */
static bool process_read_layout(struct samples *samples, struct sampled_process *sampled,
				const struct process *process, const struct region_process *shared,
				unsigned int minor)
{
	uint64_t word[PYTHON_OFFSETS_WORDS];

	memory_begin(&samples->memory, process->pid);
	if (memory_copy(&samples->memory, view_load64(&shared->python_runtime), word,
			sizeof(word)) != sizeof(word))
		process_note_error(samples, sampled, process->pid);
	else if (!python_offsets_take(word, minor, &sampled->layout))
		sampled->now.off = EVT_PYTHON_OFF_LAYOUT;
	return sampled->layout.minor;
}

static bool samples_process_can_be_seen(const struct process *process)
{
	return process->number && process->pid && !process->gone && !process->exiting &&
	       !process->execed && !process->told;
}

/* Returns how often a second the process is to be sampled; 0: never. */
static unsigned int samples_process_look(struct samples *samples, uint32_t entry)
{
	const struct process *process = &samples->processes->slot[entry];
	struct region_process *shared = &samples->common->view.process[entry];
	struct sampled_process *sampled = &samples->process[entry];
	uint64_t packed = process->number ? view_acquire64(&shared->python) : 0;
	struct python_word word = python_word_of(packed);

	if (!packed || !word.hz || word.hz > PYTHON_HZ_MAX ||
	    !samples_process_can_be_seen(process) || view_load64(&shared->exec_tsc))
		return 0;
	if (sampled->number != process->number)
		samples_process_meet(sampled, process, &word);
	sampled->seen = samples->looks;
	sampled->region_at = view_load64(&shared->region_at);
	if (sampled->now.off)
		return 0;
	if (sampled->layout.minor ||
	    process_read_layout(samples, sampled, process, shared, word.minor))
		process_take(samples, process, sampled, shared);
	return sampled->now.off ? 0 : word.hz;
}

/* --- the whole --- */

static struct sampled_process *process_of(struct samples *samples, uint32_t number)
{
	for (uint32_t i = 0; i < samples->processes->limit; i++)
		if (samples->process[i].number == number)
			return &samples->process[i];
	return NULL;
}

/* Removes threads that no interpreter lists any more. */
static void threads_sweep(struct samples *samples)
{
	for (uint32_t i = samples->thread_count; i > 0; i--) {
		struct sampled_thread *thread = &samples->thread[i - 1];

		if (thread->seen == samples->looks)
			continue;
		samples_settle_thread(samples, process_of(samples, thread->process), thread);
		samples_thread_forget(samples, i - 1);
	}
}

/* Returns the mean pause after a look that took `spent_ns`. */
static uint64_t samples_period_ns(unsigned int hz, uint64_t spent_ns)
{
	uint64_t period_ns = NS_PER_S / hz;

	return spent_ns * SHARE > period_ns ? spent_ns * SHARE : period_ns;
}

/*
 * Returns the time since the previous look, 0 if there was none; at most twice the planned pause,
 * because a collector that was held up for longer knows nothing about the time between.
 */
static uint64_t since_ns(const struct samples *samples, uint64_t steady_ns)
{
	uint64_t planned_ns = samples->next_ns - samples->looked_ns;
	uint64_t since_ns = steady_ns - samples->looked_ns;

	if (!samples->looked_ns)
		return 0;
	return since_ns < 2 * planned_ns ? since_ns : 2 * planned_ns;
}

/*
 * Returns what this look took: its duration, but at most our CPU time since the end of the previous
 * look, since others may have had our CPU meanwhile. The CPU clock is read only here, at the end:
 * reading it sets the time of our switch, which moments.c needs, to now.
 */
static uint64_t spent_ns(struct samples *samples, uint64_t begun_ns)
{
	uint64_t passed_ns = prompt_now_ns() - begun_ns, cpu_ns = prompt_cpu_ns();
	uint64_t used_ns = cpu_ns - samples->cpu_ns;

	samples->cpu_ns = cpu_ns;
	return passed_ns < used_ns ? passed_ns : used_ns;
}

static bool samples_are_due(const struct samples *samples, uint64_t steady_ns)
{
	return steady_ns >= samples->next_ns || (samples->rest && rest_is_disturbed(samples));
}

void samples_take(struct samples *samples, uint64_t steady_ns)
{
	unsigned int hz = 0;
	uint64_t period_ns;

	if (!samples->is_ready || !samples->processes->inspect ||
	    !samples_are_due(samples, steady_ns))
		return;
	steady_ns = prompt_now_ns();
	rest_end(samples);
	samples->switched_ns = 0;
	samples->is_prompt = steady_ns - samples->next_ns <= PROMPT_NS;
	samples->is_late = false;
	samples->looks++;
	samples->since_ns = since_ns(samples, steady_ns);
	for (uint32_t i = 0; i < samples->processes->limit; i++) {
		unsigned int wanted = samples_process_look(samples, i);

		hz = wanted > hz ? wanted : hz;
	}
	threads_sweep(samples);
	prompt_rest(&samples->prompt);
	samples->looked_ns = hz ? steady_ns : 0;
	if (!hz) {
		samples->next_ns = 0;
		return;
	}
	period_ns = samples_period_ns(hz, spent_ns(samples, steady_ns));
	samples->rest = rest_length(samples);
	samples->next_ns = steady_ns + samples->rest * period_ns +
			   prompt_vary(&samples->random, period_ns);
}

void samples_settle(struct samples *samples, uint64_t now_ns)
{
	for (uint32_t i = 0; i < samples->thread_count; i++)
		samples_settle_thread(samples, process_of(samples, samples->thread[i].process),
				      &samples->thread[i]);
	for (uint32_t i = 0; i < samples->processes->limit; i++) {
		struct sampled_process *process = &samples->process[i];

		if (!process->number ||
		    memcmp(&process->told, &process->now, sizeof(process->told)) == 0)
			continue;
		/* one that was sampled lacks nothing but its end */
		if (process->now.off != process->told.off && !process->was_read)
			limitation_tell_python_off(samples->common, process->number,
						   process->now.off, now_ns);
		process->told = process->now;
		journal_add(&samples->common->journal, EVT_python_sampling, now_ns, &process->now,
			    sizeof(process->now) / sizeof(uint64_t));
	}
}
