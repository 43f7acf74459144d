/* SPDX-License-Identifier: MIT */
/*
 * Which named ranges are open on threads: all kinds of scopes that scopes.def calls ranges of a
 * thread. Ranges of a process are not included: start/end ranges, and labels that may end on
 * another thread.
 *
 * Ranges of one kind nest among themselves only, by the rules of that kind. Over all kinds, the
 * range that opened last is the innermost. Memory grows with threads and open ranges.
 */
#ifndef REPORT_SCOPES_OPEN_RANGES_H
#define REPORT_SCOPES_OPEN_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/scopes/nest.h"
#include "report/session/source.h"

struct open_range {
	enum evt_scope_kind kind;
	uint32_t domain, name; /* indices */
	bool is_wanted;        /* for the caller's use */
};

/* The range ends, or is cut; `thread` is an index. */
typedef void open_range_ended(void *state, const struct open_range *range, uint32_t thread,
			      uint32_t process);

struct open_ranges_nest {
	struct open_ranges *ranges;
	struct nest nest;
	struct open_range *open; /* parallel to its scopes */
	size_t room;
};

struct open_ranges {
	struct open_ranges_nest of[EVT_SCOPE_KIND_LIMIT]; /* `count` of them */
	size_t count;
	struct open_ranges_nest *of_kind[EVT_SCOPE_KIND_LIMIT]; /* NULL: not a range of a thread */
	open_range_ended *ended;                                /* may be NULL */
	void *state;
};

/* The object must not be moved afterwards. */
void open_ranges_init(struct open_ranges *ranges, open_range_ended *ended, void *state);
void open_ranges_release(struct open_ranges *ranges);

/*
 * Returns the range that the event opens, valid until the next call; NULL: it opens none. Events
 * passed to this function and the next must have all of their fields, as run_reads_ranges()
 * delivers them.
 */
struct open_range *open_ranges_take_opening(struct open_ranges *ranges, struct source *source,
					    const struct source_event *event);
/* Ends the range that the event closes. */
void open_ranges_take_closing(struct open_ranges *ranges, struct source *source,
			      const struct source_event *event);
/* Ends all ranges of the thread. */
void open_ranges_cut(struct open_ranges *ranges, struct nest_place place, enum nest_ending how);

/* Returns the innermost range that is open on the thread; NULL: there is none. */
const struct open_range *open_ranges_innermost(const struct open_ranges *ranges, uint32_t thread);

/*
 * Returns the title of the range that the event opens, as a name's id. Returns false if it opens
 * none: an operator is a scope like a label, but no range.
 */
static inline bool event_range_title(const struct event *event, uint64_t *ret_id)
{
	const struct evt_role *role = evt_role_of(event->id);

	*ret_id = evt_part(event, role->title);
	return role->title && (!role->label || evt_part(event, role->label) == EVT_SCOPE_USER);
}

#endif
