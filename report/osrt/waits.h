/* SPDX-License-Identifier: MIT */
/*
 * Waits of the operating system as an analysis of a run: calls and times by the key of the rows,
 * and for each row which function, object, holder and line took most of it.
 *
 * Short calls are known by thread and function only, and not when they were: they are in rows by
 * these keys, and not at all if a filter chooses. A wait that had not ended is counted at the end,
 * up to then.
 *
 * Memory grows with distinct keys, objects and threads, never with events.
 */
#ifndef REPORT_OSRT_WAITS_H
#define REPORT_OSRT_WAITS_H

#include "report/base/groups.h"
#include "report/core/key.h"
#include "report/osrt/wait_events.h"

struct waits_options {
	enum key_id by;
	/* of the line that most of a row was in; the same as `by`: none is wanted */
	enum key_id line;
};

/* What a row has most of. */
enum waits_most {
	WAITS_FUNCTION, /* index of a name */
	WAITS_OBJECT,   /* number of an object */
	WAITS_HOLDER,   /* waits_holder() */
	WAITS_LINE,     /* value of the key of lines */
	WAITS_MOST,
};

/* Words of the groups, and of their shares. */
enum { WAITS_ROW_KEY };
enum { WAITS_SHARE_ROW, WAITS_SHARE_OF, WAITS_SHARE_VALUE };
/* Sums of a group. */
enum { WAITS_SHORT_CALLS, WAITS_SHORT_NS, WAITS_OPEN };

struct waits_place {
	uint64_t begin_ns; /* of a wait that goes on; 0: none */
	uint64_t function, object, holder, key, line;
	bool counts;
};

struct waits {
	struct wait_events events; /* must be first */
	enum key_id by;
	struct run_key key, line;
	bool has_lines, has_short;
	struct groups groups;        /* the rows */
	struct groups share;         /* of each row by what it may have most of */
	struct waits_place *pending; /* by thread: a wait that goes on */
	size_t pending_room;
	uint64_t short_calls, short_ns, open;
	struct waits_share {
		uint64_t value, total_ns;
	} * most; /* WAITS_MOST for each row, once settled */
};

ANALYSIS(waits, struct waits)

static inline uint64_t waits_holder(uint32_t process, uint64_t tid)
{
	return (uint64_t)process << 32 | (uint32_t)tid;
}

/* Once all is read: joins rows whose keys mean the same. To be called once. */
void waits_settle(struct waits *waits);
/* Returns what the row has most of, 0: nothing is known. After waits_settle(). */
uint64_t waits_most_of(const struct waits *waits, size_t row, enum waits_most most);

#endif
