/* SPDX-License-Identifier: MIT */
/*
 * Actions of PyTorch Lightning's Trainer: how long each took, and how long a process was inside of
 * one. They begin and end by name, so they may overlap. An end belongs to the innermost open action
 * with that name on its thread.
 *
 * A program without Lightning has user scopes or NVTX ranges instead, which are counted elsewhere
 * (operators.h, ranges.h): this part computes only how long the program was inside of them. The
 * wall time of one kind of action goes from the first begin to the last end in a process, and is
 * added up over the processes.
 *
 * Names are indices that the caller assigns. Memory grows with rows, threads, processes and open
 * actions.
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
	ACTIONS_RANGES, /* NVTX ranges */
	ACTION_SOURCES,
};

struct action_row {
	uint32_t name;
	uint64_t calls;
	uint64_t open; /* of these: never ended by the program */
	struct timing time;
	uint64_t gpu_ns; /* time on the GPU of the work that was launched inside */
};

struct action_open {
	uint32_t row;
	uint32_t deferred; /* its scope in `deferred`; 0 while no GPU work was launched in it */
};

struct actions {
	struct action_row *row;
	size_t row_count, row_room;
	struct cover cover; /* groups are rows, places are processes */
	/* process and identity of user scopes that are open and count, to their thread */
	struct map held;
	struct map rows;          /* name + 1 to row */
	struct nest nest;         /* by name */
	struct action_open *open; /* parallel to its scopes */
	size_t open_room;
	struct deferred_scopes deferred;
	struct action_thread *thread;
	size_t thread_room;
	struct action_process *process;
	size_t process_room;
	uint64_t unmatched; /* ends of actions whose begin was not seen */
};

void actions_init(struct actions *actions);
void actions_release(struct actions *actions);

struct action_event {
	struct nest_place place;
	uint32_t name;
	bool counts; /* for a begin: the filters hold */
};
void actions_begin(struct actions *actions, const struct action_event *event);
void actions_end(struct actions *actions, const struct action_event *event);

/* An operator begins or ends on the thread. `user`: it has scope user. Its name is not used. */
void actions_begin_operator(struct actions *actions, const struct action_event *event, bool user);
void actions_end_operator(struct actions *actions, struct nest_place place);
/* The same for user scopes that have an identity, and for every end that has one. */
void actions_begin_held(struct actions *actions, const struct action_event *event);
void actions_end_held(struct actions *actions, struct nest_place place);

/* An NVTX range opens or closes in the process. */
void actions_note_range(struct actions *actions, const struct action_event *event);

/*
 * For a call that has deferred work (deferred/deferred.h): returns its scope in `deferred`, and
 * holds that scope.
 */
uint32_t actions_place(struct actions *actions, uint32_t thread);

/*
 * All that is open on the thread ends at that time without an end event, or stays open, as `how`
 * says.
 */
void actions_cut(struct actions *actions, struct nest_place place, enum nest_ending how);

uint64_t actions_wall_ns(const struct actions *actions, enum action_source source);

#endif
