/* SPDX-License-Identifier: MIT */
/*
 * The producer of traces: an analysis that passes events to writers as it meets them. What its
 * parts share: files by rank, numbers of processes, texts. trace_scopes.c handles what opens and
 * closes on threads, trace_device.c work of devices, trace_samples.c samples, and trace_moments.c
 * everything else.
 */
#ifndef REPORT_TRACE_PRODUCER_H
#define REPORT_TRACE_PRODUCER_H

#include "report/base/map.h"
#include "report/core/analysis.h"
#include "report/scopes/async_scopes.h"
#include "report/core/collecting.h"
#include "report/scopes/nest.h"
#include "report/core/work.h"
#include "report/gpu/unreported.h"
#include "report/heap/heap_events.h"
#include "report/samples/sample_events.h"
#include "report/steps/step_events.h"
#include "report/torch/operator_naming.h"
#include "report/trace/trace.h"
#include "report/trace/trace_texts.h"

/* Each kind nests only within itself. */
enum trace_nest_id { NEST_OPERATORS, NEST_RANGES, NEST_MODULES, NEST_ACTIONS, TRACE_NESTS };

/* Additional data of an open scope. */
struct trace_scope {
	uint32_t name;
	uint32_t shapes, types; /* names; 0: none */
	int64_t sequence;       /* of autograd; -1: none */
	uint64_t forward_thread, id, parent, ordinal;
	bool counts, is_user;
};

struct trace_nest {
	struct trace *trace;
	enum trace_nest_id id;
	struct nest nest;
	struct trace_scope *scope; /* indexed as the nest's scopes */
	size_t room;
};

/* Garbage collections in progress. */
struct trace_collecting {
	struct collecting threads;
	uint32_t *generation; /* by thread */
	size_t room;
};

struct trace {
	struct trace_options options;
	const struct trace_writer *writer;
	struct source *source;
	const struct run *run;
	const struct selection *filters;
	const struct operator_naming *naming;
	const struct steps *steps;
	const struct samples *samples; /* NULL: the writer does not take them */
	struct heap *heap;
	struct works *works;
	struct trace_nest nest[TRACE_NESTS];
	struct async_scopes async;
	struct trace_collecting collecting;

	struct trace_head head;
	struct trace_file *files;
	bool failed; /* a file could not be opened: the message is set */
	struct trace_file **of_process;
	uint64_t *pid_shown; /* by process, 0: not yet; several hosts may have the same pid */
	bool *has_steps;     /* by process: it has its own labels ProfilerStep#N */
	size_t process_room;
	struct trace_texts texts;
	struct trace_argument (*call_field)[EVT_FIELDS_MAX]; /* by event: name, id and type */

	struct map forward; /* from sequence number to an entry of `moment` */
	struct map started; /* open NVTX start/end ranges, to an entry of `range` */
	struct map totals;  /* from process and device to allocated bytes */
	struct map reserved;
	struct map counted; /* from process and device to the time of the last counter */
	struct map called;  /* from file and operation to the number of calls, of collectives */
	struct trace_forward *moment;
	size_t moments, moment_room;
	uint32_t moment_unused;
	struct trace_range *range;
	size_t ranges, range_room;
	uint32_t range_unused;
	uint64_t ids, flows;

	const struct unreported *unreported;
	struct map line_known;   /* for `line` */
	struct trace_line *line; /* streams of devices that have any work */
	size_t lines, line_room;
};
ANALYSIS(trace, struct trace)

/* Returns the file for events of the process; NULL if it could not be opened. */
struct trace_file *trace_file_of(struct trace *trace, const struct source_process *process);
/* Returns the process's pid, or another number if an earlier process has that pid. */
uint64_t trace_pid(struct trace *trace, const struct source_process *process);
/* such a number modulo this is the pid; the kernel's pids are below */
#define TRACE_PIDS (1u << 22)
struct source_thread *trace_thread(const struct trace *trace, uint32_t index);

/* Events of a thread: with its pid, tid and file. */
void trace_put_slice(struct trace *trace, const struct source_thread *thread,
		     struct trace_slice slice);
void trace_put_moment(struct trace *trace, const struct source_thread *thread,
		      struct trace_event event);

/* Arguments of the event that is being built. */
#define TRACE_LIST_MAX (EVT_FIELDS_MAX + 10)
struct trace_list {
	struct trace_argument argument[TRACE_LIST_MAX];
	size_t count;
};
void trace_add_number(struct trace_list *list, enum trace_argument_id id, uint64_t number);
void trace_add_signed(struct trace_list *list, enum trace_argument_id id, int64_t number);
void trace_add_text(struct trace_list *list, enum trace_argument_id id, struct trace_text text);
void trace_add_size(struct trace_list *list, enum trace_argument_id id, const uint32_t size[3]);

/* For start(), cut(), finish() and release() of the analysis. */
void trace_scopes_start(struct trace *trace, struct run *run);
void trace_scopes_cut(struct trace *trace, const struct cut *cut);
void trace_scopes_release(struct trace *trace);
/* For a process: what belongs to none of its threads. */
void trace_scopes_cut_process(struct trace *trace, const struct cut *cut);
void trace_moments_cut_process(struct trace *trace, const struct cut *cut);
/* `External id` of the innermost open operator of the thread, 0: none. */
uint64_t trace_operator_id(const struct trace *trace, uint32_t thread);
void trace_gc_start(struct trace *trace, struct run *run);
void trace_gc_cut(struct trace *trace, const struct cut *cut);
void trace_gc_release(struct trace *trace);
void trace_requests_start(struct trace *trace, struct run *run);
void trace_states_start(struct trace *trace, struct run *run);
void trace_device_start(struct trace *trace, struct run *run);
/* What a GPU may still have been doing when its process ended. Call when everything is read. */
void trace_device_put_unfinished(struct trace *trace);
void trace_device_finish(struct trace *trace);
void trace_device_release(struct trace *trace);
void trace_samples_start(struct trace *trace, struct run *run);
void trace_waits_start(struct trace *trace, struct run *run);
void trace_moments_start(struct trace *trace, struct run *run);
void trace_moments_finish(struct trace *trace);
void trace_moments_release(struct trace *trace);

#endif
