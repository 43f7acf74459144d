/* SPDX-License-Identifier: MIT */
/*
 * Analyses turn events into results. Each reads some kinds of events, in order of time, and keeps a
 * state from which reports make rows.
 *
 * An analysis consists of a struct for its state (struct heap), a struct for its options (struct
 * heap_options), a kind (analysis_heap), and a line ANALYSIS(heap, struct heap) in its header.
 * There is no list of all analyses: one that nobody wants does not exist in the run. An analysis
 * that wants others sees each event after them, in whichever order they were wanted.
 *
 * Life of a run:
 *   run_new()     makes a run without analyses
 *   run_want()    makes a zeroed state and calls start(), which wants others and says what it reads
 *   run_read()    reads the source to its end: take(), cut(), settle(), and finish() at the end
 *   ...           reports read the states, which no longer change
 *   run_free()    calls release(), in reverse order
 *
 * Ownership: states belong to the run; what run_want() returns is valid until run_free(). Threads,
 * processes and names belong to the source, which outlives the run. An event's words are valid
 * during take() only. A run is to be used by one thread. If memory runs out, the program ends
 * (report/base/memory.h).
 */
#ifndef REPORT_CORE_ANALYSIS_H
#define REPORT_CORE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "report/core/detail.h"
#include "report/core/recorded_time.h"
#include "report/scopes/cut.h"
#include "report/core/selection.h"
#include "report/session/source.h"

struct run;

/*
 * `counts`: the filters hold. Otherwise the event is followed (what opens, closes or is live) but
 * not counted.
 */
typedef void analysis_take(void *state, const struct source_event *event, bool counts);

struct analysis_kind {
	const char *name;
	size_t state_bytes, options_bytes;
	void (*start)(void *state, struct run *run, const void *options);

	/* Each of these may be NULL. */
	void (*cut)(void *state, const struct cut *cut);
	/*
	 * The modules of a process have changed, so an address may have another meaning from now
	 * on.
	 */
	void (*remap)(void *state, const struct source_process *process);
	/* Events of the process were lost. */
	void (*lose)(void *state, const struct source_process *process);
	/*
	 * All events up to that time have been delivered, so deferred work (a GPU's) may be
	 * settled.
	 */
	void (*settle)(void *state, uint64_t upto_ns);
	/* After the last event. */
	void (*finish)(void *state);
	/* Frees the contents of the state; the state itself belongs to the run. */
	void (*release)(void *state);
};

/*
 * For the header of an analysis: declares its kind and a typed function such as heap_want(run,
 * &options).
 */
