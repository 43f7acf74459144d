/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a source share: source.c (events in order), source_open.c (files, one clock),
 * source_names.c, source_processes.c, source_modules.c, source_losses.c (the tables) and
 * bookkeeping.c (which event fills which table). Private to them; reports use source.h.
 *
 * The rows of the tables begin with the struct of source.h, so that one can be converted to the
 * other.
 */
#ifndef REPORT_SESSION_SOURCE_STATE_H
#define REPORT_SESSION_SOURCE_STATE_H

#include "report/base/map.h"
#include "report/session/merge.h"
#include "report/file/reader.h"
#include "report/session/source.h"
#include "report/session/stacks.h"
#include "report/base/store.h"

/* Higher limits than any real recording needs: a file that exceeds them was made to. */
#define SOURCE_NAMES_MAX (1u << 21)      /* per file; the collector stops at 2^20 */
#define SOURCE_TEXT_BYTES_MAX (1u << 28) /* per file */
#define SOURCE_PROCESSES_MAX (1u << 20)
#define SOURCE_THREADS_MAX (1u << 22)
#define SOURCE_MODULES_MAX (1u << 16) /* per process */
#define SOURCE_METAS_MAX (1u << 16)
#define SOURCE_FAULTS_MAX 1000u
#define SOURCE_SYMBOLS_BYTES_MAX (256u << 20) /* over all files */

struct name_row {
	struct source_name name;
	struct name_row *alike; /* the next text with the same hash */
	char lost[32];          /* what source_name_text() returns before it is defined */
};

struct process_row {
	struct source_process process;
	size_t module_room;
	bool defined; /* by a `process` event; otherwise only mentioned */
	/* in frame number `heap_frame`: the stream with the most heap records in a block */
	uint64_t heap_frame, heap_stream;
	uint32_t heap_most;
};

struct thread_row {
	struct source_thread thread;
	struct thread_row *earlier; /* the previous one with the same process and tid */
	bool has_main;              /* it has a stream of level 0 */
	bool defined;
	/* sums of blocks without events, until the thread's next event or the end of the frame */
	struct block_sum waiting;
	bool waits;
	struct thread_row *next_waiting;
};

struct stream_row {
	struct thread_row *thread;
	uint64_t level;
};

#define NAMES_RECENT 64u /* per file, by the low bits of their ids */

/* A clock, and how it differs from the first one. */
struct clock_row {
	struct source_clock clock;
	uint32_t first;            /* index of the file that it was found by */
	struct clock_piece *piece; /* owned; clock.piece */
	/* between which what is added changes evenly; in the order of time; NULL: not corrected */
	struct clock_knot {
		int64_t time_ns, add_ns;
	} * knot;
	size_t knots;
};

struct file_row {
	struct source_file file;
	int64_t uncorrected_ns; /* file.offset_ns without corrections */
	struct source *source;
	char *path; /* owned */
	struct bytes bytes;
	struct reader *reader;
	struct lookup names, processes, streams;
	struct {
		uint64_t id; /* 0: none */
		const struct source_name *name;
		/* number of the present frame among those of all files, from 1 */
	} recent[NAMES_RECENT];
	uint64_t frame;             /* of the present frame, owned; NULL before the first */
	struct heap_shared *shared; /* any address is shared */
	bool is_shared;             /* of the present frame */
	bool is_state;              /* the present frame repeats what an earlier one held */
	bool repeats;               /* it is no digest, which stands for what is not read */
	bool reads_before;          /* a segment was read: those up to the selected time follow */
	bool is_rejoined;           /* it repeats only open scopes: frame.rejoins */
	size_t name_count, text_bytes;
	struct merge_run *run; /* number of runs in the merge */
	size_t run_room;
	size_t runs_open;           /* threads with sums that wait for the end of the frame */
	struct thread_row *waiting; /* threads with sums that wait for the end of the frame */
	/*
	 * of the present frame, if has_stacks: indices in source->stacks, and its sites with these
	 */
	bool has_stacks;
	uint32_t *stack_of_node, *stack_of_kind;
	struct heap_site *site;
	size_t node_room, kind_room, site_room;
	bool ended;
	uint64_t watermark_ns, settled_ns; /* of the present frame, and of the previous one */
	uint64_t sequence;                 /* of the present frame */
	uint64_t before_ns;                /* watermark of the previous frame */
	/* records of the last frame that are later than what is known */
	uint64_t left_out;
	uint64_t lost_told;                 /* by `lost` events */
	const struct source_process *first; /* that was defined; NULL: none yet */
	uint64_t program;                   /* typed_program_of() */
	bool counts_before;                 /* lost_told contains the losses before what was read */
};

