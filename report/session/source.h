/* SPDX-License-Identifier: MIT */
/*
 * The events of a session: one file or several, merged by time, with the tables that the bookkeeping
 * events fill (processes, threads, strings, modules, losses). What reports read; they see no bytes.
 *
 * Ownership: everything belongs to the source and lives until source_close(), but for an event's
 * `value` words, which live until the next source_next(). Tables only grow while reading, and their
 * entries do not move (arrays of pointers). Not thread-safe; threads of its own decode a few large files
 * ahead of source_next() (report/file/ahead.h), where there are cores. Memory grows with processes, threads,
 * strings and modules, and with one frame a file, never with events.
 *
 * Times: ns since the session's first record; files of one host are placed by CLOCK_MONOTONIC, files
 * of other hosts by CLOCK_REALTIME.
 */
#ifndef REPORT_SESSION_SOURCE_H
#define REPORT_SESSION_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/limitations.h"
#include "collector/format/block.h"
#include "collector/format/events.h"
#include "report/base/task.h"

struct source;

/*
 * A string. The same text is the same name, whatever file has it. A name that is used before its text
 * is known (a frame was lost) is one of its own, and may stay without text.
 */
struct source_name {
	const char *text; /* NULL until defined; source_name_text() gives "<lost #id>" for those */
	size_t length;
	uint64_t id;    /* in the file that had it first */
	uint32_t index; /* dense over the source, for use as a table index */
};

struct source_module {
	uint64_t start, bytes, bias;
	const struct source_name *path, *build_id;
	uint64_t from_ns, to_ns; /* to_ns UINT64_MAX while mapped */
};

/* What a python_line says; texts live as long as the source. */
struct source_python_line {
	const struct source_name *function, *file;
	uint32_t first, line; /* 0: unknown */
};

struct source_process {
	uint32_t index;  /* dense over the source */
	uint32_t number; /* in its file */
	struct source_file *file;
	uint32_t pid, parent_pid;
	struct source_process *parent; /* NULL when unknown */
	const struct source_name *command, *executable;
	uint64_t rank,
		world_size; /* of a distributed run, as its variables say; UINT64_MAX and 0: not told */
	uint64_t stacks_every; /* INTERCEPT_STACKS_EVERY; 0: stacks are no sample */
	uint64_t limitations;  /* 1 << enum limitation; limitations.h */
	const struct source_name *limitation_subject[LIMITATIONS]; /* NULL: none */
	bool rank_is_torch;        /* RANK, as torchrun sets it, or PyTorch: see source_rank() */
	uint64_t start_ns, end_ns; /* end: of process_end, else of the last event seen */
	bool ended;
	int64_t exit_status; /* -1 unknown */
	uint32_t how;        /* enum evt_end_how */
	uint64_t cpu_ns, memory_bytes;
	uint64_t memory_peak_bytes, children_ns,
		major_faults;             /* of process_usage; 0 when not told */
	uint64_t disk_read, disk_written; /* of process_usage: bytes plus one, 0 when not told */
	bool has_usage;
	uint64_t samples_torn, samples_dropped; /* of python_sampling */
	uint64_t events;                        /* program events (not of family system) */
	uint64_t passed; /* of these, those that were not given out: see source_want() */
	struct block_sum
		sum; /* of frame_wants.sum, see there: of all threads, as far as it is known */
	uint64_t lost;
	struct source_module **module; /* sorted by from_ns of appearance */
	size_t module_count;
	struct source_thread *first_thread, *last_thread; /* by their `next` */
	size_t thread_count;
};

/* CPU time and waits of a thread, as they were told; see thread_times(). */
struct source_thread_cpu {
	bool is_known;     /* start_ns is */
	uint64_t start_ns; /* CPU time that it had used before its life counts */
	uint64_t last_ns;  /* CPU time last; 0: not known */
	bool is_looked;    /* the collector had a look at the scheduler's counters */
	uint64_t first_runnable_ns, runnable_ns, voluntary, involuntary;
};

struct source_thread {
	uint32_t index; /* dense over the source: one a (process, tid, start) */
	struct source_process *process;
	uint32_t tid;
	const struct source_name *name; /* last known, NULL when none */
	bool is_named;             /* by the program, which counts more than the kernel's name */
	uint64_t start_ns, end_ns; /* end: once all is read never after the process's */
	bool ended;
	bool has_records;           /* of its own, not only samples of its stack */
	uint64_t events, passed;    /* as of a process */
	struct source_thread *next; /* of the process */
	struct task task;           /* that it runs, up to the event given out last */
	struct block_sum
		sum; /* of frame_wants.sum: up to the event of this thread given out last */
	struct source_thread_cpu cpu;
};

struct source_meta {
	struct source_process *process; /* NULL: the session */
	const struct source_file *file; /* that says so */
	const struct source_name *key, *value;
};

struct source_loss {
	struct source_process *process; /* NULL unknown */
	uint32_t reason;                /* enum evt_lost_reason */
	uint64_t count;
	uint64_t from_ns,
		to_ns; /* the first of them was lost after the one, the last before the other */
};

