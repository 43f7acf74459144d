/* SPDX-License-Identifier: MIT */
/*
 * The events of all files in order. One frame of each file is in memory. When the last event of a
 * frame has been handed out, the next frame takes its place.
 */
#include "report/session/source.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/base/workers.h"
#include "report/session/holes.h"
#include "report/session/source_state.h"

#define LARGE_BYTES (1u << 20)
#define LARGE_MAX 8u
#define STRIDE 16u /* heap records that are passed at once, in the order of time */

/* There are too many processes or threads: reported once per file, and their events are skipped. */
static int file_pass_over(struct file_row *file, int error)
{
	if (error != EVT_TOO_LARGE)
		return error;
	if (file->file.complete || file->source->fault_count < SOURCE_FAULTS_MAX / 2)
		fault_add(file, reader_facts(file->reader)->position, EVT_TOO_LARGE,
			  "more processes or threads than any run has: the rest is not read");
	return EVT_OK;
}

static int file_define(struct file_row *file, const struct reader_frame *frame)
{
	for (size_t i = 0; i < frame->block_count && !file->is_rejoined; i++) {
		const struct event_block *block = &frame->block[i];

		for (uint32_t j = 0; block->stream == 0 && j < block->count; j++) {
			const struct event *event = &block->event[j];
			int error = books_define(file, event, file_time(file, event->time_ns));

			if (error)
				error = file_pass_over(file, error);
			if (error)
				return error;
		}
	}
	return EVT_OK;
}

/* True if frames before this one were not written. */
static bool frame_tells_lost_frames(const struct reader_frame *frame)
{
	for (size_t i = 0; i < frame->block_count; i++) {
		const struct event_block *block = &frame->block[i];

		for (uint32_t j = 0; block->stream == 0 && j < block->count; j++)
			if (block->event[j].id == EVT_lost &&
			    loss_is_of_frames(EVENT_AS(lost, &block->event[j])->reason))
				return true;
	}
	return false;
}

/* Returns when the programs' first record in the frame was made. */
static uint64_t frame_first_ns(const struct file_row *file, const struct reader_frame *frame)
{
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i < frame->block_count; i++) {
		const struct event_block *block = &frame->block[i];

		if (block->stream && block->records && file_time(file, block->first_ns) < first_ns)
			first_ns = file_time(file, block->first_ns);
	}
	return first_ns;
}

void file_cut_short(struct file_row *file)
{
	if (file->file.is_cut_short)
		return;
	file->file.is_cut_short = true;
	file->file.known_ns = file->before_ns;
}

/*
 * Missing frames before this one make a hole. If it is the last frame, what programs did is known
 * only until the hole: the moments before their end are useless without what led to them.
 */
static int file_find_hole(struct file_row *file, const struct reader_frame *frame)
{
	bool is_lost = frame_tells_lost_frames(frame);
	struct source_hole hole = { &file->file, NULL, file->before_ns,
				    frame_first_ns(file, frame) };

	if (!is_lost && !frame->rejoins && frame->info.sequence == file->sequence + 1)
		return EVT_OK;
	if (is_lost && reader_is_at_end(file->reader)) {
		file_cut_short(file);
		hole.to_ns = file->watermark_ns;
	}
	if (hole.to_ns > file->watermark_ns)
		hole.to_ns = file->watermark_ns;
	if (file->source->take_hole)
		file->source->take_hole(file->source->hole_context, &hole);
	return hole_add(file, NULL, hole.from_ns, hole.to_ns);
}

/* Which stream of the process has the most heap records in this frame. */
static void file_note_heap(const struct file_row *file, const struct thread_row *thread,
			   const struct event_block *block)
{
	struct process_row *row = (struct process_row *)thread->thread.process;

	if (row->heap_frame == file->frame && row->heap_most >= block->heap_count)
		return;
	row->heap_frame = file->frame;
	row->heap_stream = block->stream;
	row->heap_most = block->heap_count;
}

static bool run_leads(const struct merge_run *run)
{
	const struct thread_row *thread = run->thread;
	const struct process_row *row = (const struct process_row *)thread->thread.process;

	return row->heap_stream == run->block->stream;
}