#define ANALYSIS(name, type)                                                                   \
	extern const struct analysis_kind analysis_##name;                                     \
	static inline type *name##_want(struct run *run, const struct name##_options *options) \
	{                                                                                      \
		return run_want(run, &analysis_##name, options);                               \
	}

/*
 * Returns the state of the analysis with these options (NULL: all zeros), which is made if it does
 * not exist. Two callers with different options get different states, from one reading. May be
 * called before run_read() only. Analyses must not want each other in a circle.
 */
void *run_want(struct run *run, const struct analysis_kind *kind, const void *options);

/* Returns the state of an analysis that was wanted without options; NULL: nobody wanted it. */
const void *run_look(const struct run *run, const struct analysis_kind *kind);

struct run *run_new(struct source *source, const struct filter_settings *filter);
void run_free(struct run *run);

/*
 * For start(): take() will get these events of programs. Fields that nobody wants are 0, and events
 * that nobody wants are counted but need not be decoded. `state`: the one for which start() was
 * called. Events of family system have no process and no thread, and always count.
 */
#define FIELD_BIT(event, field) (1u << (offsetof(struct evt_##event, field) / sizeof(uint64_t)))
#define FIELDS_ALL UINT32_MAX
void run_reads(struct run *run, enum evt_id id, uint32_t fields, analysis_take *take, void *state);

/*
 * The same for all events that open and close scopes of that kind; `opening` or `closing` may be
 * NULL. `fields`: of those that open one. Those that close one have all fields that tell which
 * (report/scopes/scope_events.h).
 */
void run_reads_scopes(struct run *run, enum evt_scope_kind kind, uint32_t fields,
		      analysis_take *opening, analysis_take *closing, void *state);
/* Only those with a key, by which the end names its scope; or only those without one. */
void run_reads_keyed_scopes(struct run *run, enum evt_scope_kind kind, uint32_t fields,
			    analysis_take *opening, analysis_take *closing, void *state);
void run_reads_keyless_scopes(struct run *run, enum evt_scope_kind kind, uint32_t fields,
			      analysis_take *opening, analysis_take *closing, void *state);

/*
 * The same for the calls of a family: its events that begin with the name of a function and have a
 * duration. They have it whatever `fields` says; see evt_duration_field().
 */
void run_reads_calls(struct run *run, enum evt_family family, uint32_t fields, analysis_take *take,
		     void *state);

/* The same for all events that open or close ranges of threads (report/scopes/open_ranges.h). */
void run_reads_ranges(struct run *run, analysis_take *opening, analysis_take *closing, void *state);

/*
 * For start(), after it has said what it reads: the state also gets these events beyond the end of
 * --time and --step, where they do not count. For analyses that follow scopes which began before
 * that end.
 */
void run_follows(struct run *run, void *state);

/*
 * For start(), of all that it has said so far that it reads: promises about the state's results
 * where only a part of the time is selected, so that segments of the file are passed over. Without
 * a promise, all segments are read that have events of its families.
 *
 * run_enters(): of what precedes the part, it needs only what the state of a segment repeats:
 * scopes and requests that are open, blocks of tensors that live, and the last clock of each thread
 * (in files without request_sum the clocks are missing, and requests are read as a whole).
 * run_enters_step(): that, and what came since the last step began.
 * run_leaves(): of what follows the part, it needs nothing once all scopes that began in the part
 * have ended.
 */
void run_enters(struct run *run, const void *state);
void run_enters_step(struct run *run, const void *state);
void run_leaves(struct run *run, const void *state);
/* Both. */
static inline void run_seeks(struct run *run, const void *state)
{
	run_enters(run, state);
	run_leaves(run, state);
}

/*
 * For start(), for kinds with a field `size`: their number and the sum of their sizes are added to
 * thread->sum and process->sum, and the events are not delivered. Where that is impossible, take()
 * gets them: with filters, and in frames with an event of run_sums_exact(), which reads the sums of
 * other threads.
 */
void run_sums(struct run *run, enum evt_id id, uint32_t fields, analysis_take *take, void *state);
void run_sums_exact(struct run *run, enum evt_id id);

/*
 * The filters are to be applied to events of that kind, or to all, for the functions below that
 * count events. Without filters all events count; with filters only those are counted that are
 * read.
 */
void run_counts(struct run *run, enum evt_id id);
void run_counts_all(struct run *run);

/*
 * The same for all changes of heap blocks, as records between the events; see source_want_heap().
 */
void run_reads_heap(struct run *run, source_take_heap *take, void *state);

/* The same for stacks of events and heap sites; without this they are STACK_NONE. */
void run_reads_stacks(struct run *run);

/* Reads the source to its end. `shows_progress`: prints progress to stderr if it takes long. */
void run_read(struct run *run, bool shows_progress);

/*
 * The same in parts, for a source that grows (source_resume()). Call run_begin() once.
 * run_continue() passes on all events that exist and returns false; or, with `until_ns`, returns
 * true before the first event from that time on. The finish() of the
 * analyses is not called.
 */
void run_begin(struct run *run);
bool run_continue(struct run *run, uint64_t until_ns);
/* The time of that event; may be called only after run_continue() has returned true. */
uint64_t run_waiting_ns(const struct run *run);

/* The options of the command line; NULL: there are none. Borrowed. */
struct options;
void run_set_options(struct run *run, const struct options *options);
const struct options *run_options(const struct run *run);
struct source *run_source(const struct run *run);
/* What is read. It includes the filters' own needs once run_read() has begun. */
const struct frame_wants *run_wants(const struct run *run);
/* 1 << enum evt_family, for all events that analyses read. */
uint64_t run_families(const struct run *run);
const struct selection *run_filters(const struct run *run);
const struct recorded_time *run_captured(const struct run *run);
/* As of the event that is being read. */
const struct detail *run_detail(const struct run *run);
/* The same for work of the GPU (INTERCEPT_GPU_STEPS). */
const struct detail *run_gpu_windows(const struct run *run);
/* Whether an analysis reads what GPUs did. */
bool run_reads_gpu(const struct run *run);
/* Whether the process has had both since that time: what a step is made of is known. */
bool run_covers(const struct run *run, uint32_t process, uint64_t from_ns);
/* Events of programs for which the filters hold: see run_counts(). */
uint64_t run_events(const struct run *run, enum evt_id id);
uint64_t run_events_of_all(const struct run *run);
/* Events of kinds that this program does not know. */
uint64_t run_events_unknown(const struct run *run);
uint64_t run_events_of_thread(const struct run *run, const struct source_thread *thread);
uint64_t run_events_of_process(const struct run *run, const struct source_process *process);

/* Returns the index of a name in an event (source_name_at()). */
static inline uint32_t event_name(struct source *source, const struct source_event *event,
				  uint64_t id)
{
	return source_name_of(source, event->file, id)->index;
}

#endif
