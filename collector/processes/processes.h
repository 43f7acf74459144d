/* SPDX-License-Identifier: MIT */
/*
 * The process table of the region, and what the collector knows of each entry's owner: its number
 * in the file, whether it is alive, how it ended, its CPU time, its losses, its modules.
 *
 * Life of an entry here: unused -> known (LIVE was seen, `process` is recorded) -> leaving
 * (EXITING, gone, or after an exec) -> told (`process_end` is in the journal) -> unused, when its
 * owner is gone and its rings are free. The table proves nothing: only a process that maps the
 * region keeps the collector alive (namesake.h). One thread.
 */
#ifndef COLLECTOR_PROCESSES_PROCESSES_H
#define COLLECTOR_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/proc.h"
#include "collector/processes/modules.h"
#include "collector/processes/memory_kills.h"
#include "collector/processes/namesake.h"
#include "collector/processes/watch.h"

struct steering;

struct process {
	uint32_t number; /* in the file; 0: unused */
	uint32_t entry;
	uint32_t serial;
	uint32_t pid;       /* as the collector sees it, 0 if unknown */
	bool moved;         /* lives in another pid namespace: its thread ids mean nothing here */
	bool likely;        /* assumed to map the region, not checked yet */
	bool looked_at_end; /* its maps were examined while it waits */
	bool exiting;       /* has written its last record and waits */
	bool gone;          /* ended, or called exec: no more records */
	bool execed;
	bool told;
	bool flushed;
	uint32_t ranks_told;   /* RANKS_TOLD_MAX at most */
	uint32_t threads_seen; /* its number of threads at the last look, drain/silent_threads.h */
	uint64_t rank;         /* region_rank() as last recorded, 0: none */
	struct watch watch;
	struct modules modules;
	struct steering *steering; /* process_steps.h; NULL: it has no steps, or no budget */
	bool has_steps;            /* a step has begun */
	uint64_t words;            /* drained of its rings */
	struct process_window {    /* drain/time_windows.h */
		bool is_off;
		uint64_t asked;        /* region_process.detail_asked */
		uint64_t looked_block; /* plus one */
		uint64_t looked_ns;    /* time of the file */
		uint64_t on_ns, words; /* time with detail, and words written */
		uint64_t words_seen;
	} window;
	uint64_t command, executable; /* names */
	uint64_t stack_start;         /* changes with exec; 0 if unknown */
	uint32_t stopped;             /* as process_cpu has it */
	uint64_t stop_ns;             /* since when */
	uint64_t stop_told_ns;        /* when that was said last */
	uint64_t cpu_ns;
	struct process_usage { /* as last recorded */
		uint64_t memory_peak_bytes, children_ns, major_faults;
		uint64_t disk_read, disk_written; /* bytes plus one, 0 if unknown */
		uint64_t memory_limit_bytes;
		/* time of children that it had before its exec, as another program */
		uint64_t before_ns;
		bool looked;
	} usage;
	struct memory_kills kills;
	struct proc_memory memory; /* as last recorded, memory_samples.h */
	uint64_t newest_ticks;     /* of its records, set by drain.c */
	uint64_t alive_ns;         /* it was last seen alive at that time */
	uint64_t image_ns;         /* the same, still running the program that we know */
	uint32_t recording_stops;  /* capture ranges that have ended */
	uint64_t limitations_told; /* 1 << enum limitation */
	uint64_t lost_no_ring, lost_nested, lost_early, lost_stacks, lost_modules, lost_sampled;
	uint64_t start_ns;
};

