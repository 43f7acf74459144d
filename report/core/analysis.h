/* SPDX-License-Identifier: MIT */
/*
 * Analyses turn events into meaning: each reads some kinds of events, in order of time, and keeps a state
 * that reports make rows of.
 *
 * An analysis is a struct (struct heap), what it may be asked for (struct heap_options), a kind (analysis_heap)
 * and a line ANALYSIS(heap, struct heap) in its header. Nobody has a list of them: what nobody wants is not there. One
 * that wants others sees an event after them, whichever was wanted first.
 *
 * Life of a run:
 *   run_new()     no analysis yet
 *   run_want()    makes the state, zeroed, and calls start(), which wants others and says what it reads
 *   run_read()    the source to its end: take(), cut(), settle(); then finish(), in that order
 *   ...           reports read the states, which do not change any more
 *   run_free()    release(), in reverse order
 *
 * Ownership: states belong to the run; what run_want() returned is good until run_free(). Threads,
 * processes and names belong to the source, which outlives the run. An event's words are good during
 * take() only. One thread. Running out of memory ends the program (report/base/memory.h).
 */
#ifndef REPORT_CORE_ANALYSIS_H
#define REPORT_CORE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "report/core/recorded_time.h"
#include "report/scopes/cut.h"
#include "report/core/selection.h"
#include "report/session/source.h"

struct run;

/* `counts`: the filters hold. Else the event is followed (what opens, closes, lives) but not counted. */
typedef void analysis_take(void *state, const struct source_event *event, bool counts);

struct analysis_kind {
	const char *name;
	size_t state_bytes, options_bytes;
	void (*start)(void *state, struct run *run, const void *options);

	/* Each of these may be NULL. */
	void (*cut)(void *state, const struct cut *cut);
	/* The modules of a process have changed: what its addresses mean may be another thing now. */
	void (*remap)(void *state, const struct source_process *process);
	/* Events of the process were lost. */
	void (*lose)(void *state, const struct source_process *process);
	/*
	 * All events up to that time have been delivered; deferred work (a GPU's) may be settled
	 * now.
	 */
	void (*settle)(void *state, uint64_t upto_ns);
	/* After the last event. */
	void (*finish)(void *state);
	/* Frees the contents; the state itself is the run's. */
	void (*release)(void *state);
};

/* In the analysis' own header: its kind, with its own types, as in heap_want(run, &options). */
#define ANALYSIS(name, type)                                                                   \
	extern const struct analysis_kind analysis_##name;                                     \
	static inline type *name##_want(struct run *run, const struct name##_options *options) \
	{                                                                                      \
		return run_want(run, &analysis_##name, options);                               \
	}

/*
 * The state of an analysis with these options (NULL: all zeros): the one that is there, or a new one. Two
 * that want different options get a state each, from one reading. Before run_read() only; no circles.
 */
void *run_want(struct run *run, const struct analysis_kind *kind, const void *options);

/* The state of one that was wanted without options; NULL when nobody wanted it. */
const void *run_look(const struct run *run, const struct analysis_kind *kind);

struct run *run_new(struct source *source, const struct filter_settings *filter);
void run_free(struct run *run);

/*
 * For start(): take() is to see these events of programs. Fields that nobody wants read 0, events that
 * nobody wants are counted and need not be decoded.
 * `state`: the one that start() was called for. Events of family system have no process and no thread, and count
 * whatever the filters say.
 */
#define FIELD_BIT(event, field) (1u << (offsetof(struct evt_##event, field) / sizeof(uint64_t)))
#define FIELDS_ALL UINT32_MAX
void run_reads(struct run *run, enum evt_id id, uint32_t fields, analysis_take *take, void *state);

/* The same of all events that open ranges of threads (report/scopes/open_ranges.h), and of all that close them. */
void run_reads_ranges(struct run *run, analysis_take *opening, analysis_take *closing, void *state);

/*
 * For start(), once it has said what it reads: the state is given these events beyond the end of --time and --step, too,
 * though they do not count there. For who follows what goes on inside of scopes that began before.
 */
void run_follows(struct run *run, void *state);

/*
 * For start(), of kinds with a field `size`: how many there were and their sizes, added up in thread->sum and
 * process->sum, without being given out. Where that cannot be, take() sees them: with filters, and in frames
 * with an event of run_sums_exact(), at which the sums of other threads are looked at.
 */
void run_sums(struct run *run, enum evt_id id, uint32_t fields, analysis_take *take, void *state);
void run_sums_exact(struct run *run, enum evt_id id);

/*
 * Events of that kind, or all, are to be counted by the filters, for the functions below. Without filters all
 * are, and with filters those that are read.
 */
void run_counts(struct run *run, enum evt_id id);
void run_counts_all(struct run *run);

/* Likewise: all that happens to blocks of the heap, as records between the events; see source_want_heap(). */
void run_reads_heap(struct run *run, source_take_heap *take, void *state);

/* Likewise: events and sites of the heap have stacks; else they are STACK_NONE. */
void run_reads_stacks(struct run *run);

/* Reads the source to its end. `shows_progress`: on stderr, when that takes long. */
void run_read(struct run *run, bool shows_progress);

/*
 * The same in parts, of a source that grows (source_resume()): run_begin() once; run_continue() gives the analyses what there is
 * and returns at its end, or with `until_ns` before the first event from then on: true; run_end() once, before what the
 * analyses hold is final.
 */
void run_begin(struct run *run);
bool run_continue(struct run *run, uint64_t until_ns);
/* Time of that event; only after run_continue() has said true. */
uint64_t run_waiting_ns(const struct run *run);
void run_end(struct run *run);

/* The command line's; NULL where there is none. Borrowed. */
struct options;
void run_set_options(struct run *run, const struct options *options);
const struct options *run_options(const struct run *run);
struct source *run_source(const struct run *run);
/* What is read; the filters' own needs are in it once run_read() has begun. */
const struct frame_wants *run_wants(const struct run *run);
/* 1 << enum evt_family, of all events that analyses read. */
uint64_t run_families(const struct run *run);
const struct selection *run_filters(const struct run *run);
const struct recorded_time *run_captured(const struct run *run);
/* Events of programs that the filters hold for: see run_counts(). */
uint64_t run_events(const struct run *run, enum evt_id id);
uint64_t run_events_of_all(const struct run *run);
/* Of kinds that this program does not know. */
uint64_t run_events_unknown(const struct run *run);
uint64_t run_events_of_thread(const struct run *run, const struct source_thread *thread);
uint64_t run_events_of_process(const struct run *run, const struct source_process *process);

/* Index of a name that an event gives (source_name_at()). */
static inline uint32_t event_name(struct source *source, const struct source_event *event,
				  uint64_t id)
{
	return source_name_of(source, event->file, id)->index;
}

#endif