static int file_share_run(struct file_row *file, const struct merge_run *run)
{
	const struct thread_row *thread = run->thread;
	uint32_t process = thread->thread.process->index;

	if (!file->shared)
		file->shared = malloc(sizeof(*file->shared));
	if (!file->shared)
		return EVT_NO_MEMORY;
	if (!file->is_shared)
		memset(file->shared, 0, sizeof(*file->shared));
	file->is_shared = true;
	for (uint32_t i = 0; i < run->block->heap_count; i++)
		heap_share(file->shared, process, run->block->heap[i].address);
	return EVT_OK;
}

/* Finds addresses that are also used by threads other than the one with the most heap records. */
static int file_find_shared(struct file_row *file, size_t blocks)
{
	int error = EVT_OK;

	file->is_shared = false;
	for (size_t i = 0; i < blocks && !error; i++) {
		const struct merge_run *run = &file->run[i];

		if (run->block && run->thread && !run_leads(run))
			error = file_share_run(file, run);
	}
	return error;
}

static int file_add_run(struct file_row *file, size_t index, const struct event_block *block)
{
	struct merge_run *run = &file->run[index];
	struct thread_row *thread = NULL;
	int error = EVT_OK;

	run->block = NULL;
	if (!block->stream && file->is_rejoined)
		return EVT_OK;
	if (block->stream && file->file.is_cut_short) {
		file->left_out += block->records;
		return EVT_OK;
	}
	if (block->stream)
		error = stream_mention(file, block->stream, file_time(file, block->first_ns),
				       &thread);
	if (error)
		return file_pass_over(file, error);
	if (thread && block->passed)
		passed_add(file, thread, block);
	if (thread && block->sum && !block->count)
		sums_wait(file, thread, block->sum);
	if (!block->count && !block->heap_count)
		return EVT_OK;
	*run = (struct merge_run){
		.at = block->event,
		.end = block->event + block->count,
		.first = block->event,
		.block = block->heap_count ? block : NULL,
		.offset_ns = (uint64_t)file->file.offset_ns,
		.order = merge_order(block->stream, file->file.index, (uint32_t)index),
		.owner = file,
		.thread = thread,
	};
	if (thread && block->sum && block->count)
		sums_join(run, thread, block->sum);
	if (thread && block->heap_count)
		file_note_heap(file, thread, block);
	error = merge_add(&file->source->merge, run);
	file->runs_open += !error;
	return error;
}

static int file_take_frame(struct file_row *file, const struct reader_frame *frame)
{
	struct source *source = file->source;
	uint64_t watermark_ns = file_time(file, frame->info.watermark_ns);
	int error;

	file->frame = ++source->frames;
	file->before_ns = frame->is_state ? watermark_ns : file->watermark_ns;
	file->watermark_ns = watermark_ns;
	file->is_state = frame->is_state || frame->is_digest;
	file->repeats = frame->is_state;
	file->is_rejoined = frame->is_state && frame->rejoins;
	if (watermark_ns > source->end_ns)
		source->end_ns = watermark_ns;
	if (frame->block_count > file->run_room) {
		struct merge_run *run = reallocarray(file->run, frame->block_count, sizeof(*run));

		if (!run)
			return EVT_NO_MEMORY;
		file->run = run;
		file->run_room = frame->block_count;
	}
	error = file->is_state ? EVT_OK : file_find_hole(file, frame);
	file->sequence = frame->info.sequence;
	if (!error)
		error = file_define(file, frame);
	if (!error)
		error = stacks_take(file, frame);
	for (size_t i = 0; i < frame->block_count && !error; i++)
		error = file_add_run(file, i, &frame->block[i]);
	if (!error && source->wants.heap)
		error = file_find_shared(file, frame->block_count);
	return error;
}

/* All events of the file's frame have been handed out. */
static void file_settle(struct file_row *file)
{
	struct source *source = file->source;
	uint64_t settled_ns = UINT64_MAX;

	file->settled_ns = file->ended ? UINT64_MAX : file->watermark_ns;
	for (size_t i = 0; i < source->file_count; i++)
		if (source->file[i]->settled_ns < settled_ns)
			settled_ns = source->file[i]->settled_ns;
	source->settled_ns = settled_ns;
}

