/* SPDX-License-Identifier: MIT */
/*
 * The events of a session: one file or several, merged by time, with the tables that bookkeeping
 * events fill (processes, threads, strings, modules, losses). This is what reports read; they see
 * no bytes.
 *
 * Ownership: everything belongs to the source and lives until source_close(), except for an event's
 * `value` words, which live until the next source_next(). Tables only grow while reading, and their
 * entries do not move (arrays of pointers). Not thread-safe. If there are cores for it, threads of
 * its own decode a few large files ahead of source_next() (report/file/ahead.h). Memory grows with
 * processes, threads, strings and modules, and with one frame per file, never with events.
 *
 * Times: ns since the session's first record. Files of one host are aligned by CLOCK_MONOTONIC,
 * files of other hosts by CLOCK_REALTIME, until source_correct_clock() knows better.
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
 * A string. Equal texts are the same name, in whatever file. A name that is used before its text is
 * known (because a frame was lost) is a separate name, and may stay without text.
 */
struct source_name {
	const char *text; /* NULL until defined; then source_name_text() returns "<lost #id>" */
	size_t length;
	uint64_t id;    /* in the first file that had it */
	uint32_t index; /* without gaps over the whole source, for use as a table index */
};

struct source_module {
	uint64_t start, bytes, bias;
	const struct source_name *path, *build_id;
	uint64_t from_ns, to_ns; /* to_ns is UINT64_MAX while mapped */
};

/* The contents of a python_line; texts live as long as the source. */
struct source_python_line {
	const struct source_name *function, *file;
	uint32_t first, line; /* 0: unknown */
};

struct source_process {
	uint32_t index;  /* without gaps over the whole source */
	uint32_t number; /* in its file */
	struct source_file *file;
	uint32_t pid, parent_pid;
	struct source_process *parent; /* NULL if unknown */
	const struct source_name *command, *executable;
	/* of a distributed run, from its variables; UINT64_MAX and 0: unknown */
	uint64_t rank, world_size;
	uint64_t stacks_every; /* INTERCEPT_STACKS_EVERY; 0: stacks are not sampled */
	uint64_t limitations;  /* 1 << enum limitation; limitations.h */
	const struct source_name *limitation_subject[LIMITATIONS]; /* NULL: none */
	/* from RANK, as torchrun sets it, or from PyTorch: see source_rank() */
	bool rank_is_torch;
	uint64_t start_ns, end_ns; /* end: that of process_end, else the last event */
	bool ended;
	int64_t exit_status; /* -1: unknown */
	uint32_t how;        /* enum evt_end_how */
	uint64_t cpu_ns, memory_bytes;
	/* as process_cpu had it last: 1: a signal stopped it, 2: a debugger; and since when */
	uint32_t stopped;
	uint64_t stopped_ns;
	uint64_t stops_ns; /* how long signals had stopped it, about; see process_stops_ns() */
	uint64_t memory_peak_bytes, children_ns,
		major_faults;             /* from process_usage; 0 if unknown */
	uint64_t disk_read, disk_written; /* from process_usage: bytes plus one, 0 if unknown */
	uint64_t memory_limit_bytes;      /* from process_usage; 0 if unknown */
	/* from process_end: kills of the OOM killer, plus one, since so long before the end */
	uint64_t oom_kills, oom_within_ns;
	bool oom_is_machine; /* of the machine, not of the cgroup */
	bool has_usage;
	uint64_t samples_torn, samples_dropped; /* from python_sampling */
	uint64_t events;                        /* program events (not of family system) */
	uint64_t passed;      /* those of them that were not handed out: see source_want() */
	struct block_sum sum; /* from frame_wants.sum: over all threads, as far as known */
	uint64_t lost;
	struct source_module **module; /* sorted by the time of their appearance */
	size_t module_count;
	struct source_thread *first_thread, *last_thread; /* linked by `next` */
	size_t thread_count;
};

/* CPU time and waits of a thread, as recorded; see thread_times(). */
struct source_thread_cpu {
	bool is_known;     /* start_ns is known */
	uint64_t start_ns; /* CPU time that it had used before its recorded life began */
	uint64_t last_ns;  /* last CPU time; 0: unknown */
	bool is_looked;    /* the collector has read the scheduler's counters */
	uint64_t first_runnable_ns, runnable_ns, voluntary, involuntary;
};

