/* SPDX-License-Identifier: MIT */
/*
 * Passes the source's events to the analyses that read them. It knows no family: which analyses
 * read a kind of event is a list that was made before the first event (run_wants.c).
 */
#include "report/core/run_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/session/holes.h"

#define PROGRESS_EVENTS (1u << 20) /* events between checks of the clock */
#define PROGRESS_AFTER_S 2
#define SETTLE_EVENTS 1024u /* events between checks of what is settled */
_Static_assert(PROGRESS_EVENTS % SETTLE_EVENTS == 0,
	       "a look at the clock is one at what is settled");

struct run *run_new(struct source *source, const struct filter_settings *filter)
{
	struct run *run = memory_zero(1, sizeof(*run));

	run->source = source;
	run->detail.source = source;
	selection_init(&run->filters, filter);
	run->filters.settings.gave_back = source_gave_back(source);
	run->filters.any |= run->filters.settings.gave_back;
	return run;
}

void run_set_options(struct run *run, const struct options *options)
{
	run->options = options;
}

const struct options *run_options(const struct run *run)
{
	return run->options;
}

void run_free(struct run *run)
{
	for (size_t i = run->analysis_count; i > 0; i--) {
		const struct run_analysis *analysis = &run->analysis[i - 1];

		if (analysis->kind->release)
			analysis->kind->release(analysis->state);
		free(analysis->state);
		free(analysis->options);
	}
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		free(run->readers[id].reader);
	free(run->heap_reader);
	selection_release(&run->filters);
	recorded_time_release(&run->captured);
	detail_release(&run->detail);
	detail_release(&run->gpu_windows);
	free(run->analysis);
	free(run->of_thread);
	free(run->of_process);
	free(run->stopped);
	free(run);
}

static void run_take_heap(void *context, const struct source_heap *heap)
{
	const struct run *run = context;

	for (size_t i = 0; i < run->heap_reader_count; i++)
		run->heap_reader[i].take(run->heap_reader[i].state, heap);
}

/* --- what is no longer known --- */

static void run_cut(struct run *run, const struct cut *cut)
{
	if (cut->thread)
		selection_cut(&run->filters, cut_place(cut));
	else
		selection_cut_started(&run->filters, cut->process->index);
	for (size_t i = 0; i < run->analysis_count; i++)
		if (run->analysis[i].kind->cut)
			run->analysis[i].kind->cut(run->analysis[i].state, cut);
}

/* Recording stops or starts; applies to the whole run, whatever the filters are. */
static void run_take_capture(struct run *run, const struct source_event *event)
{
	struct cut cut = { CUT_STOPPED, event->event.time_ns, event->process, NULL };
	bool starts = event->event.id == EVT_capture_start, was_stopped;
	uint32_t process = event->process->index;

	if (starts)
		recorded_time_open(&run->captured, process, event->event.time_ns);
	else
		recorded_time_close(&run->captured, process, event->event.time_ns);
	run->stopped = memory_room(run->stopped, process, &run->stopped_room,
				   sizeof(*run->stopped));
	was_stopped = run->stopped[process];
	run->stopped[process] = !starts;
	if (starts && was_stopped)
		return; /* what was open ended where recording stopped */
	for (cut.thread = event->process->first_thread; cut.thread; cut.thread = cut.thread->next)
		run_cut(run, &cut);
	run_cut(run, &cut);
}

static void run_lose(struct run *run, const struct source_process *process)
{
	for (size_t i = 0; process && i < run->analysis_count; i++)
		if (run->analysis[i].kind->lose)
			run->analysis[i].kind->lose(run->analysis[i].state, process);
}

/* A hole may be in any process of the file. */
static void run_take_hole(void *context, const struct source_hole *hole)
{
	struct run *run = context;
	struct source_process *const *process;
	size_t count = source_processes(run->source, &process);
	struct cut cut = { CUT_LOST, hole->from_ns, NULL, NULL };

	for (size_t i = 0; i < count; i++) {
		if (process[i]->file != hole->file || process[i]->ended)
			continue;
		cut.process = process[i];
		for (cut.thread = process[i]->first_thread; cut.thread;
		     cut.thread = cut.thread->next)
			run_cut(run, &cut);
		run_cut(run, &cut);
		run_lose(run, process[i]);
	}
}

