/* SPDX-License-Identifier: MIT */
/*
 * What /proc says is trusted only if the process still maps the region after the reads.
 */
#include "collector/processes/identity.h"

#include <string.h>

#include "collector/processes/maps.h"
#include "collector/processes/proc.h"
#include "collector/processes/redact.h"
#include "collector/processes/start_map.h"

/* stack_start is read last: process_may_be_another() compares it. */
static void process_read_proc(struct process *process, struct common *common)
{
	uint32_t redact = common->view.redact;
	char text[PROC_COMMAND_BYTES];
	struct proc_stat stat;
	const char *path;
	size_t length;

	length = proc_command(process->pid, text, sizeof(text));
	length = redact_command(redact, text, length);
	process->command = names_id_text(&common->names, text, length);
	length = proc_executable(process->pid, text, sizeof(text));
	path = redact_path(redact, text, &length);
	process->executable = names_id_text(&common->names, path, length);
	process->stack_start = proc_stat(process->pid, &stat) ? stat.stack_start : 0;
}

/* The cheap check of a forked child: it has its parent's stack until it calls exec. */
static bool process_may_be_another(const struct process *process, const struct process *parent)
{
	return !process->likely || !parent || !process->stack_start ||
	       process->stack_start != parent->stack_start;
}

/*
 * A process that no longer maps the region runs another program, or is over. What /proc said was
 * perhaps that program's: it is forgotten.
 */
static void process_look_again(struct process *process, const struct namesake_region *region)
{
	if (!region->file.inode || maps_has_file(process->pid, region->file))
		return;
	process->gone = true;
	process->execed = !watch_is_over(&process->watch);
	process->command = 0;
	process->executable = 0;
	process->stack_start = 0;
}

/* The process described itself when it began, and has ended or runs another program by now. */
static void process_identify_by_start(struct process *process, struct common *common)
{
	uint32_t redact = common->view.redact;
	char text[PROC_COMMAND_BYTES];
	const char *path;
	size_t length;

	if (!process->command) {
		length = start_map_command(&common->view, text, sizeof(text));
		length = redact_command(redact, text, length);
		process->command = names_id_text(&common->names, text, length);
	}
	if (process->executable)
		return;
	length = start_map_executable(&common->view, text, sizeof(text));
	path = redact_path(redact, text, &length);
	process->executable = names_id_text(&common->names, path, length);
}

void process_identify(struct process *process, const struct process *parent, struct common *common,
		      const struct namesake_region *region)
{
	if (process->pid && !process->execed) {
		process_read_proc(process, common);
		if (process_may_be_another(process, parent))
			process_look_again(process, region);
	}
	if (parent && !process->command)
		process->command = parent->command;
	if (parent && !process->executable)
		process->executable = parent->executable;
	process_identify_by_start(process, common);
}
