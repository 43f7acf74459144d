/* SPDX-License-Identifier: MIT */
/*
 * Which processes are followed, by which events, and the rings that their records come in: one a CPU, for all of them.
 *
 * A process is followed from the first look at it that finds it alive until it is gone, another program, or refused by the kernel.
 * Its threads have an event a CPU each; those that they start inherit them. One thread.
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
#define FOLLOWED_THREADS 4096u /* of a process that are there when it is first seen */

struct followed {
	uint32_t number; /* of the process in the file; 0: unused */
	uint32_t pid;
	bool has_execed; /* by a record that has been read: what comes is another program's */
	int *fd;         /* of its events; owned */
	uint32_t fds, fd_room;
	struct mappings mappings;
	struct evt_native_sampling told, now;
};

/* An event that was opened, and what it is for. Ids only grow. */
struct followed_event {
	uint64_t id;
	uint32_t entry, number, tid; /* of the process; the thread that it was opened for */
};

struct following {
	struct perf_cpu {
		uint32_t number;
		bool is_off; /* it has gone since, or has no ring */
		struct perf_ring ring;
	} * cpu;
	uint32_t cpus;
	uint64_t period_ns;
	uint64_t ring_bytes; /* of each: what is asked for, then what could be had */
	bool user_only;
	enum evt_native_off off; /* for all of them */
	struct tables tables;
	struct followed process[REGION_PROCESSES];
	struct followed_event *event; /* sorted by id; owned */
	uint32_t events, event_room;
	uint32_t fds, fds_max;
};

/* -1: no memory. */
int following_init(struct following *following, uint64_t period_ns);
void following_release(struct following *following);

/* Begins to follow the process of an entry, or says in `now` why not; leaves another one that had the entry. */
void following_begin(struct following *following, uint32_t entry, const struct process *process);
void following_end(struct following *following, uint32_t entry);

/* Whom a record is about; NULL: nobody that is followed. `ret_tid`: whom the event was opened for. */
struct followed *following_find(struct following *following, uint64_t id, uint32_t *ret_entry,
				uint32_t *ret_tid);

#endif
