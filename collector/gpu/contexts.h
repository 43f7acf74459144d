/* SPDX-License-Identifier: MIT */
/*
 * In which operators and labels the calls were made that asked for work of a GPU. The open ones of
 * each thread are followed; a call's correlation number leads to its scope when the work is
 * reported.
 *
 * They also tell where a phase of a training may begin or end (cuts): where a scope opens or shuts
 * that phases go by (report/steps/step_phases.h), or a collective does. There may be more cuts than
 * edges of phases, never fewer. Backward functions that follow each other closely are one stretch.
 *
 * Memory is bounded: SCOPES_MAX scopes (calls in others have the scope 0), CONTEXT_CALLS calls, the
 * newest of each place of the table. Everything may be invalid. One thread.
 */
#ifndef COLLECTOR_GPU_CONTEXTS_H
#define COLLECTOR_GPU_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/journal.h"

#define SCOPES_MAX (1u << 14)
#define CONTEXT_CALLS (1u << 18) /* of the last second or two */
#define CONTEXT_DEPTH 48u /* operators and labels in each other; those within have its scope */

/* What a scope tells about phases. */
enum context_mark {
	CONTEXT_LABEL, /* nothing */
	CONTEXT_OPERATOR,
	CONTEXT_GRADED, /* it records gradients */
	CONTEXT_BACKWARD,
	CONTEXT_OPTIMIZER,
	CONTEXT_DATA,
	CONTEXT_COLLECTIVE,
	CONTEXT_MARKS,
};

/*
 * Backward functions with a shorter pause are one stretch: in less, no other phase begins and ends.
 * The pause of the report is longer (HELPERS_PAUSE_NS), so that there is no edge in such a one.
 */
#define CONTEXT_PAUSE_NS 20000u

struct context_thread {
	uint32_t stream, depth;
	uint32_t process;               /* number */
	uint32_t opened[CONTEXT_MARKS]; /* scopes of each kind that are open */
	bool in_closure;                /* of an optimizer's step: forward or backward ran in it */
	/*
	 * One of autograd's threads, which began with a backward function: all that it runs is
	 * backward (report/helpers/helpers.h). runs_own: it is none.
	 */
	bool helps, runs_own;
	uint32_t backward; /* scopes of backward that are open */
	/* The last backward function ended then, and may be followed by another one; 0: no. */
	uint64_t pause_ns;
	struct context_open {
		uint64_t function; /* 0: ends with the innermost that has none */
		uint32_t name, scope;
		uint8_t kind, mark; /* at::RecordScope; enum context_mark */
		bool has_scope, is_backward;
	} open[CONTEXT_DEPTH];
};

/* Where a phase may begin or end. An event tells of at most this many. */
#define CONTEXT_CUTS 2u
struct context_cuts {
	uint64_t ns[CONTEXT_CUTS];
	unsigned int count;
};

struct contexts {
	struct context_thread *thread; /* one per ring */
	uint32_t threads;
	uint8_t *mark; /* by name id: what names tell; CONTEXT_LABEL: nothing */
	uint32_t mark_room;
	struct context_scope {
		uint32_t outer, name, kind, scope; /* scope 0: empty */
	} * scope;
	uint32_t scopes;
	struct context_call {
		uint64_t key; /* process above correlation */
		uint32_t scope;
		uint64_t ns;
	} * call;
};

int contexts_init(struct contexts *contexts, uint32_t rings);
void contexts_release(struct contexts *contexts);

/* A name of the recording. */
void contexts_note_name(struct contexts *contexts, uint32_t id, const char *text, size_t length);

/* The thread that an event is of: its ring, and the number of the claim on it. */
struct context_place {
	uint32_t ring, stream, process;
};
/*
 * An event that opens or closes operators and labels, ends a step, or all of a thread; and its
 * time. Returns the cuts that it tells of.
 */
struct context_cuts contexts_take(struct contexts *contexts, const struct context_place *place,
				  uint32_t id, uint64_t ns, const uint64_t *value);
/*
 * A pause after backward functions of `process` that began before `upto_ns` is over: returns the
 * cut at its begin, 0 if there is none. To be called until then.
 */
uint64_t contexts_take_pause(struct contexts *contexts, uint32_t process, uint64_t upto_ns);
/*
 * A call with a correlation number, and when it ended. New scopes are added to the journal, NULL:
 * the scope is not known.
 */
void contexts_note_call(struct contexts *contexts, struct journal *journal,
			const struct context_place *place, uint64_t ns, uint64_t correlation);
/* The process's calls get the same numbers again. */
void contexts_renumber(struct contexts *contexts, uint32_t process);
/* Returns NULL if the call is not known. */
const struct context_call *contexts_find(const struct contexts *contexts, uint32_t process,
					 uint64_t correlation);

#endif