struct source_thread {
	uint32_t index; /* without gaps over the source: one per (process, tid, start) */
	struct source_process *process;
	uint32_t tid;
	const struct source_name *name; /* last known, NULL when none */
	const struct source_name *kernel_name,
		*given_name; /* by whom; given: by NVTX or threading.Thread */
	/* it is of a ThreadPoolExecutor that may have so many; 0: it is not, or not known */
	uint64_t pool_threads;
	uint64_t start_ns, end_ns; /* end: once all is read never after the process's */
	bool ended;
	bool has_records;           /* it has records of its own, not only samples of its stack */
	uint64_t events, passed;    /* as for a process */
	struct source_thread *next; /* next thread of the process */
	struct task task;           /* its current task, at the event handed out last */
	struct block_sum
		sum; /* from frame_wants.sum: up to the event of this thread handed out last */
	struct source_thread_cpu cpu;
};

struct source_meta {
	struct source_process *process; /* NULL: it belongs to the session */
	const struct source_file *file; /* the file that says so */
	const struct source_name *key, *value;
};

struct source_loss {
	struct source_process *process; /* NULL: unknown */
	uint32_t reason;                /* enum evt_lost_reason */
	uint64_t count;
	uint64_t from_ns,
		to_ns; /* the first event was lost after from_ns, the last one before to_ns */
};

/* A symbol frame of a file, as bytes: report/symbols/answers.h. */
struct source_symbols {
	const uint8_t *bytes;
	size_t length;
	const struct source_symbols *next; /* next one of the file */
};

/* A fault of a file: listed by `check`, and shown in the banner of every report. */
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
	bool complete;     /* the end marker was found */
	bool is_cut_short; /* nothing could be written any more: known_ns; see holes.h */
	uint64_t known_ns;
	bool live; /* a writer holds it */
	/*
	 * its older part was given back (INTERCEPT_KEEP_LAST): it begins here; on the session's
	 * clock
	 */
	bool gave_back;
	uint64_t kept_from_ns, gone_records;
	int64_t offset_ns; /* its time 0 on the session's clock */
	uint32_t clock;    /* which of the source's clocks it has */
	uint64_t cost_cpu_ns, cost_memory_bytes,
		cost_waits;                   /* of its collector, from the last `cost` event */
	uint64_t start_real_ns;               /* CLOCK_REALTIME of its time 0, 0 if unknown */
	const struct source_symbols *symbols; /* those read so far: a writer puts them first */
	struct {
		bool is_known;
		uint64_t device, inode;
		/*
	 * its identity on disk; for code that writes files, which checks it once
	 * (report/core/report.c)
	 */
	} place;
};

struct source_options {
	bool live; /* do not wait for a live writer: read what is there */
	/*
	 * wait for the end of a run that continues; otherwise only for a writer that is finishing
	 */
	bool waits;
	unsigned int wait_s; /* without live: limit for waiting, over all files */
	bool copies; /* named copies of recordings count, too: each file is examined by itself */
	bool only_named; /* do not search for the session's other files */
	bool base_names; /* source_file.path has no folders, because they are private */
	/*
	 * Called with a line for stderr while opening: which session was chosen, what is waited
	 * for. May be NULL.
	 */
	void (*note)(void *context, const char *line);
	void *note_context;
};

/*
 * Opens the files and the other files of the same session in their folder. Returns 0, or, if
 * nothing at all can be read, enum evt_error with one line in `message`. Faults of single files are
 * in source_faults().
 */
int source_open(struct source **ret_source, char *const *paths, size_t count,
		const struct source_options *options, char *message, size_t message_bytes);
void source_close(struct source *source);
/* Opens the same files once more, as they are now. EVT_NO_MEMORY, or that nothing can be read. */
int source_open_again(struct source **ret_source, const struct source *source);

/*
 * The clocks that the files were recorded by: CLOCK_MONOTONIC of a machine since its boot. The
 * first one is that of the session. Times of others are as exact as their real-time clocks, unless
 * they are corrected.
 */
#define CLOCK_DOUBT_UNKNOWN UINT64_MAX
/*
 * What is to be added to times of a clock for a while: a straight line. Times are those of the
 * session as it is without corrections.
 */
struct clock_piece {
	int64_t from_ns, to_ns;
	int64_t add_ns; /* at from_ns */
	double drift;   /* ns a second */
	/* The line is that far off at most, from from_ns to to_ns; its drift by that much. */
	double doubt_ns, drift_doubt;
	bool drift_is_known;
	uint64_t bounds; /* that it was found by */
};

struct source_clock {
	const char *host;
	uint32_t files;
	uint64_t doubt_ns;               /* how far it may be off: 0 of the first one */
	const struct clock_piece *piece; /* in the order of time; NULL: it is not corrected */
	size_t pieces;
};
size_t source_clocks(const struct source *source);
const struct source_clock *source_clock(const struct source *source, size_t clock);
/* How far times of two files may be off from each other. */
uint64_t source_clocks_doubt_ns(const struct source *source, const struct source_file *one,
				const struct source_file *other);

