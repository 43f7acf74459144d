/* SPDX-License-Identifier: MIT */
/*
 * The process table of the region and what the collector knows of each entry's owner: number in the
 * file, whether it lives, how it ended, its CPU time, its losses, its modules.
 *
 * Life of an entry here: unused -> known (LIVE was seen, `process` told) -> leaving (EXITING, gone or
 * exec'd) -> told (`process_end` is in the journal) -> unused, when its owner is gone and its rings
 * are free. What the table says is no proof: only a process that maps the region keeps the collector
 * (namesake.h). One thread.
 */
#ifndef COLLECTOR_PROCESSES_PROCESSES_H
#define COLLECTOR_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/proc.h"
#include "collector/processes/modules.h"
#include "collector/processes/namesake.h"
#include "collector/processes/watch.h"

struct process {
	uint32_t number; /* in the file; 0: unused */
	uint32_t entry;
	uint32_t serial;
	uint32_t pid;       /* as the collector sees it, 0 when unknown */
	bool moved;         /* lives in another pid namespace: its thread ids mean nothing here */
	bool likely;        /* believed to map the region, not looked at yet */
	bool looked_at_end; /* at its maps, while it waits */
	bool exiting;       /* has written its last record and waits */
	bool gone;          /* ended or exec'd: nothing more comes */
	bool execed;
	bool told;
	bool flushed;
	uint32_t ranks_told; /* RANKS_TOLD_MAX at most */
	uint64_t rank;       /* region_rank() as told last, 0: none */
	struct watch watch;
	struct modules modules;
	uint64_t command, executable; /* names */
	uint64_t stack_start;         /* changes with exec; 0 when unknown */
	uint64_t cpu_ns;
	struct process_usage { /* as told last */
		uint64_t memory_peak_bytes, children_ns, major_faults;
		uint64_t disk_read, disk_written; /* bytes plus one, 0 when unknown */
		uint64_t
			before_ns; /* of children that it had as another program, before its exec */
		bool looked;
	} usage;
	struct proc_memory memory; /* as told last, memory_samples.h */
	uint64_t newest_ticks;     /* of its records, kept by drain.c */
	uint64_t alive_ns;         /* it was seen to live at that time */
	uint64_t image_ns;         /* the same, with the image that we know */
	uint64_t limitations_told; /* 1 << enum limitation */
	uint64_t lost_no_ring, lost_nested, lost_early, lost_stacks, lost_modules;
	uint64_t start_ns;
};

struct processes {
	struct process slot[REGION_PROCESSES];
	struct processes_pending {
		uint32_t serial;
		uint32_t state;
		uint64_t since_ns; /* steady; 0: not pending */
	} pending[REGION_PROCESSES];
	struct images images;
	uint32_t limit;   /* slots ever used lie below */
	uint32_t numbers; /* given so far */
	uint32_t alive;   /* known, neither exiting nor gone */
	uint32_t waiting; /* being claimed, younger than a second */
	uint32_t leaving; /* exiting or gone and not told */
	uint64_t lost_no_process;
	uint64_t refused; /* entries that cannot be, not told yet */
	bool has_refused; /* ever: counters of other entries may have been written over, too */
	struct namesake_region
		region;       /* how it is known in /proc; empty until it has been looked up */
	uint64_t looked_ns;   /* steady: last look for ends */
	uint64_t compared_ns; /* and for exec */
	uint64_t waits;       /* of processes that are gone */
	bool inspect;         /* read /proc; off in tests that make processes up */
	uint64_t ended_ns;    /* the latest end that was told */
	int first_fd; /* pidfd of the first process, 0 when there is none or it was handed on */
};

void processes_init(struct processes *processes, bool inspect);
void processes_release(struct processes *processes);

/* New entries, changes of state, ends; counts alive, waiting and leaving anew. */
void processes_scan(struct processes *processes, struct common *common, uint64_t steady_ns);
/* The next scan will meet one that lives. */
bool processes_have_new(const struct processes *processes, const struct common *common);

/* The process that claimed `entry` the `serial`th time, NULL when it is not known (yet). */
struct process *processes_find(struct processes *processes, uint32_t entry, uint32_t serial);

/* Journals the counters of the region that have grown; returns by how much all in all. */
uint64_t processes_tell_losses(struct processes *processes, struct common *common, uint64_t now_ns);

/* Looks at the maps of those that are new, are leaving or want it; true: the rings have to be drained up to after that. */
bool processes_look_at_modules(struct processes *processes, struct common *common,
			       uint64_t steady_ns);

/* Journals the modules as known when the rings are drained up to now_ns; true when there was anything. */
bool processes_settle_modules(struct processes *processes, struct common *common,
			      uint64_t steady_ns, uint64_t now_ns);

/* process_cpu and process_usage events of those that live; also notices exec. */
void processes_tell_cpu(struct processes *processes, struct common *common, uint64_t now_ns);

/*
 * When the last process ended, or now_ns while one goes on. An end is what the process left in its entry;
 * where it left nothing (kill -9, exec) the latest moment at which it is known to have been there: its
 * newest record or our last look at it. So however late we come, nobody lasts longer than he did.
 * It is later than all its records, as the file has their times: what it holds is let go there.
 */
uint64_t processes_end_ns(const struct processes *processes, const struct common *common,
			  uint64_t now_ns);
/* The same of one process that is leaving. */
uint64_t process_end_ns(const struct common *common, const struct process *p, uint64_t now_ns);

/* process_end events of those that are leaving. */
void processes_tell_ends(struct processes *processes, struct common *common, uint64_t now_ns);

/* Sets FLUSHED for those that wait for it and have been told; wakes them. */
void processes_set_flushed(struct processes *processes, struct common *common);

/* The owner is gone, everything is told and its rings are free: the entry may be used again. */
void processes_free_entry(struct processes *processes, struct common *common,
			  struct process *process);

/* Whether this entry waits for that, but for its rings. */
static inline bool process_is_done(const struct process *process)
{
	return process->number && process->told && process->gone;
}

/* Times that threads waited for room, all processes. */
uint64_t processes_waits(const struct processes *processes, const struct common *common);

#endif
