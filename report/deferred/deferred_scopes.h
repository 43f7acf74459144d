/* SPDX-License-Identifier: MIT */
/*
 * Scopes (ranges, operators) that were open when calls with deferred work were made
 * (deferred/deferred.h). A scope that has ended is kept while its calls may still get work; then
 * its sums, and those of the scopes inside it, are handed to its owner. Only scopes that made such
 * calls are kept at all. So memory grows with what is under way.
 *
 * A scope has a number of its owner's (a row), which is known at the latest when it is settled. A
 * folded scope is part of the scope around it: it has no row, and its own work counts as that
 * scope's own.
 *
 * Numbers are from 1; 0 is none. One thread.
 */
#ifndef REPORT_DEFERRED_DEFERRED_SCOPES_H
#define REPORT_DEFERRED_DEFERRED_SCOPES_H

#include "report/deferred/deferred.h"
#include "report/scopes/nest.h"

#define DEFERRED_NO_ROW UINT32_MAX

struct deferred_sum {
	uint64_t ns, count;         /* of all work on the device: kernels, copies, memsets */
	uint64_t first_ns, last_ns; /* from the begin of the first to the end of the last */
};

/*
 * Called for a settled scope once all of its work is known. `own`: without the work of scopes
 * inside it; its count may be 0.
 */
typedef void deferred_scope_over(void *owner, uint32_t row, const struct deferred_sum *total,
				 const struct deferred_sum *own);

struct deferred_scope {
	uint32_t parent, refs, row;
	bool is_folded;
	struct deferred_sum total, own;
};

struct deferred_scopes {
	deferred_scope_over *over;
	void *owner;
	struct deferred_scope *scope;
	size_t count, room;
	uint32_t unused; /* list of free ones, linked by `parent` */
};

void deferred_scopes_init(struct deferred_scopes *scopes, deferred_scope_over *over, void *owner);
void deferred_scopes_release(struct deferred_scopes *scopes);

/* Makes a scope that is open. */
uint32_t deferred_scopes_open(struct deferred_scopes *scopes);
/* The scope is over; DEFERRED_NO_ROW: it does not count. */
void deferred_scopes_settle(struct deferred_scopes *scopes, uint32_t scope, uint32_t row);
void deferred_scopes_fold(struct deferred_scopes *scopes, uint32_t scope);
/*
 * A call was made in the scope; work of a call has come; no more work of a call will come. Scope 0:
 * nothing is done.
 */
void deferred_scopes_hold(struct deferred_scopes *scopes, uint32_t scope);
void deferred_scopes_add(struct deferred_scopes *scopes, uint32_t scope,
			 const struct deferred_work *work);
void deferred_scopes_drop(struct deferred_scopes *scopes, uint32_t scope);

/*
 * Returns the scope of the innermost open one on the thread. Scopes that do not exist for it and
 * for those around it are made. 0: none is open. `at`: where the owner keeps the number for an open
 * scope of the nest.
 */
typedef uint32_t *deferred_scope_at(void *owner, uint32_t scope);
uint32_t deferred_scopes_of_thread(struct deferred_scopes *scopes, const struct nest *nest,
				   uint32_t thread, deferred_scope_at *at);

#endif