static void run_take_lost(struct run *run, const struct source_event *event)
{
	const struct evt_lost *lost = EVENT_AS(lost, &event->event);
	const struct source_thread *thread = source_thread_of(event->file, lost->stream);

	if (thread)
		run_cut(run,
			&(struct cut){ CUT_LOST, event->event.time_ns, thread->process, thread });
	run_lose(run, source_process_of(event->file, lost->process));
}

static void run_remap(struct run *run, const struct source_process *process)
{
	for (size_t i = 0; process && i < run->analysis_count; i++)
		if (run->analysis[i].kind->remap)
			run->analysis[i].kind->remap(run->analysis[i].state, process);
}

static void run_take_window(struct run *run, const struct source_event *event)
{
	const struct evt_detail_asked *asked = EVENT_AS(detail_asked, &event->event);
	const struct source_process *process = source_process_of(event->file, asked->process);

	if (process)
		(void)detail_take_time(&run->detail, process->index, process->start_ns,
				       event->event.time_ns, asked->on != 0);
}

/*
 * Handles the collector's own events: about modules, about losses, and those that an analysis
 * wants.
 */
static void run_take_book(struct run *run, const struct source_event *event)
{
	const struct run_readers *readers;

	if (event->event.id == EVT_detail_asked)
		run_take_window(run, event);
	if (event->event.id == EVT_lost &&
	    lost_is_of_events(EVENT_AS(lost, &event->event)->reason)) {
		run_take_lost(run, event);
	} else if (event->event.id == EVT_module || event->event.id == EVT_module_end) {
		run_remap(run, source_process_of(event->file, event->event.value[0]));
	}
	readers = &run->readers[event->event.id];
	for (size_t i = 0; i < readers->count; i++)
		readers->reader[i].take(readers->reader[i].state, event, true);
}

/* --- events --- */

/* Adds what was counted for one thread to the totals. */
static void run_put_tally(struct run *run)
{
	uint32_t thread, process;

	if (!run->tallied)
		return;
	thread = run->tallied->index;
	process = run->tallied->process->index;
	if (thread >= run->thread_room)
		run->of_thread = memory_room(run->of_thread, thread, &run->thread_room,
					     sizeof(*run->of_thread));
	if (process >= run->process_room)
		run->of_process = memory_room(run->of_process, process, &run->process_room,
					      sizeof(*run->of_process));
	run->of_thread[thread] += run->tally;
	run->of_process[process] += run->tally;
	run->all += run->tally;
	run->tally = 0;
	run->tallied = NULL;
}

static inline void run_count(struct run *run, const struct source_event *event)
{
	if (event->thread != run->tallied) {
		run_put_tally(run);
		run->tallied = event->thread;
	}
	run->tally++;
	run->by_id[event->event.id]++;
}

static inline void run_give(const struct run *run, const struct source_event *event, bool counts)
{
	const struct run_readers *readers = &run->readers[event->event.id];

	for (size_t i = 0; i < readers->count; i++)
		readers->reader[i].take(readers->reader[i].state, event, counts);
}

/*
 * For events beyond the selected time: passes them only to analyses that follow scopes which began
 * before.
 */
static void run_give_followers(const struct run *run, const struct source_event *event)
{
	const struct run_readers *readers = &run->readers[event->event.id];

	for (size_t i = 0; readers->follow && i < readers->count; i++)
		if (readers->reader[i].follows)
			readers->reader[i].take(readers->reader[i].state, event, false);
}

