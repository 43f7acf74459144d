/* SPDX-License-Identifier: MIT */
/*
 * The rings are merged in the order of time. A sample is unwound at once, and its frames are kept
 * until native_write() sorts the samples by stream and writes them in blocks. A thread gets a
 * stream of its own with its first sample.
 */
#include "collector/native/native.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/core/clock.h"
#include "collector/format/stack_table.h"
#include "collector/native/perf_open.h"
#include "collector/native/unwind.h"
#include "collector/processes/limitations.h"

#define NS_PER_S 1000000000ull
#define LOOK_NS 5000000u /* time limit for one look, except when a frame is closed */
#define LOOK_RECORDS 16u /* records between two readings of the clock */
#define HZ_MAX 1000u

/*
 * CPU time between two samples: 0.9721 of the period, not a round number, so that no program runs
 * in step with it.
 */
static uint64_t native_period_ns(unsigned int hz)
{
	return NS_PER_S / hz * 9721 / 10000;
}

void native_init(struct native *native, struct common *common, struct processes *processes,
		 uint32_t *stream_numbers)
{
	uint64_t hz = view_family_word(&common->view, EVT_FAMILY_native_samples);

	memset(native, 0, sizeof(*native));
	native->common = common;
	native->processes = processes;
	native->stream_numbers = stream_numbers;
	if (!hz || hz > HZ_MAX || !processes->inspect)
		return;
	native->following = malloc(sizeof(*native->following));
	if (native->following &&
	    following_init(native->following, native_period_ns((unsigned int)hz))) {
		following_release(native->following);
		free(native->following);
		native->following = NULL;
	}
}

void native_release(struct native *native)
{
	if (native->following)
		following_release(native->following);
	free(native->following);
	free(native->thread);
	free(native->waiting);
	free(native->frame);
	memset(native, 0, sizeof(*native));
}

/* --- threads --- */

static struct native_thread *thread_find(struct native *native, uint32_t process, uint32_t tid)
{
	uint32_t *recent = &native->recent[tid % 256];

	for (uint32_t i = 0, at = *recent; i < native->threads; i++, at++) {
		if (at >= native->threads)
			at = 0;
		if (native->thread[at].tid == tid && native->thread[at].process == process) {
			*recent = at;
			return &native->thread[at];
		}
	}
	return NULL;
}

static void native_thread_forget(struct native *native, struct native_thread *thread)
{
	*thread = native->thread[--native->threads];
}

static void threads_forget(struct native *native, uint32_t process)
{
	for (uint32_t i = native->threads; i > 0; i--)
		if (native->thread[i - 1].process == process)
			native_thread_forget(native, &native->thread[i - 1]);
}

static void thread_tell_name(struct native *native, const struct native_thread *thread,
			     const char *name, size_t length, uint64_t time_ns)
{
	if (length)
		JOURNAL_ADD(&native->common->journal, time_ns, thread_name,
			    .process = thread->process, .tid = thread->tid,
			    .name = names_id_text(&native->common->names, name, length));
}

/*
 * If there is no room, the thread that was not seen for the longest time is removed. It gets
 * another stream when it is seen again.
 */
static struct native_thread *thread_room(struct native *native)
{
	uint32_t room = native->thread_room ? native->thread_room * 2 : 64, oldest = 0;
	struct native_thread *larger;

	if (native->threads < native->thread_room)
		return &native->thread[native->threads++];
	larger = room > NATIVE_THREADS ? NULL : realloc(native->thread, room * sizeof(*larger));
	if (larger) {
		native->thread = larger;
		native->thread_room = room;
		return &native->thread[native->threads++];
	}
	for (uint32_t i = 1; i < native->threads; i++)
		if (native->thread[i].seen_ns < native->thread[oldest].seen_ns)
			oldest = i;
	return native->threads ? &native->thread[oldest] : NULL;
}

static struct native_thread *native_thread_of(struct native *native, const struct followed *process,
					      uint32_t tid, uint32_t root, uint64_t time_ns)
{
	struct native_thread *thread = thread_find(native, process->number, tid);
	char name[PROC_NAME_BYTES];

	if (!thread) {
		thread = thread_room(native);
		if (!thread)
			return NULL;
		*thread = (struct native_thread){ .process = process->number,
						  .tid = tid,
						  .root = root,
						  .stream = ++*native->stream_numbers };
		JOURNAL_ADD(&native->common->journal, time_ns, thread, .stream = thread->stream,
			    .process = thread->process, .tid = tid, .level = 2);
		thread_tell_name(native, thread, name,
				 proc_thread_name(process->pid, tid, name, sizeof(name)), time_ns);
	}
	thread->seen_ns = time_ns;
	return thread;
}