/*
 * Call before the first source_next(), and before anything is kept that depends on times. Beside
 * the pieces the first and the last one go on; between two of them what is added changes evenly.
 * Copied. Pieces by which time would go back are ignored. EVT_NO_MEMORY.
 */
int source_correct_clock(struct source *source, size_t clock, const struct clock_piece *piece,
			 size_t count);
/* A time of that clock without corrections, as it is with them. */
uint64_t source_corrected_ns(const struct source *source, size_t clock, int64_t time_ns);
/* Corrects the clocks of a source of the same files in the same way. */
int source_share_clocks(struct source *to, const struct source *from);

/*
 * Call before the first source_next(). Only these events are handed out. The others are counted
 * (for process, thread and source_passed()), and those of `sum` are added up. Bookkeeping events
 * are always handed out. Copied.
 */
void source_want(struct source *source, const struct frame_wants *wants);
/*
 * Which segments of files have to be read; their digests stand for the others. Times are on the
 * session's clock. Events of stream 0, of families steps and capture, and those with HOLDS() are
 * handed out whatever is read.
 */
struct source_plan {
	uint64_t from_ns, to_ns; /* what is in this time is read, and scopes that began in it */
	uint64_t before, after;  /* families: 1 << enum evt_family; read before and after it, too */
	uint64_t leads;          /* families; read from the last step on that begins before it */
	uint64_t reads;          /* families of what is read, beside what digests have */
	bool only_digests;       /* no other event is needed at all */
};
/* Call before the first source_next(). Files that are being written are read as a whole. */
void source_seek(struct source *source, const struct source_plan *plan);
/* Families of segments that were passed over, as far as reading has come. */
uint64_t source_families_passed(const struct source *source);
/*
 * Addresses that more than one thread of a process uses within a frame of the file, and others by
 * chance: one bit each.
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
 * Consecutive events of heap blocks in a thread. With `leads`, partners are what they seem, unless
 * their address is `shared`.
 */
struct source_heap {
	/* all `count` records of the block; these are [from, to) */
	const struct heap_record *record;
	uint32_t from, to, count;
	const struct heap_site *site; /* their stacks are those of source_stacks() */
	uint32_t sites;
	uint64_t frame;     /* the meaning of a site is valid for this number */
	uint64_t offset_ns; /* to be added to times as merge_time() does */
	const struct source_process *process;
	const struct source_thread *thread;
	bool leads;
	const struct heap_shared *shared; /* NULL: there are no such addresses */
};
#define SOURCE_HEAP_FAMILY EVT_FAMILY_alloc /* of those events */
typedef void source_take_heap(void *context, const struct source_heap *heap);

/*
 * With frame_wants.heap; call before source_want(). source_next() passes the heap's records to
 * `take`, those of all threads in the order of time. Bookkeeping, teardown_begin and events of
 * families capture and steps come after all records that precede them. Other events of a thread may
 * come before some of its records.
 */
void source_want_heap(struct source *source, source_take_heap *take, void *context);
/* Number of events of that id that were not handed out. */
uint64_t source_passed(const struct source *source, enum evt_id id);
/* Up to this time all events of all files have been handed out. */
uint64_t source_settled_ns(const struct source *source);

struct source_event {
	struct event event;             /* time_ns is on the session's clock */
	struct source_process *process; /* NULL for stream 0 */
	struct source_thread *thread;   /* NULL for stream 0 */
	struct source_file *file;
	uint32_t stack;   /* in source_stacks(); STACK_NONE: none, or not wanted */
	bool is_repeated; /* by the state of a segment: an earlier segment has it */
};

/*
 * The stacks so far, with frame_wants.stacks; see report/session/stacks.h. Existing ones do not
 * change.
 */
struct stacks;
const struct stacks *source_stacks(const struct source *source);
/* Returns the line of Python for a frame's address; NULL: it is none, or was not recorded. */
const struct source_python_line *source_python_line(const struct source_process *process,
						    uint64_t address);
/*
 * Returns `stack`, or if there is none, the caller as a stack of one frame; STACK_NONE if both are
 * unknown.
 */
uint32_t source_stack_or_caller(struct source *source, uint32_t stack, uint64_t caller);
/* Returns one stack in which `outer` calls `inner`; `inner` alone if there is no room for it. */
uint32_t source_stack_under(struct source *source, uint32_t outer, uint32_t inner);

/*
 * Returns the next event by time, including bookkeeping events (after the tables have applied
 * them). 0 or EVT_END; a damaged frame is skipped and becomes a fault.
 */
int source_next(struct source *source, struct source_event *ret_event);
/*
 * The same without a copy: valid until the next call. NULL if source_next() would not have returned
 * 0.
 */
