/* SPDX-License-Identifier: MIT */
/*
 * NVTX inside the library: what both entry points share (nvtx_v2.c, the symbols of libnvToolsExt;
 * nvtx_v3.c, the injection). Any thread, signal handlers too; no lock, and no allocation except for
 * domains and registered strings (mmap). The handle of the default domain is NULL.
 */
#ifndef PRELOAD_NVTX_NVTX_H
#define PRELOAD_NVTX_NVTX_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/names.h"
#include "preload/nvtx/nvtx_api.h"
#include "preload/record/strings.h"

/* domains with open ranges that a thread can follow; the first is the default domain */
#define NVTX_LEVELS 5u
#define NVTX_CAPTURE_LEVELS 64u /* a capture range nested deeper than this captures nothing */

/* Thread-local, initial-exec, plain data: 88 bytes. */
struct nvtx_thread {
	/* the original of a version 2 function is running: calls back into us are the same event */
	uint32_t inside;
	uint32_t number; /* number of the thread, once it has asked for levels of tasks; 0 before */
	struct nvtx_level {
		uint32_t domain; /* low half of the domain name's hash */
		int32_t depth;
		uint64_t captures; /* bit n: the open range at depth n is a capture range */
	} level[NVTX_LEVELS];
};

extern __thread struct nvtx_thread nvtx_self __attribute__((tls_model("initial-exec")))
PRELOAD_HIDDEN;

/*
 * The part of a thread's level that belongs to its current task (nvtx_tasks.c): the ranges that the
 * task's pops close. NULL: there is no such level, or, if `begins`, no room for one; use the
 * thread's own. A level whose depth returns to 0 is given back.
 */
PRELOAD_HIDDEN struct nvtx_level *nvtx_task_level(const struct nvtx_level *level, bool begins);
PRELOAD_HIDDEN void nvtx_task_level_end(struct nvtx_level *level);
/* Before the depth of a task's level grows: the generator that runs pushes a range. */
PRELOAD_HIDDEN void nvtx_task_push(struct nvtx_level *level);
/*
 * Before a pop: of the level's ranges the one that the generator that runs has pushed last becomes
 * the innermost.
 */
PRELOAD_HIDDEN void nvtx_task_choose(struct nvtx_level *level);
/*
 * Tells the range at the level's depth from the others that are open: the one that was popped last,
 * or is pushed now.
 */
PRELOAD_HIDDEN uint16_t nvtx_task_number(const struct nvtx_level *level);

/* A push, start or mark, in the same form for all functions. */
struct nvtx_event {
	const void *domain;
	const void *message;
	uint32_t message_type; /* enum nvtx_message_type */
	uint32_t category;
	uint32_t color; /* ARGB, 0: no color */
	uint32_t payload_type;
	uint64_t payload; /* the payload's bits; a 32-bit value is in the low half */
};

/* Reads the fields that `size` covers. NULL attributes give an event without a name. */
void nvtx_event_read(struct nvtx_event *event, const void *domain,
		     const struct nvtx_attributes *attributes);

/* Returns the level of the range, or NVTX_LEVEL_*. While nvtx_self.inside, NVTX_LEVEL_UNTRACKED. */
int nvtx_push(const struct nvtx_event *event);
int nvtx_pop(const void *domain);
/* If `range` is 0, takes a new number. Returns the number. */
uint64_t nvtx_start(const struct nvtx_event *event, uint64_t range);
void nvtx_end(const void *domain, uint64_t range);
void nvtx_mark(const struct nvtx_event *event);

/* --- nvtx_names.c: the handle of a domain or registered string is one of our struct name --- */

/* Returns the name behind a handle; NULL if the handle is not ours. */
const struct name *nvtx_name_of(const void *handle);
/* Remembers another tool's handle for our `name`. */
void nvtx_name_link(const void *foreign, const struct name *name);
struct string nvtx_name_string(const void *handle);

void nvtx_name_category(const void *domain, uint32_t category, const struct string *name);
void nvtx_name_thread(uint32_t tid, const struct string *name);
void nvtx_name_resource(const struct nvtx_resource *resource);

/* --- nvtx_capture.c --- */

bool nvtx_capture_matches(const struct nvtx_event *event);

/* --- nvtx_v3.c --- */

/* NVTX has been used: a dormant program wakes up. Returns false if nothing of NVTX is wanted. */
bool nvtx_touch(void);

#endif
