/* SPDX-License-Identifier: MIT */
/*
 * The memory part of the summary: what the kernel counts, and the part of it that blocks and
 * mappings explain.
 */
#include "report/core/why_empty.h"
#include "report/heap/resident.h"
#include "report/session/limitations.h"
#include "report/summary/summary.h"

/* A part of less than one percent is shown by the report only. */
static void put_part(const struct screen *screen, const struct resident_moment *moment,
		     const char *name, uint64_t bytes)
{
	char text[UNIT_TEXT_BYTES];

	if (bytes > moment->resident / 100)
		fprintf(screen->out, ", %s %s", name, unit_format_bytes(text, bytes));
}

/*
 * The parts at the moment with the most memory. Without a recording of the whole heap they would be
 * misleading.
 */
static void print_parts(const struct resident_moment *moment, const struct source_process *process,
			const struct screen *screen)
{
	bool is_hidden = limitation_hides_heap(process);
	char seen[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES], heap[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out, "At its peak (%s, after %s) the largest process held: heap %s",
		unit_format_bytes(seen, moment->resident), unit_format_ns(time, moment->time_ns),
		is_hidden ? "not recorded" : unit_format_bytes(heap, moment->heap));
	if (moment->tensors)
		fprintf(line.screen.out, " (tensors %s)", unit_format_bytes(heap, moment->tensors));
	put_part(&line.screen, moment, "Python's arenas", moment->arenas);
	put_part(&line.screen, moment, "mapped", moment->mapped);
	put_part(&line.screen, moment, "files", moment->file);
	put_part(&line.screen, moment, "shared", moment->shared);
	put_part(&line.screen, moment,
		 process->thread_count > 1 ? "freed, and kept by malloc's first arena"
					   : "freed, and kept by malloc",
		 resident_kept(moment)); /* for the arenas of other threads this is not known */
	put_part(&line.screen, moment, "not explained", resident_rest(moment));
	put_part(&line.screen, moment, "minus what it had not touched", resident_untouched(moment));
	fputs(".", line.screen.out);
	prose_end(&line, screen);
}

void summary_print_memory(const struct summary *summary, const struct screen *screen)
{
	const struct resident_process *most;
	struct source_process *const *process;
	uint32_t index;

	if (!summary->totals.memory_peak_bytes)
		return;
	most = resident_most(summary->resident, &index);
	(void)source_processes(summary->source, &process);
	if (most && most->peak.has_kinds && most->peak.has_blocks &&
	    !run_filters(summary->run)->any && !why_empty_is_limited(summary->run) &&
	    !why_empty_is_off(summary->run, EVT_FAMILY_alloc))
		print_parts(&most->peak, process[index], screen);
}