/* Any event. */
static void run_take_any(struct run *run, const struct source_event *event)
{
	enum filter_verdict verdict;

	if (!event->process || !event->thread) {
		run_take_book(run, event);
		return;
	}
	if (event->event.id == EVT_capture_start || event->event.id == EVT_capture_stop)
		run_take_capture(run, event);
	else if (event->event.id == EVT_detail_start || event->event.id == EVT_detail_stop)
		detail_take(&run->detail, event->process->index, event->event.time_ns,
			    event->event.id == EVT_detail_start);
	else if (event->event.id == EVT_gpu_window)
		detail_take_window(&run->gpu_windows, event->process->index, event->event.time_ns,
				   EVENT_AS(gpu_window, &event->event)->on != 0,
				   EVENT_AS(gpu_window, &event->event)->step);
	if (event->event.id == EVT_thread_clock)
		verdict = FILTER_PASSES_BY; /* followed everywhere, and not done by the program */
	else if (!run->filters.any)
		verdict = FILTER_COUNTS;
	else
		verdict = selection_judge(&run->filters, run->source, event);
	if (verdict == FILTER_BEYOND)
		run_give_followers(run, event);
	if (verdict == FILTER_OUT || verdict == FILTER_BEYOND)
		return;
	if (verdict == FILTER_COUNTS)
		run_count(run, event);
	run_give(run, event, verdict == FILTER_COUNTS);
	if (!evt_is_between(event->event.id))
		return;
	detail_take_step(&run->detail, event->process->index, event->event.time_ns,
			 verdict == FILTER_COUNTS);
	detail_take_step(&run->gpu_windows, event->process->index, event->event.time_ns,
			 verdict == FILTER_COUNTS);
}

static inline void run_take(struct run *run, const struct source_event *event)
{
	uint8_t id = event->event.id;

	if (!run->is_plain[id] || !event->thread || !event->process) {
		run_take_any(run, event);
		return;
	}
	run_count(run, event);
	run_give(run, event, true);
}

static void run_settle(struct run *run, uint64_t upto_ns)
{
	run->settled_ns = upto_ns;
	for (size_t i = 0; i < run->analysis_count; i++)
		if (run->analysis[i].kind->settle)
			run->analysis[i].kind->settle(run->analysis[i].state, upto_ns);
}

/* The event that is about to be taken is not settled yet. */
static void run_settle_to(struct run *run, uint64_t settled_ns, uint64_t event_ns)
{
	if (settled_ns > event_ns)
		settled_ns = event_ns;
	if (settled_ns > run->settled_ns)
		run_settle(run, settled_ns);
}

/* A process that has not ended may continue in a file that is still being written. */
static bool process_is_over(const struct source_process *process)
{
	return process->ended || process->file->complete;
}

static void run_finish_process(struct run *run, const struct source_process *process)
{
	enum cut_reason reason = process_is_over(process) ? CUT_ENDED : CUT_LIVE;
	uint64_t known_ns = source_file_known_ns(process->file);
	uint64_t end_ns = process->end_ns < known_ns ? process->end_ns : known_ns;
	struct cut cut = { known_ns < process->end_ns ? CUT_LOST : reason, 0, process, NULL };

	for (cut.thread = process->first_thread; cut.thread; cut.thread = cut.thread->next) {
		cut.time_ns = cut.thread->ended && cut.thread->end_ns < end_ns ? cut.thread->end_ns
									       : end_ns;
		run_cut(run, &cut);
	}
	cut.time_ns = end_ns;
	run_cut(run, &cut);
	recorded_time_close(&run->captured, process->index, end_ns);
}

/* Events that were not decoded count as well. With filters, all events that count are decoded. */
static void run_count_passed(struct run *run)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		uint64_t count = source_passed(run->source, (enum evt_id)id);

		run->all += count;
		run->by_id[id] += count;
	}
}

static void run_finish(struct run *run)
{
	struct source_process *const *process;
	size_t processes = source_processes(run->source, &process);

	run_settle(run, UINT64_MAX);
	run_put_tally(run);
	if (!run->filters.any)
		run_count_passed(run);
	for (size_t i = 0; i < processes; i++)
		run_finish_process(run, process[i]);
	for (size_t i = 0; i < run->analysis_count; i++)
		if (run->analysis[i].kind->finish)
			run->analysis[i].kind->finish(run->analysis[i].state);
}

struct progress {
	bool enabled, shown;
	struct timespec start;
	uint64_t events;
};

