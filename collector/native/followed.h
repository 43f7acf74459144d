/* SPDX-License-Identifier: MIT */
/*
 * Which processes are followed, by which events, and the rings for their records: one per CPU,
 * shared by all processes.
 *
 * A process is followed from the first look that finds it alive, until it is gone, runs another
 * program, or is refused by the kernel. Each of its threads has an event per CPU; threads that they
 * create inherit the events. One thread.
 */
#ifndef COLLECTOR_NATIVE_FOLLOWED_H
#define COLLECTOR_NATIVE_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "collector/native/mappings.h"
#include "collector/native/perf_ring.h"
#include "collector/native/tables.h"
#include "collector/processes/processes.h"

#define FOLLOWED_CPUS 1024u
#define FOLLOWED_THREADS 4096u /* limit for threads that exist when a process is first seen */

struct followed {
	uint32_t number; /* number of the process in the file; 0: unused */
	uint32_t pid;
	bool has_execed; /* a record says so: what follows belongs to another program */
	int *fd;         /* descriptors of its events; owned */
	uint32_t fds, fd_room;
	struct mappings mappings;
	struct evt_native_sampling told, now;
};

/* An event that was opened, and what it is for. Ids only grow. */
struct followed_event {
	uint64_t id;
	uint32_t entry, number, tid; /* number of the process; the thread for which it was opened */
};

struct following {
	struct perf_cpu {
		uint32_t number;
		bool is_off; /* it is gone, or has no ring */
		struct perf_ring ring;
	} * cpu;
	uint32_t cpus;
	uint64_t period_ns;
	uint64_t ring_bytes; /* per ring: the requested size, then the size obtained */
	bool user_only;
	enum evt_native_off off; /* for all processes */
	struct tables tables;
	struct followed process[REGION_PROCESSES];
	struct followed_event *event; /* sorted by id; owned */
	uint32_t events, event_room;
	uint32_t fds, fds_max;
};

/* Returns -1 if there is no memory. */
int following_init(struct following *following, uint64_t period_ns);
void following_release(struct following *following);

/*
 * Begins to follow the process of an entry, or sets in `now` why not. Stops following another
 * process that had the entry.
 */
void following_begin(struct following *following, uint32_t entry, const struct process *process);
void following_end(struct following *following, uint32_t entry);

/*
 * Finds the process that a record is about; NULL: none that is followed. `ret_tid`: the thread for
 * which the event was opened.
 */
struct followed *following_find(struct following *following, uint64_t id, uint32_t *ret_entry,
				uint32_t *ret_tid);

#endif
