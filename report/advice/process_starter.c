/* SPDX-License-Identifier: MIT */
/* Compares few processes: who has forked it, or whose pid its file gives. */
#include "report/advice/process_starter.h"

#include <string.h>

#define SERVER "multiprocessing.forkserver"

static bool is_child(const struct source_process *process, const struct source_process *of)
{
	return process->parent == of ||
	       (!process->parent && process->parent_pid == of->pid && process->file != of->file);
}

static bool is_fork_server(const struct source_process *process)
{
	size_t length = 0;
	const char *command = process->command ? name_text(process->command, &length) : NULL;

	return command && memmem(command, length, SERVER, strlen(SERVER));
}

bool process_is_started_by(const struct source_process *process, const struct source_process *of)
{
	return is_child(process, of) || (process->parent && is_fork_server(process->parent) &&
					 is_child(process->parent, of));
}

const struct source_process *process_starter(const struct source *source,
					     const struct source_process *process)
{
	struct source_process *const *all;
	size_t count = source_processes(source, &all);

	if (process->parent && !is_fork_server(process->parent))
		return process->parent;
	for (size_t i = 0; i < count; i++)
		if (process_is_started_by(process, all[i]) && all[i] != process->parent)
			return all[i];
	return process->parent;
}