static void progress_show(struct progress *progress)
{
	struct timespec now;

	if (progress->events % PROGRESS_EVENTS || !progress->events || !progress->enabled)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - progress->start.tv_sec < PROGRESS_AFTER_S)
		return;
	progress->shown = true;
	fprintf(stderr, "\rreading: %llu million events",
		(unsigned long long)(progress->events >> 20));
}

void run_begin(struct run *run)
{
	run_seek(run);
	run_complete_wants(run);
	run_order_readers(run);
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		run->is_plain[id] = !run->filters.any && id != EVT_capture_start &&
				    id != EVT_capture_stop && id != EVT_thread_clock &&
				    id != EVT_detail_start && id != EVT_detail_stop &&
				    id != EVT_gpu_window && !evt_is_between(id);
	source_want_heap(run->source, run_take_heap, run);
	source_want_holes(run->source, run_take_hole, run);
	source_want(run->source, &run->wants);
}

bool run_continue(struct run *run, uint64_t until_ns)
{
	while (run->has_waiting || !source_next(run->source, &run->waiting)) {
		run->has_waiting = run->waiting.event.time_ns >= until_ns;
		if (run->has_waiting) {
			run_put_tally(run);
			return true;
		}
		if (run->continued++ % SETTLE_EVENTS == 0)
			run_settle_to(run, source_settled_ns(run->source),
				      run->waiting.event.time_ns);
		run_take(run, &run->waiting);
	}
	run_put_tally(run);
	return false;
}

uint64_t run_waiting_ns(const struct run *run)
{
	return run->waiting.event.time_ns;
}

void run_read(struct run *run, bool shows_progress)
{
	struct progress progress = { .enabled = shows_progress && isatty(STDERR_FILENO) };
	const struct source_event *event;

	run_begin(run);
	clock_gettime(CLOCK_MONOTONIC, &progress.start);
	while ((event = source_step(run->source))) {
		if (progress.events % SETTLE_EVENTS == 0) {
			run_settle_to(run, source_settled_ns(run->source), event->event.time_ns);
			progress_show(&progress);
		}
		progress.events++;
		run_take(run, event);
	}
	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	run_finish(run);
}

/* --- results --- */

struct source *run_source(const struct run *run)
{
	return run->source;
}

const struct frame_wants *run_wants(const struct run *run)
{
	return &run->wants;
}

uint64_t run_families(const struct run *run)
{
	uint64_t families = run->heap_reader_count ? 1ull << SOURCE_HEAP_FAMILY : 0;

	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (evt_descriptors[id].name && (run->readers[id].count || run->wants.sum[id]))
			families |= 1ull << evt_descriptors[id].family;
	return families;
}

const struct selection *run_filters(const struct run *run)
{
	return &run->filters;
}

const struct recorded_time *run_captured(const struct run *run)
{
	return &run->captured;
}

const struct detail *run_detail(const struct run *run)
{
	return &run->detail;
}

const struct detail *run_gpu_windows(const struct run *run)
{
	return &run->gpu_windows;
}

bool run_reads_gpu(const struct run *run)
{
	return run_families(run) >> evt_descriptors[EVT_gpu_window].family & 1;
}

bool run_covers(const struct run *run, uint32_t process, uint64_t from_ns)
{
	return detail_covers(&run->detail, process, from_ns) &&
	       detail_covers(&run->gpu_windows, process, from_ns);
}

uint64_t run_events(const struct run *run, enum evt_id id)
{
	return run->by_id[id];
}

uint64_t run_events_of_all(const struct run *run)
{
	return run->all;
}

uint64_t run_events_unknown(const struct run *run)
{
	uint64_t unknown = 0;

	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (!evt_descriptors[id].name)
			unknown += run->by_id[id];
	return unknown;
}

uint64_t run_events_of_thread(const struct run *run, const struct source_thread *thread)
{
	uint64_t passed = run->filters.any ? 0 : thread->passed;

	return passed + (thread->index < run->thread_room ? run->of_thread[thread->index] : 0);
}

uint64_t run_events_of_process(const struct run *run, const struct source_process *process)
{
	uint64_t passed = run->filters.any ? 0 : process->passed;

	return passed + (process->index < run->process_room ? run->of_process[process->index] : 0);
}
