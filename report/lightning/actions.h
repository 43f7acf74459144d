/* SPDX-License-Identifier: MIT */
/*
 * Actions of PyTorch Lightning's Trainer: begun and ended by name, so that they may overlap; what they
 * took, and for how long a process was at it. An end belongs to the innermost open action of that name
 * on its thread.
 *
 * A program without Lightning has user scopes or NVTX ranges instead, which are counted elsewhere
 * (operators.h, ranges.h): here is only for how long it was at those. Wall time of a source is from the
 * first begin to the last end in a process, added up over the processes.
 *
 * Names are indices that the caller gives. Memory grows with rows, threads, processes and open actions.
 */
#ifndef REPORT_LIGHTNING_ACTIONS_H
#define REPORT_LIGHTNING_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/timing.h"
#include "report/scopes/cover.h"
#include "report/deferred/deferred_scopes.h"
#include "report/scopes/nest.h"

enum action_source {
	ACTIONS_LIGHTNING,
	ACTIONS_SCOPES, /* user scopes of PyTorch: record_function, optimizers, the DataLoader */
	ACTIONS_RANGES, /* NVTX */
	ACTION_SOURCES,
};

struct action_row {
	uint32_t name;
	uint64_t calls;
	uint64_t open; /* of them, never ended by the program */
	struct timing time;
	uint64_t gpu_ns; /* on the GPU, of what was asked for inside */
};

struct action_open {
	uint32_t row;
	uint32_t deferred; /* its scope, 0 while nothing was asked of the GPU in it */
};

struct actions {
	struct action_row *row;
	size_t row_count, row_room;
	struct cover cover; /* groups: rows; places: processes */
	struct map
		held; /* process and identity of user scopes that are open and count: their thread */
	struct map rows;          /* name + 1 to row */
	struct nest nest;         /* by name */
	struct action_open *open; /* beside its scopes */
	size_t open_room;
	struct deferred_scopes deferred;
	struct action_thread *thread;
	size_t thread_room;
	struct action_process *process;
	size_t process_room;
	uint64_t unmatched; /* ends of actions that were not seen to begin */
};

void actions_init(struct actions *actions);
void actions_release(struct actions *actions);

struct action_event {
	struct nest_place place;
	uint32_t name;
	bool counts; /* of a begin: the filters hold */
};
void actions_begin(struct actions *actions, const struct action_event *event);
void actions_end(struct actions *actions, const struct action_event *event);

/* An operator begins or ends on the thread; `user`: of scope user. The name does not matter. */
void actions_begin_operator(struct actions *actions, const struct action_event *event, bool user);
void actions_end_operator(struct actions *actions, struct nest_place place);
/* The same of user scopes that have an identity, and of any end that has. */
void actions_begin_held(struct actions *actions, const struct action_event *event);
void actions_end_held(struct actions *actions, struct nest_place place);

/* An NVTX range opens or closes in the process. */
void actions_note_range(struct actions *actions, const struct action_event *event);

/* A call with deferred work (deferred/deferred.h): its scope of `deferred`, which is held. */
uint32_t actions_place(struct actions *actions, uint32_t thread);

/* What is open on the thread ends at that time without an end of its own, or runs on. */
void actions_cut(struct actions *actions, struct nest_place place, enum nest_ending how);

uint64_t actions_wall_ns(const struct actions *actions, enum action_source source);

#endif
