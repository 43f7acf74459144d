/* SPDX-License-Identifier: MIT */
/*
 * User scopes that may end on another thread than they began on (collectives of torch.distributed),
 * from their begin to their end. They take no part in the nesting of their threads.
 *
 * Scopes are found by process and by the address of their RecordFunction, which the next one may have
 * when the first is over: a second begin means that the end of the first was not recorded.
 */
#ifndef REPORT_SCOPES_ASYNC_SCOPES_H
#define REPORT_SCOPES_ASYNC_SCOPES_H

#include "report/base/map.h"
#include "report/scopes/nest.h"

struct async_scope {
	struct nest_place place; /* where it began */
	uint32_t key;            /* who follows it decides what of */
	bool is_hidden, counts;
};

struct async_scopes {
	struct map open; /* process and address to an entry of `scope` */
	struct async_scope *scope;
	size_t count, room;
	size_t *unused; /* entries to be used again */
	size_t unused_count, unused_room;
};

void async_scopes_init(struct async_scopes *scopes);
void async_scopes_release(struct async_scopes *scopes);

void async_scopes_begin(struct async_scopes *scopes, uint64_t address,
			const struct async_scope *scope);
/* False when its begin was not seen. */
bool async_scopes_end(struct async_scopes *scopes, uint32_t process, uint64_t address,
		      struct async_scope *ret_scope);

/* Closes the open scopes of the process: their end was not or will not be recorded. In no order. */
typedef void async_scope_cut(void *state, const struct async_scope *scope);
void async_scopes_cut(struct async_scopes *scopes, uint32_t process, async_scope_cut *take,
		      void *state);

#endif
