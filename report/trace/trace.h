/* SPDX-License-Identifier: MIT */
/*
 * A recording as a trace: slices of threads and streams, moments, counters and arrows, with typed
 * arguments. One producer goes through the recording and calls a writer's functions; a writer
 * converts them to a format, or uses them for something else. Times are ns of the session. Nothing
 * here is escaped, cut or formatted: that is the writer's task.
 *
 * The data passed to a writer is valid during the call.
 *
 * Memory grows with names, threads, ranks, steps (150 bytes each) and what is open, not with
 * events. One thread.
 */
#ifndef REPORT_TRACE_TRACE_H
#define REPORT_TRACE_TRACE_H

#include "report/deferred/deferred.h"
#include "report/core/report_kind.h"
#include "report/steps/steps.h"
#include "report/trace/trace.def"

enum trace_category {
#define TRACE_CATEGORY_ID(id, word) TRACE_##id,
	TRACE_CATEGORIES(TRACE_CATEGORY_ID) TRACE_CATEGORY_LIMIT,
};
extern const char *const trace_words[TRACE_CATEGORY_LIMIT];

enum trace_argument_id {
#define TRACE_ARGUMENT_ID(id, name) TRACE_OF_##id,
	TRACE_ARGUMENTS(TRACE_ARGUMENT_ID) TRACE_ARGUMENT_LIMIT,
};
extern const char *const trace_argument_names[TRACE_ARGUMENT_LIMIT];

/*
 * Any bytes. Texts with the same number are equal, so that a writer can keep what it makes of one;
 * 0: no number.
 */
struct trace_text {
	const char *text;
	size_t length;
	uint32_t number;
	/* a list of numbers and plain words, in JSON syntax; with a number it stays valid */
	bool is_list;
};
#define TRACE_TEXT(literal) ((struct trace_text){ .text = literal, .length = sizeof(literal) - 1 })

enum trace_type { TRACE_NUMBER, TRACE_SIGNED, TRACE_STRING, TRACE_DIMENSIONS };

struct trace_argument {
	enum trace_argument_id id;
	enum trace_type type;
	const char *name;
	union {
		uint64_t number; /* for TRACE_SIGNED modulo 2^64 */
		struct trace_text text;
		const uint32_t *size; /* three of them */
	};
};

struct trace_event {
	enum trace_category category;
	struct trace_text name;
	uint64_t pid, tid; /* for work of a device: its number and the stream's */
	uint64_t time_ns;
	const struct trace_argument *argument;
	size_t arguments;
};

/* An arrow. `id` is unique within its category. */
struct trace_flow {
	enum trace_category category;
	uint64_t id;
	uint64_t pid, tid, time_ns; /* where it begins */
	uint64_t to_pid, to_tid, to_ns;
};

struct trace_slice {
	struct trace_event event; /* its time is the begin */
	uint64_t duration_ns;
	bool runs_on; /* it has no end: everything is read, and it is still open */
	bool is_cut;  /* its end was not recorded: it ends where that became known */
	/* for what need not nest: a range of a process; 0: it belongs to a thread or stream */
	uint64_t id;
	const struct deferred_work *work; /* of a device; NULL: none */
	uint64_t owner;                /* in that case: pid of the process that it was done for */
	const struct trace_flow *flow; /* from the call to this work; NULL: unknown */
	/* for TRACE_STEP: a step for which the program has no label */
	const struct step_row *step;
	const struct steps *steps; /* of `step`: what is known of it */
	/*
	 * Of a collective: which of the calls of that operation it is that began in this file, from
	 * 1. 0: it is none.
	 */
	uint64_t ordinal;
};

/* True for a range without end, in formats that can express that; JSON cannot. */
static inline bool trace_is_open(const struct trace_slice *slice)
{
	return slice->runs_on ||
	       (slice->id && slice->is_cut && slice->event.category == TRACE_ANNOTATION);
}

static inline uint64_t trace_end_ns(const struct trace_slice *slice)
{
	return slice->event.time_ns + slice->duration_ns;
}

/* Facts about the session, given before the first event. */
struct trace_head {
	const char *host, *version;
	uint64_t base_real_ns;
};

struct trace_file {
	void *state;               /* the writer's own */
	uint64_t rank, world_size; /* UINT64_MAX: no rank */
	const char *host;          /* "" if it is unknown */
	struct trace_file *next;
};

/*
 * All functions except slice() may be NULL. Without open() there is no file, and the state is the
 * one in trace_options.
 */
struct trace_writer {
	bool takes_samples;   /* stretches of samples are slices, TRACE_STACK */
	bool takes_all_steps; /* includes steps with a label of the program; and their times */
	bool nests_only;      /* a slice that crosses another one of its thread has an `id` */
	bool splits_hosts;    /* in addition to ranks */

	/*
	 * Returns 0, or -1 with the request's message. file->state is the one in trace_options, and
	 * the writer's from here on.
	 */
	int (*open)(struct trace_file *file, struct report_request *request,
		    const struct trace_head *head);
	int (*close)(struct trace_file *file, struct report_request *request);

	void (*slice)(void *state, const struct trace_slice *slice);
	void (*moment)(void *state, const struct trace_event *event);
	void (*counter)(void *state, const struct trace_event *event, uint64_t bytes);
	/* A number that is no memory; its name says the unit. */
	void (*gauge)(void *state, const struct trace_event *event, uint64_t value);
	/*
	 * A sample of a GPU by NVML, for the time that it stands for, with all answers as
	 * arguments. `tid` is the index of the name of its UUID. TRACE_GPU_THROTTLED: power or
	 * temperature held the clock down.
	 */
	void (*gpu_state)(void *state, const struct trace_slice *slice);
	void (*flow)(void *state, const struct trace_flow *flow);
	/*
	 * When everything is read: for each process of the file, then its threads; then devices
	 * that did anything.
	 */
	void (*process)(void *state, const struct source_process *process, uint64_t pid);
	void (*thread)(void *state, const struct source_thread *thread, uint64_t pid);
	void (*stream)(void *state, uint32_t device, uint32_t stream);
};

struct trace_options {
	struct report_request *request;
	const struct trace_writer *writer;
	void *state;
	bool by_rank; /* one file per rank */
	/* kernels have their return type, as in torch.profiler's traces: scripts join by name */
	bool whole_kernel_names;
};

/*
 * Reads the request's source to its end and writes it. Returns an exit status, with the request's
 * message if it is not 0.
 */
int trace_write(const struct trace_options *options);

/* "[1, 2, 3]"; `text` must have room for TRACE_DIMENSIONS_BYTES. */
#define TRACE_DIMENSIONS_BYTES 48
struct trace_text trace_dimensions_text(char *text, const uint32_t size[3]);

/* Viewers recognise modules by this beginning of their names. */
#define TRACE_MODULE_LABEL "nn.Module: "
/* Viewers recognise steps by this. */
#define TRACE_STEP_LABEL "ProfilerStep#"
/* Correlation numbers of calls that CUPTI did not number are greater. */
#define TRACE_CORRELATION_MAX UINT32_MAX
#define TRACE_CUT "end not recorded"

#endif