int file_load(struct file_row *file)
{
	int error = EVT_OK;

	file_settle(file);
	while (!error && !file->ended && !file->runs_open) {
		struct reader_frame frame;

		sums_settle(file);
		error = reader_next(file->reader, &frame);
		if (!error)
			clocks_correct_frame(file, &frame);
		if (!error)
			error = file_take_frame(file, &frame);
		if (error && error != EVT_NO_MEMORY) {
			if (error != EVT_END)
				fault_add(file, reader_facts(file->reader)->position, error, "%s",
					  evt_error_text(error));
			file->ended = true;
			error = EVT_OK;
		}
	}
	if (file->ended)
		sums_settle(file);
	file->file.frames = reader_facts(file->reader)->frames;
	file->file.records = reader_facts(file->reader)->records;
	file->file.complete = reader_facts(file->reader)->complete;
	if (file->ended)
		file_settle(file);
	if (!error && file->ended)
		error = loss_add_unreported(file);
	return error;
}

/* Adds what was handed out of the run so far to the tables. */
static void source_settle_run(struct source *source)
{
	struct source_event *current = &source->current;
	uint64_t count = (uint64_t)(source->at - source->begin);
	uint64_t time_ns;

	if (!count)
		return;
	time_ns = merge_time(source->at[-1].time_ns, source->run->offset_ns);
	if (time_ns > source->end_ns)
		source->end_ns = time_ns;
	source->begin = source->at;
	if (!current->thread)
		return;
	if (!((const struct file_row *)source->run->owner)->is_state) {
		current->thread->events += count;
		current->process->events += count;
	}
	if (time_ns > current->thread->end_ns)
		current->thread->end_ns = time_ns;
	if (time_ns > current->process->end_ns)
		current->process->end_ns = time_ns;
}

static void source_follow(struct source *source, struct merge_run *run)
{
	struct file_row *file = run->owner;
	struct thread_row *thread = run->thread;

	source->run = run;
	source->at = source->begin = run->at;
	source->end = run->end;
	source->stack_of_kind = file->has_stacks ? file->stack_of_kind : NULL;
	source->keeps_books = !thread;
	source->current.file = &file->file;
	source->current.is_repeated = file->repeats;
	source->current.thread = thread ? &thread->thread : NULL;
	source->current.process = thread ? thread->thread.process : NULL;
	if (thread && run->at < run->end) {
		uint64_t time_ns = merge_time(run->at->time_ns, run->offset_ns);

		if (time_ns < thread->thread.start_ns)
			thread->thread.start_ns = time_ns;
		if (time_ns < source->current.process->start_ns)
			source->current.process->start_ns = time_ns;
	}
}

/*
 * Used for a few files that take some time each, because every file has frames of its own in
 * memory.
 */
static void source_find_workers(struct source *source)
{
	uint64_t least = workers_asked() ? 0 : LARGE_BYTES; /* so that tests reach all of it */
	size_t large = 0;

	for (size_t i = 0; i < source->file_count; i++)
		large += source->file[i]->file.bytes >= least;
	if (!large || large > LARGE_MAX)
		return;
	source->workers = workers_new();
	for (size_t i = 0; i < source->file_count && source->workers; i++)
		if (source->file[i]->reader && source->file[i]->file.bytes >= least)
			reader_work_with(source->file[i]->reader, source->workers);
}

/* Events in a thread's stream that have their own bookkeeping: bookkeeping.c. */
static bool is_own_book(uint32_t id)
{
	return id == EVT_nvtx_thread_name || id == EVT_thread_clock || id == EVT_python_task;
}

/* Reads the first frame of each file. */
static int source_begin(struct source *source)
{
	int error = EVT_OK;

	source->begun = true;
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		source->slow[id] = source->heap_cuts[id] || is_own_book(id);
	source_find_workers(source);
	for (size_t i = 0; i < source->file_count && !error; i++)
		error = source->file[i]->reader ? file_load(source->file[i]) : EVT_OK;
	return error;
}

/*
 * The run has reached its end, or the time of another run: chooses the next one. EVT_END: there is
 * none.
 */
