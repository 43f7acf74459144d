/* SPDX-License-Identifier: MIT */
/*
 * Which of its tasks a thread runs (event python_task). A number distinguishes a task from the
 * others that live; 0 is what is no task, and what is not known. `generator` is up to date at NVTX
 * calls only.
 */
#ifndef REPORT_BASE_TASK_H
#define REPORT_BASE_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct task {
	uint64_t now, outer; /* outer: the one that it runs within, 0: none */
	uint64_t generator;  /* the innermost one of Python that runs, 0: none */
};

/*
 * True if a scope that began in task `other` can contain what the task does. "No task" contains all
 * tasks, because it runs them.
 */
static inline bool task_is_within(struct task task, uint64_t other)
{
	return other == task.now || !other || (task.now && other == task.outer);
}

#endif