/* --- samples --- */

static void *grown(void *array, uint32_t needed, uint32_t most, uint32_t *room, size_t bytes)
{
	uint32_t wanted = *room ? *room : 256;
	void *larger;

	while (wanted < needed)
		wanted *= 2;
	if (wanted == *room)
		return array;
	larger = wanted > most ? NULL : realloc(array, wanted * bytes);
	if (larger)
		*room = wanted;
	return larger;
}

/* Returns false if there is no room. */
static bool native_sample_keep(struct native *native, const struct native_waiting *sample,
			       const uint64_t *frame)
{
	struct native_waiting *waiting = grown(native->waiting, native->waiting_count + 1,
					       NATIVE_WAITING, &native->waiting_room,
					       sizeof(*waiting));
	uint64_t *frames;

	if (!waiting)
		return false;
	native->waiting = waiting;
	frames = grown(native->frame, native->frames + sample->frames + 1, NATIVE_FRAMES,
		       &native->frame_room, sizeof(*frames));
	if (!frames)
		return false;
	native->frame = frames;
	memcpy(frames + native->frames, frame, sample->frames * sizeof(*frame));
	waiting[native->waiting_count] = *sample;
	waiting[native->waiting_count].frame = native->frames;
	waiting[native->waiting_count].order = native->waiting_count;
	native->waiting_count++;
	native->frames += sample->frames;
	return true;
}

static void count_end(struct evt_native_sampling *now, enum unwind_end end)
{
	now->no_table += end == UNWIND_NO_TABLE;
	now->no_file += end == UNWIND_NO_FILE;
	now->no_rule += end == UNWIND_NO_RULE;
	now->no_stack += end == UNWIND_NO_STACK;
	now->too_deep += end == UNWIND_TOO_DEEP;
}

static uint32_t sample_unwind(struct native *native, uint32_t entry, struct followed *process,
			      const struct perf_record *record, uint64_t *ret_frame)
{
	const struct unwind_moment moment = { record->rip,   record->rsp,         record->rbp,
					      record->stack, record->stack_bytes, record->link };
	enum unwind_end end;
	uint32_t frames;

	if (!record->has_registers)
		return 0;
	frames = unwind(&native->following->tables, &process->mappings, process->pid, &moment,
			ret_frame, &end);
	count_end(&process->now, end);
	for (uint32_t i = 0; i < frames; i++)
		modules_ask(&native->processes->slot[entry].modules, ret_frame[i] & UNWIND_ADDRESS);
	return frames;
}

/* Samples from after the process announced its end do not count. */
static bool native_is_over(const struct native *native, uint32_t entry, uint64_t time_ns)
{
	uint64_t tsc = view_load64(&native->common->view.process[entry].exit_tsc);

	return tsc && time_ns > common_ns(native->common, tsc);
}

/*
 * A thread may have two events, of which one counts. Its own event covers all CPUs. The inherited
 * one may cover only some, if the thread was created while its parent's events were being opened.
 */
static bool event_counts(struct native_thread *thread, uint32_t root)
{
	if (root == thread->tid)
		thread->root = root;
	return thread->root == root;
}

static void sample_take(struct native *native, uint32_t entry, struct followed *process,
			uint32_t root, const struct perf_record *record, uint64_t time_ns)
{
	uint64_t frame[UNWIND_FRAMES];
	struct native_thread *thread;
	struct native_waiting sample = { .time_ns = time_ns,
					 .entry = entry,
					 .number = process->number,
					 .in_kernel = record->in_kernel };

	if (record->pid != process->pid || native_is_over(native, entry, time_ns))
		return;
	if (time_ns <= native->written_ns) {
		process->now.lost++;
		return;
	}
	thread = native_thread_of(native, process, record->tid, root, time_ns);
	if (thread && !event_counts(thread, root))
		return;
	sample.frames = thread ? sample_unwind(native, entry, process, record, frame) : 0;
	sample.stream = thread ? thread->stream : 0;
	if (!thread || !native_sample_keep(native, &sample, frame))
		process->now.dropped++;
}

/* --- records --- */

static uint64_t file_time_ns(const struct native *native, uint64_t mono_ns)
{
	uint64_t base = native->common->view.base_mono;

	return mono_ns > base ? mono_ns - base : 0;
}