const struct source_event *source_step(struct source *source);

/*
 * For files that are being written. Call before the first source_next() and whenever it has
 * returned EVT_END: what was added since is handed out next. Without `grows` nobody writes any
 * more, and missing data is a fault. Returns 0 or an error of source_next().
 */
int source_resume(struct source *source, bool grows);

/* Resolves the id in a name field, by file. Never NULL; id 0 is the empty string. */
const struct source_name *source_name_of(struct source *source, struct source_file *file,
					 uint64_t id);
/* It was recorded, and is that word. */
bool source_name_is(const struct source_name *name, const char *word);
size_t source_name_count(const struct source *source);
/* Returns the name with that index, which must be one of the source's. */
const struct source_name *source_name_at(const struct source *source, uint32_t index);
/*
 * Returns the rank of a process, UINT64_MAX if it has none. If there are ranks that torchrun has
 * set, those of Slurm and MPI do not count, because they number its launchers.
 */
uint64_t source_rank(const struct source *source, const struct source_process *process);
/* Text for people; never NULL. */
const char *source_name_text(const struct source_name *name);
/* The same with its length; the text may contain zeros. */
const char *name_text(const struct source_name *name, size_t *ret_length);

/*
 * Returns a thread's name; for an unnamed main thread the program's name. Length 0 if there is
 * none.
 */
void thread_name(const struct source_thread *thread, const char **ret_text, size_t *ret_length);

/*
 * How a thread spent its time from start to end: on a CPU, runnable without one, or blocked (the
 * rest). It starts with the thread, or with the recording of its process if that was later; in old
 * recordings at its first record. Call when everything is read. If a thread was killed, its last
 * 100 ms may count as blocked.
 */
struct thread_times {
	bool has_cpu, has_waits; /* cpu_ns is known; the other values are known */
	uint64_t cpu_ns, runnable_ns, blocked_ns;
	uint64_t voluntary, involuntary; /* context switches */
};
struct thread_times thread_times(const struct source_thread *thread);
/* Sum over all its recorded threads. */
struct thread_times process_times(const struct source_process *process);

/*
 * For how long signals had stopped the process, until it went on or ended: to a quarter of a second
 * if its threads were sampled, else to a second.
 */
uint64_t process_stops_ns(const struct source_process *process);

/*
 * CPU time of the process as this program. After an exec the kernel continues to count, so cpu_ns
 * includes the previous program's time. 0: not known. Call when everything is read.
 */
uint64_t process_own_cpu_ns(const struct source *source, const struct source_process *process);

/* Returns the module that contains `address` in `process` at `time_ns`, NULL if none. */
const struct source_module *source_module_at(const struct source_process *process, uint64_t address,
					     uint64_t time_ns);

/* True if, from the process's start on, it is the same module, or none, at any time. */
bool source_module_is_lasting(const struct source_process *process, uint64_t address);

/* Returns the process with that number in the file, NULL if it is not known. */
const struct source_process *source_process_of(const struct source_file *file, uint64_t number);
/* Returns the thread that a stream of the file belongs to, NULL if it is not known. */
const struct source_thread *source_thread_of(const struct source_file *file, uint64_t stream);

size_t source_files(const struct source *source, struct source_file *const **ret_files);
/* The older part of a file was given back while it was written: INTERCEPT_KEEP_LAST. */
bool source_gave_back(const struct source *source);
/*
 * Where what was kept begins: of the files with a part that was given back, in the one that reaches
 * back furthest; 0: nothing was given back.
 */
uint64_t source_kept_from_ns(const struct source *source);
size_t source_processes(const struct source *source, struct source_process *const **ret_processes);
/* Number of processes that have ended so far. */
uint64_t source_processes_ended(const struct source *source);
size_t source_threads(const struct source *source, struct source_thread *const **ret_threads);
size_t source_losses(const struct source *source, const struct source_loss **ret_losses);
/* The reason in a few words. */
const char *source_loss_text(const struct source_loss *loss);
size_t source_metas(const struct source *source, const struct source_meta **ret_metas);
/* Returns the first value of that key; NULL: it is not known. */
const struct source_name *source_meta_of(const struct source *source, const char *key);
size_t source_faults(const struct source *source, const struct source_fault **ret_faults);
/*
 * True if readable parts follow an unreadable one, as far as is known. A file that merely ends too
 * early has no hole.
 */
bool source_file_has_holes(const struct source *source, const struct source_file *file);
uint64_t source_cpu_ns(const struct source *source); /* of all processes, so far */
uint64_t source_end_ns(
	const struct source *source); /* time of the last event or watermark so far */

#endif
