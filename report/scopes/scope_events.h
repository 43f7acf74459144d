/* SPDX-License-Identifier: MIT */
/*
 * Events that open and close scopes, read by what is said about them in events.def (struct
 * evt_role). So whoever follows scopes needs no list of these events and their fields.
 */
#ifndef REPORT_SCOPES_SCOPE_EVENTS_H
#define REPORT_SCOPES_SCOPE_EVENTS_H

#include "report/scopes/cut.h"

/* The at::RecordScope of an operator or label that begins; 0, a function, for all other scopes. */
static inline uint64_t event_record_scope(const struct source_event *event)
{
	return evt_part(&event->event, evt_role_of(event->event.id)->label);
}

/* True if the event names the scope that it closes; otherwise it closes the innermost one. */
static inline bool event_ends_named(const struct source_event *event)
{
	return evt_role_of(event->event.id)->key;
}

/*
 * True if another thread began the scope that the event closes, and nothing but its name tells
 * which one it is.
 */
static inline bool event_ends_elsewhere(const struct source_event *event)
{
	const struct evt_role *role = evt_role_of(event->event.id);

	return !role->identity && evt_part(&event->event, role->elsewhere);
}

/*
 * Ends the scope that the event closes; false: it is not open. The keys of the nest's scopes are
 * the indices of their names.
 */
static inline bool nest_end_of_event(struct nest *nest, struct source *source,
				     const struct source_event *event)
{
	const struct evt_role *role = evt_role_of(event->event.id);

	if (!role->key)
		return nest_end(nest, event_place(event));
	return nest_end_named(
		nest, event_place(event),
		source_name_of(source, event->file, evt_part(&event->event, role->key))->index,
		evt_part(&event->event, role->elsewhere) != 0);
}

#endif