static int source_turn(struct source *source)
{
	struct merge_run *run = source->run;
	int error = source->begun ? EVT_OK : source_begin(source);

	if (run) {
		struct file_row *file = run->owner;

		source_settle_run(source);
		run->at = source->at;
		if (run->sum && merge_run_is_over(run))
			sums_move(run, run->sum);
		file->runs_open -= merge_run_is_over(run);
		merge_settle(&source->merge);
		source->run = NULL;
		source->at = source->end = source->begin = NULL;
		if (!file->runs_open && !file->ended)
			error = file_load(file);
	}
	if (error)
		return error;
	run = merge_first(&source->merge, &source->until_ns);
	if (!run) {
		threads_settle(source);
		return EVT_END;
	}
	source_follow(source, run);
	return EVT_OK;
}

static int source_keep_books(struct source *source, const struct source_event *event)
{
	struct file_row *file = source->run->owner;
	int error = EVT_OK;

	if (source->keeps_books)
		error = books_take(file, &event->event, event->event.time_ns);
	else
		books_take_own(source->run->thread, file, &event->event);
	return error == EVT_NO_MEMORY ? error : EVT_OK;
}

static inline const struct source_event *source_give(struct source *source,
						     const struct event *event, uint64_t time_ns)
{
	struct source_event *given = &source->current;

	source->at = event + 1;
	if (source->run->sum)
		sums_move(source->run, source->run->sum++);
	given->event = *event;
	given->event.time_ns = time_ns;
	given->stack = source->stack_of_kind ? source->stack_of_kind[event->kind] : STACK_NONE;
	return given;
}

static uint64_t source_head_ns(const struct source *source)
{
	const struct merge_run *run = source->run;

	return merge_time(source->at->time_ns, run->offset_ns);
}

/* True if heap records precede the next event. */
static inline bool source_heap_waits(const struct source *source)
{
	return source->run->heap_at < merge_run_heap_end(source->run, source->at);
}

/* True if heap records precede the next event and are due. */
static inline bool source_heap_is_due(const struct source *source)
{
	const struct event *event = source->at;

	return source_heap_waits(source) && (event == source->end || source->heap_cuts[event->id] ||
					     source_head_ns(source) >= source->until_ns);
}

static inline bool heap_is_before(const struct merge_run *run, uint32_t record, uint64_t until_ns)
{
	return merge_time(run->block->heap[record].time_ns, run->offset_ns) < until_ns;
}

/*
 * Passes on the heap records that precede another run; at least `least` of them, whatever their
 * time.
 */
static void source_give_heap(struct source *source, uint32_t least)
{
	struct merge_run *run = source->run;
	const struct event_block *block = run->block;
	const struct file_row *file = run->owner;
	uint32_t to = merge_run_heap_end(run, source->at), from = run->heap_at, at = from + least;
	const struct source_process *process = source->current.process;

	if (source->until_ns == UINT64_MAX)
		at = to;
	while (to - at > STRIDE && heap_is_before(run, at + STRIDE - 1, source->until_ns))
		at += STRIDE;
	while (at < to && heap_is_before(run, at, source->until_ns))
		at++;
	run->heap_at = at;
	if (at > from && process)
		source->take_heap(source->heap_context,
				  &(struct source_heap){
					  .record = block->heap,
					  .from = from,
					  .to = at,
					  .count = block->heap_count,
					  .site = file->has_stacks ? file->site : block->heap_site,
					  .sites = block->heap_sites,
					  .frame = file->frame,
					  .offset_ns = run->offset_ns,
					  .process = process,
					  .thread = source->current.thread,
					  .leads = run_leads(run),
					  .shared = file->is_shared ? file->shared : NULL,
				  });
}

/*
 * Moves to the next event to be handed out. The event for which a run was chosen is handed out
 * whatever its time.
 */
static int source_find(struct source *source)
{
	bool turned = false;
	int error;

	for (;;) {
		if (source->run && source_heap_is_due(source)) {
			source_give_heap(source, turned);
			turned = false;
		}
		if (source->run && !source_heap_is_due(source) && source->at < source->end &&
		    (turned || source_head_ns(source) < source->until_ns))
			return EVT_OK;
		error = source_turn(source);
		if (error)
			return error;
		turned = true;
	}
}

/* For another run, or an event about a process or thread. */
__attribute__((noinline)) static const struct source_event *source_step_slowly(
	struct source *source)
{
	const struct source_event *given;
	const struct event *event;

