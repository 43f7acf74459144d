/* SPDX-License-Identifier: MIT */
/*
 * Threads that work on behalf of other threads: their owners, which wait for them meanwhile. The
 * ranges of an owner also hold for that work (--range).
 *
 * A family that knows such threads has a line OWNER_KIND(name) in its folder's family.def and a
 * struct owner_kind owner_kind_<name>. Threads are indices. To be used by one thread.
 */
#ifndef REPORT_CORE_OWNERS_H
#define REPORT_CORE_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

struct owner_kind {
	size_t state_bytes;
	void (*init)(void *state);
	void (*release)(void *state);
	/* Gets each event of a program, in order of time. */
	void (*take)(void *state, struct source *source, const struct source_event *event);
	/* All that is open on the thread ends. */
	void (*cut)(void *state, uint32_t thread);
	/* Returns the thread for which this thread works now; NEST_NONE: it works for itself. */
	uint32_t (*owner)(const void *state, uint32_t thread);
};

#define OWNER_KIND(name) extern const struct owner_kind owner_kind_##name;
#include "report/families.def"

/* The states of all kinds. */
struct owners;

struct owners *owners_new(void);
void owners_free(struct owners *owners);
void owners_take(struct owners *owners, struct source *source, const struct source_event *event);
void owners_cut(struct owners *owners, uint32_t thread);
/* Returns the answer of the first kind that has one. */
uint32_t owners_of(const struct owners *owners, uint32_t thread);

#endif
