/* SPDX-License-Identifier: MIT */
/*
 * In which operators and labels the calls were made that asked for work of a GPU. The open ones of
 * each thread are followed; a call's correlation number leads to its scope when the work is
 * reported.
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
#define CONTEXT_CALLS (1u << 16) /* of the last second or two */
#define CONTEXT_DEPTH 48u /* operators and labels in each other; those within have its scope */

struct context_thread {
	uint32_t stream, depth;
	struct context_open {
		uint64_t function; /* 0: ends with the innermost that has none */
		uint32_t name, scope;
		bool has_scope;
	} open[CONTEXT_DEPTH];
};

struct contexts {
	struct context_thread *thread; /* one per ring */
	struct context_scope {
		uint32_t outer, name, scope; /* scope 0: empty */
	} * scope;
	uint32_t scopes;
	struct context_call {
		uint64_t key; /* process above correlation */
		uint32_t scope;
	} * call;
};

int contexts_init(struct contexts *contexts, uint32_t rings);
void contexts_release(struct contexts *contexts);

/* True for the events that open or close operators and labels, or end all of a thread. */
bool contexts_wants(uint32_t id);
/* Such an event of the thread with that ring, whose claim has the number `stream`. */
void contexts_take(struct contexts *contexts, uint32_t ring, uint32_t stream, uint32_t id,
		   const uint64_t *value);
/* A call with a correlation number. New scopes are added to the journal. */
void contexts_note_call(struct contexts *contexts, struct journal *journal, uint32_t ring,
			uint32_t stream, uint32_t process, uint64_t correlation);
/* Returns false if the call is not known. */
bool contexts_find(const struct contexts *contexts, uint32_t process, uint64_t correlation,
		   uint32_t *ret_scope);

#endif