/* A symbol frame of a file, as bytes: report/symbols/answers.h. */
struct source_symbols {
	const uint8_t *bytes;
	size_t length;
	const struct source_symbols *next; /* of the file */
};

/* A fault of a file: what `check` lists and the banner of every report shows. */
struct source_fault {
	struct source_file *file;
	uint64_t offset;
	int error;      /* enum evt_error */
	char text[160]; /* one line, lower case */
};

struct source_file {
	uint32_t index;
	const char *path;
	const char *host, *session;
	uint64_t bytes; /* on disk */
	uint64_t frames, records;
	bool complete;     /* end marker seen */
	bool is_cut_short; /* nothing could be written any more: known_ns; see holes.h */
	uint64_t known_ns;
	bool live;         /* a writer holds it */
	int64_t offset_ns; /* its time 0 on the session's clock */
	uint64_t cost_cpu_ns, cost_memory_bytes,
		cost_waits;                   /* of its collector, last `cost` event */
	uint64_t start_real_ns;               /* CLOCK_REALTIME of its time 0, 0 when unknown */
	const struct source_symbols *symbols; /* those read so far: a writer puts them first */
	struct {
		bool is_known;
		uint64_t device, inode;
	} place; /* on disk; for who writes files, which asks for it once (report/core/report.c) */
};

struct source_options {
	bool live; /* do not wait for a live writer: read what is there */
	bool waits; /* wait for the end of a run that goes on; else only for a writer that finishes */
	unsigned int wait_s; /* without live: wait no longer, all files together */
	bool copies; /* of recordings that are named count, too: each file is looked at for itself */
	bool only_named; /* do not look for the session's other files */
	bool base_names; /* source_file.path is without folders: they are nobody's business */
	/* One line for stderr while opening: which session was taken, what is waited for. May be NULL. */
	void (*note)(void *context, const char *line);
	void *note_context;
};

/*
 * Opens the files and those of the same session beside them. 0, or enum evt_error with one line in
 * `message` when nothing at all can be read; faults of single files are in source_faults().
 */
int source_open(struct source **ret_source, char *const *paths, size_t count,
		const struct source_options *options, char *message, size_t message_bytes);
void source_close(struct source *source);

/*
 * Before the first source_next(): only these events are given out; the others are counted, for process,
 * thread and source_passed(), and those of `sum` are added up. Bookkeeping is always given out. Copied.
 */
void source_want(struct source *source, const struct frame_wants *wants);
/*
 * Addresses that more than one thread of a process does something with in a frame of the file, and
 * others by chance: a bit each.
 */
#define HEAP_SHARED_BITS 17u
struct heap_shared {
	uint64_t word[(1u << HEAP_SHARED_BITS) / 64];
};

static inline uint64_t heap_shared_bit(uint32_t process, uint64_t address)
{
	uint64_t hash = ((address >> 4) + ((uint64_t)process << 48)) * 0x9e3779b97f4a7c15u;

	return hash >> (64 - HEAP_SHARED_BITS);
}

static inline void heap_share(struct heap_shared *shared, uint32_t process, uint64_t address)
{
	uint64_t bit = heap_shared_bit(process, address);

	shared->word[bit / 64] |= 1ull << bit % 64;
}

static inline bool heap_is_shared(const struct heap_shared *shared, uint32_t process,
				  uint64_t address)
{
	uint64_t bit = heap_shared_bit(process, address);

	return shared->word[bit / 64] >> bit % 64 & 1;
}

/*
 * Events of the heap's blocks that come one after the other in a thread. With `leads` partners are what they
 * seem, unless their address is `shared`.
 */
struct source_heap {
	const struct heap_record *record; /* all `count` of the block; these are [from, to) */
	uint32_t from, to, count;
	const struct heap_site *site; /* their stacks are those of source_stacks() */
	uint32_t sites;
	uint64_t frame;     /* what a site is holds for this number */
	uint64_t offset_ns; /* to be added to times as merge_time() does */
	const struct source_process *process;
	const struct source_thread *thread;
	bool leads;
	const struct heap_shared *shared; /* NULL: there are none */
};
#define SOURCE_HEAP_FAMILY EVT_FAMILY_alloc /* of those events */
typedef void source_take_heap(void *context, const struct source_heap *heap);

/*
 * With frame_wants.heap, before source_want(): source_next() gives the heap's records away to `take`,
 * those of all threads in order of time. Bookkeeping, teardown_begin and events of families capture and steps come after
 * all records that were before them; other events of a thread may come before some of its records.
 */
void source_want_heap(struct source *source, source_take_heap *take, void *context);
/* Events of that id that were not given out. */
uint64_t source_passed(const struct source *source, enum evt_id id);
/* Up to here all events of all files have been given out. */
uint64_t source_settled_ns(const struct source *source);