struct source {
	struct store store;
	struct file_row **file;
	size_t file_count, file_room;

	struct clock_row *clock;
	size_t clock_count, clock_room;
	/* from times as clocks without corrections have them to those of the session */
	int64_t moved_ns;

	struct source_process **process;
	size_t process_count, process_room;
	uint64_t cpu_ns; /* sum over all of them so far */
	uint64_t processes_ended;
	struct source_thread **thread;
	size_t thread_count, thread_room;
	struct source_loss *loss;
	size_t loss_count, loss_room;
	struct source_hole *hole;
	size_t hole_count, hole_room;
	struct source_meta *meta;
	size_t meta_count, meta_room;
	bool has_torch_ranks; /* see source_rank() */
	struct source_fault *fault;
	size_t fault_count, fault_room;
	const struct source_name **name; /* by index */
	size_t name_count, name_room;
	struct lookup texts; /* from the hash of a text to its name */

	struct lookup process_by_pid; /* host and pid: the latest process */
	struct lookup thread_by_tid;  /* process index and tid: the latest thread */
	struct lookup name_by_tid;    /* the same for threads that have no stream yet */
	struct source_name empty_name, overflow_name;
	struct typed *typed; /* names of code without a file, the latest one */
	struct lookup typed_texts, typed_programs;

	size_t symbol_bytes; /* of all symbol frames kept */
	uint64_t end_ns, settled_ns;
	struct merge merge;
	struct workers *workers;        /* NULL: none */
	struct reader_scratch *scratch; /* for all files; NULL: there is one file */
	bool begun;                     /* the first frame of each file has been read */
	struct frame_wants wants;
	struct source_plan plan; /* source_seek() */
	uint64_t families_passed;
	struct stacks stacks;
	struct map python_lines; /* from id to the index below */
	struct source_python_line *python_line;
	size_t python_line_count, python_line_room;
	uint64_t passed[EVT_ID_LIMIT];
	source_take_heap *take_heap; /* NULL: heap records are not wanted */
	void *heap_context;
	void (*take_hole)(void *context, const struct source_hole *hole); /* NULL: not wanted */
	void *hole_context;
	bool heap_cuts[EVT_ID_LIMIT]; /* events that come after all heap records before them */
	bool slow[EVT_ID_LIMIT];      /* those, and events about the thread itself */
	uint64_t frames;              /* over all files so far */

	/* the run that is being followed */
	struct merge_run *run;
	const struct event *at, *end, *begin;
	const uint32_t *stack_of_kind; /* NULL: its frame has no stacks, or they are not wanted */
	uint64_t until_ns;
	bool keeps_books; /* it belongs to stream 0 */
	struct source_event
		current; /* process, thread and file of the run; the event handed out last */
	int error;       /* why source_step() returned none */
};

/* --- source_clocks.c --- */
/* Finds which files have one clock, and places all on that of the first file. */
int clocks_find(struct source *source);
void clocks_release(struct source *source);
/* Corrects all times of a frame if the file's clock is corrected. */
void clocks_correct_frame(const struct file_row *file, struct reader_frame *frame);

/* --- source_names.c --- */
int names_start(struct source *source);
int names_define(struct file_row *file, uint64_t id, struct evt_text text);

/* --- source_typed.c --- */
/* Whether that is what Python calls code that has no file: each program has its own. */
bool typed_is(const char *text, size_t length);
/* Returns the name that the file's program has for it, NULL if it has none yet. */
struct name_row *typed_find(struct file_row *file, const char *text, size_t length);
/* Gives a name without a text that text. */
int typed_put(struct file_row *file, struct name_row *row, const char *text, size_t length);
/* What tells the program whose file it is from others; 0: no process of it is known yet. */
uint64_t typed_program_of(struct file_row *file);

/* --- source_processes.c --- */
/* Returns the row of a process number; made if the process was not mentioned yet. */
int process_mention(struct file_row *file, uint64_t number, uint64_t time_ns,
		    struct process_row **ret_process);
