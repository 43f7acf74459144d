/* SPDX-License-Identifier: MIT */
/*
 * What of the recorded processes is missing, and why, as they have said themselves (collector/format/limitations.def).
 * Losses are counted; here nobody knows how much there would have been.
 */
#ifndef REPORT_SESSION_LIMITATIONS_H
#define REPORT_SESSION_LIMITATIONS_H

#include "report/session/source.h"

#define LIMITATION_ALL_FAMILIES UINT64_MAX

/* One limitation of one subject, of all processes that have it. */
struct limitation_told {
	const char *id, *sentence;
	const struct source_name *subject;    /* NULL: the sentence has none */
	const struct source_process *process; /* the first of them */
	size_t processes;
};

/* Calls `put` for each that concerns one of the families (1 << enum evt_family), in the list's order. */
void limitations_tell(const struct source *source, uint64_t families,
		      void (*put)(void *context, const struct limitation_told *told),
		      void *context);
const char *limitation_sentence(enum limitation what);

/* Whether the process has one that does. */
bool limitation_concerns(const struct source_process *process, uint64_t families);
/* Whether there is one. */
bool limitations_concern(const struct source *source, uint64_t families);

/* Nothing of its heap is in the recording. */
bool limitation_hides_heap(const struct source_process *process);

/* A fact of a process: kept if it is one of the list. */
void limitation_add(struct source_process *process, const struct source_name *key,
		    const struct source_name *value);

#endif
