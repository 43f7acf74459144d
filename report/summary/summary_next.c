/* SPDX-License-Identifier: MIT */
/* The commands to run next: first those that help most with this recording. */
#include <stdlib.h>
#include <string.h>

#include "report/advice/cause.h"
#include "report/summary/summary_screen.h"

struct next_command {
	bool helps;
	const char *command, *what;
};

/* Returns whether half of the resident memory at its peak was not in blocks. */
static bool most_is_not_heap(const struct summary *summary)
{
	uint32_t index;
	const struct resident_process *most = resident_most(summary->resident, &index);

	return most && most->peak.has_kinds && most->peak.has_blocks &&
	       most->peak.heap < most->peak.resident / 2;
}

/* Prints a command; what it shows is in a column of its own, if there is room. */
static void print_command(const struct screen *screen, const struct next_command *command,
			  const char *file, size_t column, bool is_first)
{
	int length = fprintf(screen->out, "%-*sprof-report %s %s", (int)SCREEN_LABEL,
			     is_first ? "next:" : "", command->command, file);
	size_t used = length > 0 ? (size_t)length : 0;

	if (column + strlen(command->what) <= screen->width)
		fprintf(screen->out, "%*s%s", (int)(column > used ? column - used : 1), "",
			command->what);
	putc('\n', screen->out);
}

/* Chooses the commands that help, at most `most`, and --all if only the first screen is shown. */
static size_t choose(const struct summary *summary, const struct screen *screen, size_t most,
		     struct next_command chosen[SUMMARY_NEXT_MAX + 1])
{
	bool has_steps = summary->steps->time.count > 1;
	const struct next_command commands[] = {
		{ causes_are_of_program(&summary->bottleneck), "bottleneck",
		  "what to do about each cause" },
		{ summary->samples->all.looks, "lines", "time by line of your code" },
		{ summary->native->all.samples, "native", "CPU time by native function" },
		{ run_events(summary->run, EVT_function_enter), "functions",
		  "calls of Python functions, with their time" },
		{ has_steps, "steps", "each step, and what it went to" },
		{ summary->totals.cuda.launches, "kernels", "what the GPU ran" },
		{ summary->ranges->row_count, "nvtx --tree", "time by range" },
		{ io_total(&summary->bottleneck.io_by_process->io).total_ns, "io",
		  "input and output by file" },
		{ most_is_not_heap(summary), "memory", "what the resident memory is" },
		{ summary->heap->totals.allocations, "alloc --sort peak_bytes",
		  "who held the heap at its peak" },
		{ summary->totals.operators.calls, "ops", "PyTorch's operators" },
		{ true, "processes", "what ran" },
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]) && count < most; i++)
		if (commands[i].helps)
			chosen[count++] = commands[i];
	if (!summary_shows_all(summary, screen))
		chosen[count++] = (struct next_command){ true, "--all", "all tables" };
	return count;
}

void summary_print_next(const struct summary *summary, const struct screen *screen, size_t most)
{
	struct next_command chosen[SUMMARY_NEXT_MAX + 1];
	char *file = summary_file_word(summary, screen);
	size_t count = choose(summary, screen, most, chosen), column = 0;

	for (size_t i = 0; i < count; i++)
		if (strlen(chosen[i].command) > column)
			column = strlen(chosen[i].command);
	column += SCREEN_LABEL + strlen("prof-report ") + 1 + strlen(file) + 2;
	putc('\n', screen->out);
	for (size_t i = 0; i < count; i++)
		print_command(screen, &chosen[i], file, column, !i);
	free(file);
}
