/* SPDX-License-Identifier: MIT */
/*
 * A trace in the JSON that torch.profiler writes (Kineto's schema): its head, events one by one, its end. Times are ns of
 * the session; in the file they are us, and baseTimeNanoseconds is the real time of 0. Knows nothing of what events mean.
 *
 * An event is begun, may get arguments, and is ended:
 *
 *   trace_begin(trace, &(struct trace_event){ ... });
 *   trace_argument_number(trace, "bytes", 42);
 *   trace_end(trace);
 */
#ifndef REPORT_EXPORT_TRACE_FILE_H
#define REPORT_EXPORT_TRACE_FILE_H

#include "report/export/sink.h"

struct trace_text {
	const char *text;
	size_t length;
};

struct trace_file;
struct trace_event;
struct trace_head;
struct late_work;
struct source_name;

/*
 * Another format than JSON, or who takes events for something else. Each as the function of that name below; all but
 * begin() may be NULL. Without open() there is no file, and writer_state is what chrome_options gave.
 */
struct trace_writer {
	bool names_devices; /* itself: there is no metadata of devices and streams */
	bool takes_samples; /* stretches of samples are events, of category CHROME_STACKS */
	bool splits; /* a file a host and rank, open() is asked for each; all steps; says what it wrote */
	int (*open)(struct trace_file *trace, struct report_request *request,
		    const struct trace_head *head);
	int (*close)(struct trace_file *trace, struct report_request *request);
	void (*begin)(struct trace_file *trace, const struct trace_event *event);
	void (*number)(struct trace_file *trace, const char *name, uint64_t value);
	/* `value` as bytes, or as JSON that is no string. */
	void (*text)(struct trace_file *trace, const char *name, struct trace_text value);
	void (*end)(struct trace_file *trace);
	/* Takes a piece of work of a device, which is no event then. `name`: of a kernel. */
	void (*work)(struct trace_file *trace, const struct late_work *work, uint64_t pid,
		     const struct source_name *name);
	/* Once all is read, for each process of the file. */
	void (*process)(struct trace_file *trace, const struct source_process *process,
			uint64_t pid);
	void (*metadata)(struct trace_file *trace, const char *what, uint64_t pid, uint64_t tid,
			 const struct trace_text *value);
};

struct trace_file {
	const struct trace_writer *writer; /* NULL: JSON */
	void *writer_state;                /* the writer's own */
	uint64_t rank, world_size;         /* UINT64_MAX: of no rank */
	const char *host;                  /* "" when it is not known */
	char *path;                        /* owned; NULL: stdout */
	struct trace_file *next;
	uint64_t events; /* without metadata */
	bool has_arguments, has_events;
	bool has_spans; /* events that have a duration */
	struct sink sink;
};

struct trace_event {
	char phase; /* X: it took duration_ns; i: a moment; C: a counter; b, e: of a process, by `id`; s, f: ends of a flow */
	const char *category;   /* of us, plain ASCII */
	struct trace_text name; /* already a JSON string */
	uint64_t pid, tid, time_ns, duration_ns;
	uint64_t id;     /* of what has two ends; of a counted step its number */
	uint64_t owner;  /* of what a GPU did: pid of the process that it did it for; else 0 */
	bool is_counted; /* a step that the program has no label for */
	bool is_cut;     /* its end was not recorded: it is shown to that of the process */
};

/* What the head says of the session. */
struct trace_head {
	const char *host, *version;
	uint64_t base_real_ns;
};

/* 0, or -1 with the request's message. `trace->path`, rank and world_size are set. */
int trace_open(struct trace_file *trace, struct report_request *request,
	       const struct trace_head *head);
/* Likewise; the losses of the request's source are told in it. */
int trace_close(struct trace_file *trace, struct report_request *request);

void trace_begin(struct trace_file *trace, const struct trace_event *event);
void trace_argument_number(struct trace_file *trace, const char *name, uint64_t value);
void trace_argument_signed(struct trace_file *trace, const char *name, int64_t value);
/* `value` is JSON. */
void trace_argument_json(struct trace_file *trace, const char *name, struct trace_text value);
void trace_argument_text(struct trace_file *trace, const char *name, struct trace_text value);
void trace_end(struct trace_file *trace);

/* "process_name" and so on: `value` as text, or as a number where it is NULL. tid 0: of the process. */
void trace_metadata(struct trace_file *trace, const char *what, uint64_t pid, uint64_t tid,
		    const struct trace_text *value, uint64_t number);

#endif