struct processes {
	struct process slot[REGION_PROCESSES];
	struct processes_pending {
		uint32_t serial;
		uint32_t state;
		uint64_t since_ns; /* steady time; 0: not pending */
	} pending[REGION_PROCESSES];
	struct images images;
	uint32_t limit;   /* slots that were ever used are below this */
	uint32_t numbers; /* numbers given so far */
	uint32_t alive;   /* known, neither exiting nor gone */
	uint32_t waiting; /* being claimed, for less than a second */
	uint32_t leaving; /* exiting or gone, and not recorded as ended */
	uint64_t lost_no_process;
	uint64_t refused; /* impossible entries, not recorded yet */
	/* there was an impossible entry, so counters of others may have been overwritten, too */
	bool has_refused;
	struct namesake_region
		region;       /* its identity in /proc; empty until it has been looked up */
	uint64_t scanned_ns;  /* steady time of the last scan, which never decreases */
	uint64_t looked_ns;   /* of the last look for ends */
	uint64_t compared_ns; /* and of the last look for exec */
	uint64_t waits;       /* waits of processes that are gone */
	bool inspect;         /* read /proc; off in tests with invented processes */
	uint64_t ended_ns;    /* the latest recorded end */
	int first_fd;         /* pidfd of the first process; 0: none, or it was passed on */
};

void processes_init(struct processes *processes, bool inspect);
void processes_release(struct processes *processes);

/* Finds new entries, changes of state, and ends. Counts alive, waiting and leaving again. */
void processes_scan(struct processes *processes, struct common *common, uint64_t steady_ns);
/* True if the next scan will meet a new living process. */
bool processes_have_new(const struct processes *processes, const struct common *common);

/* Returns the process that claimed `entry` the `serial`th time; NULL if it is not known (yet). */
struct process *processes_find(struct processes *processes, uint32_t entry, uint32_t serial);

/* Adds the growth of the region's loss counters to the journal. Returns the sum. */
uint64_t processes_tell_losses(struct processes *processes, struct common *common, uint64_t now_ns);

/*
 * Reads the maps of processes that are new, are leaving or need it. True: the rings must be drained
 * up to a time after that.
 */
bool processes_look_at_modules(struct processes *processes, struct common *common,
			       uint64_t steady_ns);

/*
 * Adds to the journal the modules that are known when the rings are drained up to now_ns. True if
 * there were any.
 */
bool processes_settle_modules(struct processes *processes, struct common *common,
			      uint64_t steady_ns, uint64_t now_ns);

/*
 * True if one of them was stopped, or goes on, since the last process_cpu, or if it is time to say
 * again that it is stopped. Takes 20 us a process.
 */
bool processes_have_stopped(const struct processes *processes, uint64_t now_ns);
/* Records process_cpu and process_usage of living processes; also notices exec. */
void processes_tell_cpu(struct processes *processes, struct common *common, uint64_t now_ns);

/*
 * Returns when the last process ended, or now_ns while one is alive. The end is what the process
 * left in its entry. If it left nothing (kill -9, exec), it is the latest moment at which it is
 * known to have been alive: its newest record, or our last look at it. So no process appears to
 * live longer because the collector is late. The end is later than all its records, with the times
 * in the file, because the memory that it holds is freed there.
 */
uint64_t processes_end_ns(const struct processes *processes, const struct common *common,
			  uint64_t now_ns);
/* The same for one process that is leaving. */
uint64_t process_end_ns(const struct common *common, const struct process *p, uint64_t now_ns);

/* Records process_end of processes that are leaving. */
void processes_tell_ends(struct processes *processes, struct common *common, uint64_t now_ns);

/* Sets FLUSHED for processes that wait for it and are recorded as ended; wakes them. */
void processes_set_flushed(struct processes *processes, struct common *common);

/* The owner is gone, everything is recorded and its rings are free: the entry may be used again. */
void processes_free_entry(struct processes *processes, struct common *common,
			  struct process *process);

/* True if this entry waits only for its rings. */
static inline bool process_is_done(const struct process *process)
{
	return process->number && process->told && process->gone;
}

/* Number of times that threads waited for room, over all processes. */
uint64_t processes_waits(const struct processes *processes, const struct common *common);

#endif