/* A library is mapped where another one was, and the report must know when each was there. */
static void mapping_tell_replaced(struct native *native, uint32_t entry,
				  const struct followed *followed, const struct mapping *fresh,
				  uint64_t time_ns)
{
	struct process *process = &native->processes->slot[entry];
	const struct module_end end = { .time_ns = time_ns,
					.start = fresh->start,
					.end = fresh->end };

	if (process->number == followed->number && !process->gone)
		modules_note_end(&process->modules, &end);
}

static void mapping_take(struct native *native, uint32_t entry, struct followed *process,
			 const struct perf_record *record, uint64_t time_ns)
{
	uint64_t device = (uint64_t)record->major << 32 | record->minor;
	struct mapping fresh = { .start = record->start,
				 .end = record->start + record->bytes,
				 .offset = record->offset };

	fresh.file = tables_file(&native->following->tables, device, record->inode, record->path);
	if (mappings_replaces(&process->mappings, &fresh))
		mapping_tell_replaced(native, entry, process, &fresh, time_ns);
	(void)mappings_put(&process->mappings, &fresh);
}

static void thread_end_take(struct native *native, const struct followed *process, uint32_t tid,
			    uint64_t time_ns)
{
	struct native_thread *thread = thread_find(native, process->number, tid);

	if (!thread)
		return;
	JOURNAL_ADD(&native->common->journal, time_ns, thread_end, .stream = thread->stream);
	native_thread_forget(native, thread);
}

static void record_take(struct native *native, const struct perf_record *record)
{
	uint64_t time_ns = file_time_ns(native, record->time_ns);
	struct native_thread *thread;
	struct followed *process;
	uint32_t entry, root;

	process = following_find(native->following, record->id, &entry, &root);
	if (!process || (process->has_execed && record->kind != PERF_IS_LOSS))
		return;
	switch (record->kind) {
	case PERF_IS_SAMPLE:
		sample_take(native, entry, process, root, record, time_ns);
		break;
	case PERF_IS_MAPPING:
		mapping_take(native, entry, process, record, time_ns);
		break;
	case PERF_IS_NAME:
		thread = thread_find(native, process->number, record->tid);
		if (thread)
			thread_tell_name(native, thread, record->path, strlen(record->path),
					 time_ns);
		break;
	case PERF_IS_EXEC:
		process->has_execed = true;
		break;
	case PERF_IS_END:
		thread_end_take(native, process, record->tid, time_ns);
		break;
	case PERF_IS_LOSS:
		process->now.lost += record->lost;
		break;
	default:
		break;
	}
}

/* --- rings --- */

/* Returns the earliest record of all rings; NULL: there is none up to that time. */
static struct perf_cpu *earliest(struct following *following, struct perf_record *record,
				 uint64_t limit_ns, struct perf_record *ret_record)
{
	struct perf_cpu *first = NULL;

	for (uint32_t i = 0; i < following->cpus; i++) {
		if (record[i].time_ns > limit_ns ||
		    (first && record[i].time_ns >= ret_record->time_ns))
			continue;
		first = &following->cpu[i];
		*ret_record = record[i];
	}
	return first;
}

static void ring_peek(struct perf_cpu *cpu, struct perf_record *record)
{
	if (cpu->ring.fd < 0 || !perf_ring_next(&cpu->ring, record))
		record->time_ns = UINT64_MAX;
}

/*
 * Takes records in the order of time, because a thread moves between CPUs and another thread may
 * map code. Records later than the moment before the rings were examined stay for the next time,
 * because another ring may then have an earlier one.
 */
static void rings_take(struct native *native, uint64_t steady_ns, uint64_t until_ns)
{
	struct following *following = native->following;
	static struct perf_record record[FOLLOWED_CPUS]; /* one thread */
	struct perf_record next;
	struct perf_cpu *cpu;

	for (uint32_t i = 0; i < following->cpus; i++) {
		if (following->cpu[i].ring.fd >= 0)
			perf_ring_look(&following->cpu[i].ring);
		ring_peek(&following->cpu[i], &record[i]);
	}
	for (uint32_t taken = 1; (cpu = earliest(following, record, steady_ns, &next)); taken++) {
		record_take(native, &next);
		perf_ring_pass(&cpu->ring);
		ring_peek(cpu, &record[cpu - following->cpu]);
		if (taken % LOOK_RECORDS == 0 && clock_read_ns(CLOCK_MONOTONIC) > until_ns)
			return;
	}
}

/* --- processes --- */

static bool native_process_can_be_seen(const struct process *process)
{
	return process->number && process->pid && !process->gone && !process->exiting &&
	       !process->execed && !process->told;
}

