/* SPDX-License-Identifier: MIT */
/*
 * What is missing of the recorded processes, and why, as they have reported themselves
 * (collector/format/limitations.def). Unlike losses, this cannot be counted: nobody knows how much
 * there would have been.
 */
#ifndef REPORT_SESSION_LIMITATIONS_H
#define REPORT_SESSION_LIMITATIONS_H

#include "report/session/source.h"

#define LIMITATION_ALL_FAMILIES UINT64_MAX

/* One limitation of one subject, for all processes that have it. */
struct limitation_told {
	const char *id, *sentence;
	const struct source_name *subject;    /* NULL: the sentence has no subject */
	const struct source_process *process; /* the first of these processes */
	size_t processes;
};

/*
 * Calls `put` for each limitation that concerns one of the families (1 << enum evt_family), in the
 * list's order.
 */
void limitations_tell(const struct source *source, uint64_t families,
		      void (*put)(void *context, const struct limitation_told *told),
		      void *context);
const char *limitation_sentence(enum limitation what);

/* True if the process has a limitation that concerns one of the families. */
bool limitation_concerns(const struct source_process *process, uint64_t families);
/* True if any process has one. */
bool limitations_concern(const struct source *source, uint64_t families);

/* True if nothing of the process's heap is in the recording. */
bool limitation_hides_heap(const struct source_process *process);

/* Takes a fact of a process: kept if it is in the list. */
void limitation_add(struct source_process *process, const struct source_name *key,
		    const struct source_name *value);

#endif