struct source_event {
	struct event event;             /* time_ns is on the session's clock */
	struct source_process *process; /* NULL for stream 0 */
	struct source_thread *thread;   /* NULL for stream 0 */
	struct source_file *file;
	uint32_t stack; /* in source_stacks(); STACK_NONE: none, or not wanted */
};

/* The stacks so far, with frame_wants.stacks; see report/session/stacks.h. They stay what they are. */
struct stacks;
const struct stacks *source_stacks(const struct source *source);
/* The line of Python that an address of a frame stands for; NULL: it is none, or was not recorded. */
const struct source_python_line *source_python_line(const struct source_process *process,
						    uint64_t address);
/* `stack`, or where there is none the caller as a stack of one frame; STACK_NONE where both are unknown. */
uint32_t source_stack_or_caller(struct source *source, uint32_t stack, uint64_t caller);
/* `inner` called from `outer`, as one stack; `inner` alone when there is no room for it. */
uint32_t source_stack_under(struct source *source, uint32_t outer, uint32_t inner);

/*
 * The next event by time, bookkeeping ones included (after the tables have taken them in). 0 or
 * EVT_END; a damaged frame is passed over and becomes a fault.
 */
int source_next(struct source *source, struct source_event *ret_event);
/* The same without a copy: valid until the next one. NULL where source_next() would not have returned 0. */
const struct source_event *source_step(struct source *source);

/*
 * For files that are being written, before the first source_next() and whenever it has said EVT_END: what has come since is given
 * out next. Without `grows` nobody writes any more, and what is missing is a fault. 0 or an error of source_next().
 */
int source_resume(struct source *source, bool grows);

/* Events of a name field, by file. Never NULL; id 0 is the empty string. */
const struct source_name *source_name_of(struct source *source, struct source_file *file,
					 uint64_t id);
size_t source_name_count(const struct source *source);
/* The name with that index, which is one of the source's. */
const struct source_name *source_name_at(const struct source *source, uint32_t index);
/*
 * The rank of a process, UINT64_MAX when it has none. Where there are ranks that torchrun has set those of Slurm and MPI
 * do not count: they number its launchers.
 */
uint64_t source_rank(const struct source *source, const struct source_process *process);
/* Text for people; never NULL. */
const char *source_name_text(const struct source_name *name);
/* The same with its length; the text may hold zeros. */
const char *name_text(const struct source_name *name, size_t *ret_length);

/* A thread's name; of a main thread without one its program's; length 0 when there is none. */
void thread_name(const struct source_thread *thread, const char **ret_text, size_t *ret_length);

/*
 * What became of a thread's time from its start to its end: on a CPU, runnable without one, blocked (the rest). It starts where
 * the thread did, or where recording of its process began if that was later; in old recordings at its first record. Once all is read. Of a thread that was killed the last 100 ms may count as blocked.
 */
struct thread_times {
	bool has_cpu, has_waits; /* cpu_ns is known; the others are */
	uint64_t cpu_ns, runnable_ns, blocked_ns;
	uint64_t voluntary, involuntary; /* context switches */
};
struct thread_times thread_times(const struct source_thread *thread);
void thread_times_add(struct thread_times *into, const struct thread_times *more);
/* Of all its recorded threads, added up. */
struct thread_times process_times(const struct source_process *process);

/*
 * CPU time of the process as this program: after an exec the kernel goes on counting, so that cpu_ns has that of the program
 * before, too. Once all is read.
 */
uint64_t process_own_cpu_ns(const struct source *source, const struct source_process *process);

/* Module that holds `address` in `process` at `time_ns`, NULL when none. */
const struct source_module *source_module_at(const struct source_process *process, uint64_t address,
					     uint64_t time_ns);

/* From the process's start on it is the same one, or none, at any time. */
bool source_module_is_lasting(const struct source_process *process, uint64_t address);

/* The process with that number in the file, NULL when it is not known. */
const struct source_process *source_process_of(const struct source_file *file, uint64_t number);
/* The thread that a stream of the file belongs to, NULL when it is not known. */
const struct source_thread *source_thread_of(const struct source_file *file, uint64_t stream);

size_t source_files(const struct source *source, struct source_file *const **ret_files);
size_t source_processes(const struct source *source, struct source_process *const **ret_processes);
/* So many of them have ended so far. */
uint64_t source_processes_ended(const struct source *source);
size_t source_threads(const struct source *source, struct source_thread *const **ret_threads);
size_t source_losses(const struct source *source, const struct source_loss **ret_losses);
/* Why, in a few words. */
const char *source_loss_text(const struct source_loss *loss);
size_t source_metas(const struct source *source, const struct source_meta **ret_metas);
size_t source_faults(const struct source *source, const struct source_fault **ret_faults);
/* What could not be read has readable parts behind it, as far as is known; a file that only ends too early has none. */
bool source_file_has_holes(const struct source *source, const struct source_file *file);
uint64_t source_cpu_ns(const struct source *source); /* of all processes, so far */
uint64_t source_end_ns(
	const struct source *source); /* time of the last event or watermark so far */

#endif
