/* SPDX-License-Identifier: MIT */
/*
 * Which of its tasks a thread is running (event python_task). A number distinguishes a task from
 * other live ones. 0 stands for no task and for an unknown one.
 */
#ifndef REPORT_BASE_TASK_H
#define REPORT_BASE_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct task {
	uint64_t now, outer; /* outer: the task that contains it, 0: none */
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
