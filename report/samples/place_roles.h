/* SPDX-License-Identifier: MIT */
/*
 * What the places of samples say about idle threads and about tasks of event loops. A place is
 * judged by its function and by what the place around it says, so each is looked at once, when it
 * is defined.
 */
#ifndef REPORT_SAMPLES_PLACE_ROLES_H
#define REPORT_SAMPLES_PLACE_ROLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task: by the outermost function of what the loop runs. */
#define PLACE_TASK_NONE 0u /* outside of event loops */
#define PLACE_TASK_LOOP 1u /* the loop itself */

struct place_role {
	bool is_idle;   /* a thread that waits here has nothing to do */
	bool is_runner; /* what it calls begins a task */
	bool is_loop;   /* it runs an event loop that may be written in C */
	uint64_t task;  /* PLACE_TASK_NONE, PLACE_TASK_LOOP, or place_task_of() */
};

/* The key of a task, by the indices of its file's and its function's names. */
static inline uint64_t place_task_of(uint32_t file, uint32_t function)
{
	return ((uint64_t)file + 1) << 32 | ((uint64_t)function + 1);
}

struct place_text {
	const char *file, *function;
	size_t file_length, function_length;
	uint32_t file_name, function_name; /* indices */
};

/*
 * Returns whether the file's path ends in `end`, whole folders compared. A recording without
 * folders (INTERCEPT_REDACT=paths) has only the file's name, which says nothing if every package
 * has a file of that name.
 */
bool place_file_is(const char *file, size_t length, const char *end);

/* `around`: of the place that this one was called from; NULL: it is the outermost. */
struct place_role place_role_of(const struct place_text *text, const struct place_role *around);

#endif
