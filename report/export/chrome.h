/* SPDX-License-Identifier: MIT */
/*
 * The trace of `export chrome` under way: an analysis that writes events to trace files as it meets them. What its parts
 * share: files by rank, names as JSON, numbers of processes. What opens and closes on threads is chrome_scopes.c, samples are
 * chrome_samples.c, all else chrome_moments.c.
 *
 * Memory grows with names, threads, ranks, steps (150 bytes each) and what is open, not with events.
 */
#ifndef REPORT_EXPORT_CHROME_H
#define REPORT_EXPORT_CHROME_H

#include "report/base/map.h"
#include "report/base/demangle.h"
#include "report/core/late.h"
#include "report/core/analysis.h"
#include "report/core/async_scopes.h"
#include "report/core/nest.h"
#include "report/core/work.h"
#include "report/export/trace_file.h"
#include "report/gpu/untold.h"
#include "report/heap/heap_events.h"
#include "report/samples/sample_events.h"
#include "report/steps/step_events.h"
#include "report/torch/operator_naming.h"

/* What nests among itself only. */
enum chrome_nest_id {
	CHROME_OPERATORS,
	CHROME_RANGES,
	CHROME_MODULES,
	CHROME_ACTIONS,
	CHROME_NESTS
};

/* What is beside an open scope. */
struct chrome_scope {
	uint32_t name;
	uint32_t shapes, types; /* names; 0: none */
	int64_t sequence;       /* of autograd; -1: none */
	uint64_t forward_thread, id, parent;
	bool counts, is_user;
};

struct chrome_nest {
	struct chrome *chrome;
	enum chrome_nest_id id;
	struct nest nest;
	struct chrome_scope *scope; /* by number of the nest's */
	size_t room;
};

struct chrome_options {
	struct report_request *request;
	const struct trace_writer *writer; /* NULL: JSON */
	void *context;                     /* the writer's own, for one that opens nothing */
};

struct chrome {
	struct report_request *request;
	const struct trace_writer *writer;
	struct source *source;
	const struct run *run;
	const struct selection *filters;
	const struct operator_naming *naming;
	const struct steps *steps;
	const struct samples *samples; /* NULL: the format has no line for them */
	struct heap *heap;
	struct works *works;
	struct chrome_nest nest[CHROME_NESTS];
	struct async_scopes async;

	struct trace_head head;
	struct trace_file *files;
	void *context;
	bool is_folder; /* a file a rank */
	bool failed;    /* a file could not be opened: the message is made */
	struct trace_file **of_process;
	uint64_t *
		pid_shown; /* by process, 0: not yet; kernel's pids of several hosts may be the same */
	bool *has_steps; /* by process: labels ProfilerStep#N of its own */
	size_t process_room;

	struct trace_text *json; /* by index of a name */
	size_t json_room;
	struct text_store texts;

	struct map forward; /* sequence number to an entry of `moment` */
	struct map started; /* NVTX start/end ranges that are open, to an entry of `range` */
	struct map totals;  /* process and device to bytes allocated */
	struct map reserved;
	struct map counted; /* process and device to the time of the last counter */
	struct chrome_forward *moment;
	size_t moments, moment_room;
	uint32_t moment_unused;
	struct chrome_range *range;
	size_t ranges, range_room;
	uint32_t range_unused;
	uint64_t ids, flows;

	struct demangler demangler; /* of kernels */
	struct trace_text *kernel;  /* by index of a name */
	size_t kernel_room;
	struct map line_known; /* of `line` */
	const struct untold *untold;
	struct chrome_line *line; /* streams of devices that something is on */
	size_t lines, line_room;
};
ANALYSIS(chrome, struct chrome)

/* The file that events of the process go to; NULL when it could not be opened. */
struct trace_file *chrome_file(struct chrome *chrome, const struct source_process *process);
/* The process's pid, or another number where an earlier process has that one. */
uint64_t chrome_pid(struct chrome *chrome, const struct source_process *process);
/* The name as a JSON string. */
struct trace_text chrome_json(struct chrome *chrome, uint32_t name);
struct source_thread *chrome_thread(const struct chrome *chrome, uint32_t index);

/* An event on a thread; its begin is done. NULL: there is no file for it. */
struct chrome_place {
	char phase;
	const char *category;
	struct trace_text name;
	uint64_t time_ns, duration_ns, id;
	bool is_counted; /* as of a trace_event */
	bool is_cut;     /* its end was not recorded: it is shown to that of the process */
};
struct trace_file *chrome_begin(struct chrome *chrome, const struct source_thread *thread,
				const struct chrome_place *place);

/*
 * Reads the request's source and writes its events as the writer has them: the whole of an exporter. `context` is the
 * writer_state of each file before its open().
 */
int chrome_export(struct report_request *request, const struct trace_writer *writer, void *context);

/* For start(), cut(), finish() and release() of the analysis. */
void chrome_scopes_start(struct chrome *chrome, struct run *run);
void chrome_scopes_cut(struct chrome *chrome, const struct cut *cut);
void chrome_scopes_release(struct chrome *chrome);
/* Of a process: what is of none of its threads. */
void chrome_scopes_cut_process(struct chrome *chrome, const struct cut *cut);
void chrome_moments_cut_process(struct chrome *chrome, const struct cut *cut);
/* `External id` of the innermost operator that is open on the thread, 0: none is. */
uint64_t chrome_operator_id(const struct chrome *chrome, uint32_t thread);
void chrome_device_start(struct chrome *chrome, struct run *run);
/* What the GPU may still have been doing when its process ended; once all is read. */
void chrome_device_put_unfinished(struct chrome *chrome);
void chrome_device_finish(struct chrome *chrome);
void chrome_device_release(struct chrome *chrome);
void chrome_samples_start(struct chrome *chrome, struct run *run);
void chrome_moments_start(struct chrome *chrome, struct run *run);
void chrome_moments_finish(struct chrome *chrome);
void chrome_moments_release(struct chrome *chrome);

#define CHROME_STACKS "python_stack" /* category of samples */
#define CHROME_UNFINISHED \
	"gpu_unfinished" /* category of work of a GPU whose end was not recorded: b, with its duration, and e */
#define CHROME_CUT \
	"end not recorded" /* argument of what was open at the end, which it is shown to */
#define TRACE_TEXT(literal) ((struct trace_text){ literal, sizeof(literal) - 1 })

#endif