static void processes_look(struct native *native)
{
	for (uint32_t i = 0; i < native->processes->limit; i++) {
		const struct process *process = &native->processes->slot[i];
		struct followed *followed = &native->following->process[i];

		if (followed->number && (followed->number != process->number || process->told)) {
			threads_forget(native, followed->number);
			following_end(native->following, i);
		}
		if (!followed->number && native_process_can_be_seen(process) &&
		    !view_load64(&native->common->view.process[i].exec_tsc))
			following_begin(native->following, i, process);
	}
}

void native_take(struct native *native, uint64_t steady_ns)
{
	if (!native->following)
		return;
	rings_take(native, steady_ns, steady_ns + LOOK_NS);
	processes_look(native);
}

void native_drain(struct native *native)
{
	if (native->following)
		rings_take(native, clock_read_ns(CLOCK_MONOTONIC), UINT64_MAX);
}

uint64_t native_pause_ns(const struct native *native, uint64_t most_ns)
{
	uint64_t samples, pause_ns;

	if (!native->following || !native->following->events)
		return most_ns;
	samples = native->following->ring_bytes / (PERF_STACK_BYTES + 1024u) / 2;
	pause_ns = native->following->period_ns * (samples ? samples : 1);
	return pause_ns < most_ns ? pause_ns : most_ns;
}

/* --- into the file --- */

void native_settle(struct native *native, uint64_t now_ns)
{
	for (uint32_t i = 0; native->following && i < native->processes->limit; i++) {
		struct followed *process = &native->following->process[i];

		if (!process->number ||
		    memcmp(&process->told, &process->now, sizeof(process->told)) == 0)
			continue;
		if (process->now.off != process->told.off)
			limitation_tell_native_off(native->common, process->number,
						   process->now.off, now_ns);
		process->told = process->now;
		journal_add(&native->common->journal, EVT_native_sampling, now_ns, &process->now,
			    sizeof(process->now) / sizeof(uint64_t));
	}
}

static int native_by_stream(const void *one, const void *other)
{
	const struct native_waiting *a = one, *b = other;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static uint64_t stack_id(uint64_t parent, uint64_t frame)
{
	uint64_t id = (frame ^ parent << 17 ^ parent >> 31) * 0x9e3779b97f4a7c15u;

	id = (id ^ id >> 29 ^ parent) * 0xbf58476d1ce4e5b9u;
	id = (id ^ id >> 32) & (STACK_WORD - 1);
	return id ? id : 1;
}

/* Defines its frames, beginning with the outermost. Returns the id of the innermost. */
static uint64_t stack_define(struct frame_writer *fw, const uint64_t *frame, uint32_t frames)
{
	uint64_t id = 0;

	while (frames--) {
		uint64_t own = stack_id(id, frame[frames]);

		frame_define_stack(fw, own, id, frame[frames] & UNWIND_ADDRESS,
				   (uint32_t)(frame[frames] >> UNWIND_FLAGS_SHIFT));
		id = own;
	}
	return id;
}

static bool sample_put(const struct native *native, struct frame_writer *fw,
		       const struct native_waiting *sample)
{
	const struct evt_native_sample event = { .cpu_ns = native->following->period_ns,
						 .in_kernel = sample->in_kernel };
	const uint64_t *words = (const uint64_t *)(const void *)&event;

	if (!frame_block_room(fw))
		return false;
	if (!sample->frames)
		return !frame_put(fw, EVT_native_sample, sample->time_ns, words);
	return !frame_put_stack(fw, EVT_native_sample, sample->time_ns, words,
				stack_define(fw, native->frame + sample->frame, sample->frames));
}

uint32_t native_write(struct native *native, struct frame_writer *fw, uint64_t watermark_ns)
{
	uint32_t stream = 0, written = 0;

	native->written_ns = watermark_ns;
	if (!native->waiting_count)
		return 0;
	qsort(native->waiting, native->waiting_count, sizeof(*native->waiting), native_by_stream);
	for (uint32_t i = 0; i < native->waiting_count; i++) {
		const struct native_waiting *sample = &native->waiting[i];
		struct followed *process = &native->following->process[sample->entry];

		if (sample->stream != stream || !frame_block_room(fw)) {
			if (stream)
				frame_end_block(fw);
			stream = sample->stream;
			frame_begin_block(fw, stream);
		}
		if (sample_put(native, fw, sample))
			written++;
		else if (process->number == sample->number)
			process->now.dropped++;
	}
	frame_end_block(fw);
	native->waiting_count = native->frames = 0;
	return written;
}
