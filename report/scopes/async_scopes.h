/* SPDX-License-Identifier: MIT */
/*
 * User scopes that may end on another thread than the one on which they began (collectives of
 * torch.distributed), from their begin to their end. They do not take part in the nesting of their
 * threads.
 *
 * Scopes are identified by process and by the address of their RecordFunction. A later scope may
 * have the same address, so a second begin means that the end of the first was not recorded.
 */
#ifndef REPORT_SCOPES_ASYNC_SCOPES_H
#define REPORT_SCOPES_ASYNC_SCOPES_H

#include "report/base/map.h"
#include "report/scopes/nest.h"

struct async_scope {
	struct nest_place place; /* where it began */
	uint32_t key;            /* its meaning is the caller's */
	uint64_t ordinal;        /* so is this one's */
	bool is_hidden, counts;
};

struct async_scopes {
	struct map open; /* process and address to an entry of `scope` */
	struct async_scope *scope;
	size_t count, room;
	size_t *unused; /* entries that can be reused */
	size_t unused_count, unused_room;
};

void async_scopes_init(struct async_scopes *scopes);
void async_scopes_release(struct async_scopes *scopes);

void async_scopes_begin(struct async_scopes *scopes, uint64_t address,
			const struct async_scope *scope);
/* Returns false if its begin was not seen. */
bool async_scopes_end(struct async_scopes *scopes, uint32_t process, uint64_t address,
		      struct async_scope *ret_scope);

/*
 * Closes the open scopes of the process, in no order: their ends were not or will not be recorded.
 */
typedef void async_scope_cut(void *state, const struct async_scope *scope);
void async_scopes_cut(struct async_scopes *scopes, uint32_t process, async_scope_cut *take,
		      void *state);

#endif