	source->error = source_find(source);
	if (source->error)
		return NULL;
	event = source->at;
	given = source_give(source, event, source_head_ns(source));
	/* the program did nothing: not an event of its thread, see source_settle_run() */
	source->begin += event->id == EVT_thread_clock;
	if (source->keeps_books || is_own_book(event->id))
		source->error = source_keep_books(source, given);
	return source->error ? NULL : given;
}

const struct source_event *source_step(struct source *source)
{
	const struct event *event = source->at;
	uint64_t time_ns;

	if (event >= source->end || source->keeps_books || source->slow[event->id])
		return source_step_slowly(source);
	time_ns = merge_time(event->time_ns, source->run->offset_ns);
	if (time_ns >= source->until_ns)
		return source_step_slowly(source);
	return source_give(source, event, time_ns);
}

int source_next(struct source *source, struct source_event *ret_event)
{
	const struct source_event *given = source_step(source);

	if (!given)
		return source->error;
	*ret_event = *given;
	return EVT_OK;
}

void source_want(struct source *source, const struct frame_wants *wants)
{
	source->wants = *wants;
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		if (!is_own_book(id))
			continue;
		source->wants.event[id] = true;
		source->wants.fields[id] = UINT32_MAX;
	}
	for (size_t i = 0; i < source->file_count; i++)
		if (source->file[i]->reader)
			reader_want(source->file[i]->reader, &source->wants);
}

void source_want_heap(struct source *source, source_take_heap *take, void *context)
{
	source->take_heap = take;
	source->heap_context = context;
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		source->heap_cuts[id] = evt_descriptors[id].name &&
					(id == EVT_teardown_begin || id == EVT_heap_sampled ||
					 id == EVT_heap_sample_freed ||
					 id == EVT_heap_sample_kept ||
					 evt_descriptors[id].family == EVT_FAMILY_capture ||
					 evt_descriptors[id].family == EVT_FAMILY_steps);
}

uint64_t source_passed(const struct source *source, enum evt_id id)
{
	return source->passed[id];
}

size_t source_files(const struct source *source, struct source_file *const **ret_files)
{
	/* a file_row begins with its source_file */
	*ret_files = (struct source_file *const *)source->file;
	return source->file_count;
}

size_t source_processes(const struct source *source, struct source_process *const **ret_processes)
{
	*ret_processes = source->process;
	return source->process_count;
}

uint64_t source_processes_ended(const struct source *source)
{
	return source->processes_ended;
}

size_t source_threads(const struct source *source, struct source_thread *const **ret_threads)
{
	*ret_threads = source->thread;
	return source->thread_count;
}

size_t source_losses(const struct source *source, const struct source_loss **ret_losses)
{
	*ret_losses = source->loss;
	return source->loss_count;
}

size_t source_metas(const struct source *source, const struct source_meta **ret_metas)
{
	*ret_metas = source->meta;
	return source->meta_count;
}

const struct source_name *source_meta_of(const struct source *source, const char *key)
{
	for (size_t i = 0; i < source->meta_count; i++) {
		const struct source_meta *meta = &source->meta[i];

		if (meta->key->text && !strcmp(meta->key->text, key) && meta->value->text)
			return meta->value;
	}
	return NULL;
}

size_t source_faults(const struct source *source, const struct source_fault **ret_faults)
{
	*ret_faults = source->fault;
	return source->fault_count;
}

bool source_gave_back(const struct source *source)
{
	for (size_t i = 0; i < source->file_count; i++)
		if (source->file[i]->file.gave_back)
			return true;
	return false;
}

uint64_t source_kept_from_ns(const struct source *source)
{
	uint64_t from_ns = UINT64_MAX;

	for (size_t i = 0; i < source->file_count; i++)
		if (source->file[i]->file.gave_back && source->file[i]->file.kept_from_ns < from_ns)
			from_ns = source->file[i]->file.kept_from_ns;
	return from_ns == UINT64_MAX ? 0 : from_ns;
}

uint64_t source_settled_ns(const struct source *source)
{
	return source->settled_ns;
}

uint64_t source_cpu_ns(const struct source *source)
{
	return source->cpu_ns;
}

uint64_t source_end_ns(const struct source *source)
{
	return source->end_ns;
}