int process_define(struct file_row *file, const struct evt_process *event, uint64_t time_ns);
/* Returns the row of a stream; a row without data if the `thread` event was lost. */
int stream_mention(struct file_row *file, uint64_t stream, uint64_t time_ns,
		   struct thread_row **ret_thread);
int stream_define(struct file_row *file, const struct evt_thread *event, uint64_t time_ns);
void stream_end(struct file_row *file, const struct evt_thread_end *event, uint64_t time_ns);
void stream_take_sched(struct file_row *file, const struct evt_thread_sched *event);
/* The thread has used that much CPU time by now. */
void thread_note_cpu(struct source_thread *thread, uint64_t cpu_ns);
/* The thread that had this tid at that time, NULL when none. */
void thread_take_kernel_name(struct source *source, struct source_thread *thread,
			     const struct source_name *name);
/* What a program says of one of its threads. */
struct thread_naming {
	const struct source_name *name;
	uint64_t pool_threads; /* as in struct source_thread */
};
/* The program names a thread, which may have no stream yet. */
void thread_set_name(struct source *source, const struct source_process *process, uint64_t tid,
		     uint64_t time_ns, const struct thread_naming *naming);
struct thread_row *thread_find(struct source *source, const struct source_process *process,
			       uint64_t tid, uint64_t time_ns);

/*
 * Call after the last event: a thread that was alive then ends with its process, and none ends
 * later.
 */
void threads_settle(const struct source *source);

/* --- source_stacks.c --- */
/* Converts the stacks of the frame to the source's. */
int stacks_take(struct file_row *file, const struct reader_frame *frame);

/* --- source_python.c --- */
int python_line_define(struct file_row *file, const struct evt_python_line *event);

/* --- source_modules.c --- */
int module_define(struct file_row *file, const struct evt_module *event, uint64_t time_ns);
void module_end(struct file_row *file, const struct evt_module_end *event, uint64_t time_ns);

/* --- source_losses.c --- */
int loss_add(struct file_row *file, const struct evt_lost *event, uint64_t time_ns);
/*
 * Losses that the end marker counts in addition to those of `lost` events, for which there was no
 * room.
 */
int loss_add_unreported(struct file_row *file);
int meta_add(struct file_row *file, const struct evt_meta *event, uint64_t time_ns);
__attribute__((format(printf, 4, 5))) void fault_add(struct file_row *file, uint64_t offset,
						     int error, const char *format, ...);
uint64_t add_capped(uint64_t a, uint64_t b);

/* --- holes.c --- */
/* `process`: NULL for the whole file. */
int hole_add(struct file_row *file, const struct source_process *process, uint64_t from_ns,
	     uint64_t to_ns);

/* --- source_passed.c --- */
/* Records of the block that became no events. */
void passed_add(struct file_row *file, struct thread_row *thread, const struct event_block *block);
/*
 * The sums of a block without events wait for the thread's next run, or for the end of the frame.
 */
void sums_wait(struct file_row *file, struct thread_row *thread, const struct block_sum *sum);
/* A run with events begins: the waiting sums of its thread come before them. */
void sums_join(struct merge_run *run, struct thread_row *thread, const struct block_sum *sum);
/* The run has reached its next event, or its end. */
void sums_move(struct merge_run *run, const struct block_sum *sum);
/* The frame has been handed out completely. */
void sums_settle(struct file_row *file);

/* --- bookkeeping.c --- */
/* Called before a frame's events are merged: definitions that they refer to by number. */
int books_define(struct file_row *file, const struct event *event, uint64_t time_ns);
/* Called when the event's turn has come. */
int books_take(struct file_row *file, const struct event *event, uint64_t time_ns);
/* For events about the thread itself, in a thread's stream and not in stream 0. */
void books_take_own(struct thread_row *thread, struct file_row *file, const struct event *event);

/* --- source.c --- */
/* Converts a time of a frame, which is corrected, to the session's clock. */
static inline uint64_t file_time(const struct file_row *file, uint64_t time_ns)
{
	return merge_time(time_ns, (uint64_t)file->file.offset_ns);
}

/* What programs did is known up to the frame before the present one. */
void file_cut_short(struct file_row *file);
/* Loads frames of the file until one has events to hand out. */
int file_load(struct file_row *file);

#endif
