/* SPDX-License-Identifier: MIT */
/*
 * The summary as text: what ran, what it cost, where memory and time went, what to look at next.
 * Parts without data are left out, with a line why when that helps.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/base/units.h"
#include "report/core/why_empty.h"
#include "report/heap/rows_heap.h"
#include "report/heap/heap_share.h"
#include "report/nvtx/rows_ranges.h"
#include "report/process/rows_threads.h"
#include "report/core/coverage.h"
#include "report/summary/summary_screen.h"
#include "report/base/text.h"

#define ROWS_OF_PART 8
#define ROWS_OF_SMALL_PART 5
#define NAME_BYTES 25 /* of a thread in a sentence */
#define HOST_BYTES 41
#define REDACTED_BYTES 200

static void summary_put_host(const struct screen *screen, const char *host)
{
	char escaped[HOST_BYTES];

	text_escape(escaped, screen->width < 100 ? 21 : 41, host, strlen(host));
	fprintf(screen->out, "on %s", escaped);
}

/* Shares of less than this, and bytes an event from this on, are noise. */
#define SHARE_NS_MIN 100000000u
#define SHARE_BYTES_MAX 1000u

/* Host and when. */
static void summary_print_run(const struct summary *summary, const struct screen *screen)
{
	struct source_file *const *file;
	size_t files = source_files(summary->source, &file);
	const char *before = "";

	if (files && file[0]->host && file[0]->host[0]) {
		fputs(before, screen->out);
		summary_put_host(screen, file[0]->host);
		before = ", ";
	}
	if (files && file[0]->start_real_ns) {
		time_t start = (time_t)(file[0]->start_real_ns / 1000000000u);
		char when[40];
		struct tm local;

		localtime_r(&start, &local);
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &local);
		fprintf(screen->out, "%s%s", before, when);
		before = "\n";
	}
	if (*before)
		putc('\n', screen->out);
}

#define EXITS_SHOWN 3

/* Processes that did not end well. */
static void summary_print_exits(const struct summary *summary, const struct screen *screen)
{
	struct source_process *const *process;
	size_t count = source_processes(summary->source, &process), bad = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t status = process[i]->ended ? process[i]->exit_status : 0;

		if (status <= 0 || bad++ >= EXITS_SHOWN)
			continue;
		screen_print(screen, SCREEN_RED, "process %u", process[i]->pid);
		if (source_rank(summary->source, process[i]) != UINT64_MAX)
			screen_print(screen, SCREEN_RED, " (rank %llu)",
				     (unsigned long long)source_rank(summary->source, process[i]));
		screen_print(screen, SCREEN_RED, " ended with status %lld", (long long)status);
		if (status > 128 && status <= 128 + 64)
			screen_print(screen, SCREEN_RED, " (signal %lld)", (long long)status - 128);
		putc('\n', screen->out);
	}
	if (bad > EXITS_SHOWN)
		fprintf(screen->out,
			"and %zu more that did not end with status 0 (prof-report processes)\n",
			bad - EXITS_SHOWN);
}

/*
 * Prints a fact that the user chose: what is missing for that reason is no fault. Of several files
 * each value once.
 */
static void summary_print_chosen(const struct summary *summary, const struct screen *screen,
				 const char *key, const char *words)
{
	char escaped[REDACTED_BYTES], last[REDACTED_BYTES] = "";
	const struct source_meta *meta;
	size_t count = source_metas(summary->source, &meta);

	for (size_t i = 0; i < count; i++) {
		const struct source_name *value = meta[i].value;

		if (meta[i].process || !meta[i].key->text || strcmp(meta[i].key->text, key) != 0 ||
		    !value->text)
			continue;
		text_escape(escaped, sizeof(escaped), value->text, value->length);
		if (strcmp(escaped, last) != 0)
			screen_print_prose(screen, "%s%s", words, escaped);
		memcpy(last, escaped, sizeof(last));
	}
}

static uint64_t summary_family_events(const struct run *run, enum evt_family family)
{
	uint64_t events = 0;

	for (size_t i = 0; i < EVT_ID_LIMIT; i++)
		if (evt_descriptors[i].name && evt_descriptors[i].family == family)
			events += run_events(run, (enum evt_id)i);
	return events;
}

static void summary_print_events(const struct summary *summary, const struct screen *screen)
{
	const struct summary_totals *totals = &summary->totals;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out, "%s process%s, %s thread%s, %s event%s",
		unit_format_count(a, totals->selected_processes),
		totals->selected_processes == 1 ? "" : "es",
		unit_format_count(b, totals->selected_threads),
		unit_plural(totals->selected_threads), unit_format_count(c, totals->events),
		unit_plural(totals->events));
	for (int family = EVT_FAMILY_system + 1; family < EVT_FAMILY_LIMIT; family++) {
		uint64_t events = summary_family_events(summary->run, (enum evt_family)family);

		if (events)
			fprintf(line.screen.out, ", %s %s", evt_family_names[family],
				unit_format_count(a, events));
	}
	if (run_events_unknown(summary->run))
		fprintf(line.screen.out, ", of newer kinds %s",
			unit_format_count(a, run_events_unknown(summary->run)));
	prose_end(&line, screen);
}

#define CHILDREN_NS_MIN 1000000000u
#define CHILDREN_SHARE_MIN 0.05 /* of the CPU time of what was recorded */

/* Children that nothing else speaks of. */
static void summary_print_children(const struct summary *summary, const struct screen *screen)
{
	const struct summary_totals *totals = &summary->totals;
	char text[UNIT_TEXT_BYTES];

	if (!run_filters(summary->run)->any && totals->children_ns >= CHILDREN_NS_MIN &&
	    (double)totals->children_ns >= CHILDREN_SHARE_MIN * (double)totals->cpu_ns)
		screen_print_prose(screen,
				   "child programs that were not recorded took %s of CPU time "
				   "(INTERCEPT_CHILDREN=all records those that load the library)",
				   unit_format_ns(text, totals->children_ns));
}

static void summary_print_cost(const struct summary *summary, const struct screen *screen)
{
	const struct summary_totals *totals = &summary->totals;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];

	fprintf(screen->out, "profiler: %s on disk", unit_format_bytes(a, totals->bytes_on_disk));
	if (totals->events && !run_filters(summary->run)->any &&
	    totals->bytes_on_disk / totals->events < SHARE_BYTES_MAX)
		fprintf(screen->out, " (%.1f B/event)",
			(double)totals->bytes_on_disk / (double)totals->events);
	if (totals->profiler_cpu_ns)
		fprintf(screen->out, ", CPU %s", unit_format_ns(b, totals->profiler_cpu_ns));
	if (totals->profiler_cpu_ns && totals->cpu_ns >= SHARE_NS_MIN)
		fprintf(screen->out, " (%s of the program's)",
			unit_format_percent(b, 100.0 * (double)totals->profiler_cpu_ns /
						       (double)totals->cpu_ns));
	putc('\n', screen->out);
}

static void summary_print_heap(const struct summary *summary, const struct document *document,
			       const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_alloc_caller, COLUMN_alloc_allocations,
						  COLUMN_alloc_bytes_allocated,
						  COLUMN_alloc_percent, COLUMN_alloc_peak_bytes };
	static const struct part part = { "allocations by caller", COLUMN_alloc_bytes_allocated,
					  ROWS_OF_SMALL_PART, columns,
					  sizeof(columns) / sizeof(columns[0]) };
	const struct heap_totals *totals = &summary->heap->totals;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES], error[HEAP_ERROR_BYTES];
	struct coverage_text still_live;
	struct why_empty absence;
	struct late_callers callers;
	struct table table;

	if (!totals->allocations && why_empty_is_whole(summary->run))
		return; /* said where the ranges would be */
	if (!totals->allocations) {
		putc('\n', screen->out);
		screen_print_prose(screen, "%s",
				   why_empty_explain(summary->run, EVT_FAMILY_alloc, &absence));
		return;
	}
	screen_print(screen, SCREEN_BOLD, "\nheap");
	fprintf(screen->out, "  peak %s%s at %s, %s %s\n", unit_format_bytes(a, totals->peak_bytes),
		heap_error(error, summary->heap, totals->peak_variance),
		unit_format_ns(b, totals->peak_time_ns),
		heap_still_live(summary->heap, summary->run, &still_live),
		unit_format_bytes(c, totals->kept_bytes));
	fprintf(screen->out, "      %s%s in %s allocation%s",
		unit_format_bytes(a, totals->bytes_allocated),
		heap_error(error, summary->heap, totals->variance),
		unit_format_count(b, totals->allocations), unit_plural(totals->allocations));
	if (!totals->sampled)
		fprintf(screen->out, ", %s temporary",
			unit_format_percent(c, 100.0 * (double)totals->temporary_allocations /
						       (double)totals->allocations));
	fputs("\n      ", screen->out);
	heap_print_curve(summary->heap, summary->run, screen, screen->width - 6);
	heap_print_sample(summary->heap, screen);
	key_init_table(&table, BY_alloc_caller);
	heap_fill_named_table(
		summary->heap, summary->source, &table, &callers,
		(struct heap_names){ .form = SYMBOLS_FULL, .for_people = true, .is_brief = true });
	part_print(&table, &part, document, screen);
	summary_print_leak(summary, screen);
	heap_share_print(summary->heap, WEIGHT_BYTES, screen);
	late_callers_release(&callers);
	table_release(&table);
}

/* How much of its life push/pop ranges leave open, of the thread with the most time in them. */
static void summary_print_outside(const struct summary *summary, const struct screen *screen)
{
	const struct source_thread *most = NULL;
	struct source_thread *const *thread;
	uint64_t wall_ns = summary->totals.wall_ns, covered_ns = 0, outside_ns;
	size_t count = source_threads(summary->source, &thread), length;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES], escaped[NAME_BYTES];
	const char *name;

	for (size_t i = 0; i < count; i++) {
		if (ranges_covered_ns(summary->ranges, thread[i]->index) <= covered_ns)
			continue;
		most = thread[i];
		covered_ns = ranges_covered_ns(summary->ranges, thread[i]->index);
	}
	if (most && most->end_ns > most->start_ns)
		wall_ns = most->end_ns - most->start_ns;
	outside_ns = wall_ns > covered_ns ? wall_ns - covered_ns : 0;
	/* what filters or INTERCEPT_CAPTURE left out may have been inside of others */
	if (!most || outside_ns < wall_ns / 100 || run_filters(summary->run)->any ||
	    why_empty_is_limited(summary->run))
		return;
	thread_name(most, &name, &length);
	text_escape(escaped, sizeof(escaped), name, length);
	fprintf(screen->out, "outside of ranges: %s of %s (%s) on thread ",
		unit_format_ns(a, outside_ns), unit_format_ns(b, wall_ns),
		unit_format_percent(c, 100.0 * (double)outside_ns / (double)wall_ns));
	if (length)
		fprintf(screen->out, "%s (%u)\n", escaped, most->tid);
	else
		fprintf(screen->out, "%u\n", most->tid);
}

static void summary_print_ranges(const struct summary *summary, const struct document *document,
				 const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_nvtx_name,           COLUMN_nvtx_count,
						  COLUMN_nvtx_total_ns,       COLUMN_nvtx_self_ns,
						  COLUMN_nvtx_percent,        COLUMN_nvtx_p50_ns,
						  COLUMN_nvtx_bytes_allocated };
	static const struct part part = { "ranges by time", COLUMN_nvtx_total_ns, ROWS_OF_PART,
					  columns, sizeof(columns) / sizeof(columns[0]) };
	struct why_empty absence;
	struct table table;

	/* labels are among the operators, and lines of Python say where the time went, too */
	if (!summary->ranges->row_count &&
	    (summary->totals.operators.calls || summary->samples->all.looks))
		return;
	if (!summary->ranges->row_count) {
		putc('\n', screen->out);
		screen_print_prose(screen, "%s",
				   why_empty_explain(summary->run, EVT_FAMILY_nvtx, &absence));
		return;
	}
	table_init(&table, "nvtx", NULL);
	ranges_fill_table(summary->ranges, summary->run, &table);
	part_print(&table, &part, document, screen);
	table_release(&table);
	summary_print_outside(summary, screen);
}

static bool has_thread_cpu(const struct summary *summary)
{
	struct source_thread *const *thread;
	size_t count = source_threads(summary->source, &thread);

	for (size_t i = 0; i < count; i++)
		if (thread_times(thread[i]).has_cpu)
			return true;
	return false;
}

static void summary_print_threads(const struct summary *summary, const struct document *document,
				  const struct screen *screen)
{
	static const enum column_id columns[] = {
		COLUMN_threads_name,   COLUMN_threads_pid,    COLUMN_threads_tid,
		COLUMN_threads_cpu_ns, COLUMN_threads_events, COLUMN_threads_bytes_allocated
	};
	struct part part = { "threads by CPU time", COLUMN_threads_cpu_ns, ROWS_OF_SMALL_PART,
			     columns, sizeof(columns) / sizeof(columns[0]) };
	struct table table;

	/* a recording of before, a kernel that does not tell, or only a part of the time */
	if (!summary->totals.has_lives || !has_thread_cpu(summary)) {
		part.title = "threads by events";
		part.sort = COLUMN_threads_events;
	}
	if (summary->totals.threads > 1) {
		table_init(&table, "threads", NULL);
		threads_fill_table(summary->run, summary->works, &table);
		part_print(&table, &part, document, screen);
		table_release(&table);
	}
	threads_print_rest(summary->run, screen);
}

/* What the first screen has no room for, in front of the tables. */
static void print_details(const struct summary *summary, const struct screen *screen)
{
	putc('\n', screen->out);
	summary_print_steps(summary, screen);
	if (summary_has_verdict(summary))
		summary_print_told(summary, screen);
	summary_print_ready(summary, screen);
	summary_print_gpu(summary, screen);
	summary_print_memory(summary, screen);
	summary_print_run(summary, screen);
	summary_print_chosen(summary, screen, "preset", "recorded with INTERCEPT_PRESET=");
	summary_print_chosen(summary, screen, "redacted",
			     "left out of the file by INTERCEPT_REDACT: ");
	summary_print_events(summary, screen);
	summary_print_children(summary, screen);
	summary_print_cost(summary, screen);
	summary_print_exits(summary, screen);
}

bool summary_shows_all(const struct summary *summary, const struct screen *screen)
{
	const struct options *options = run_options(summary->run);

	return !screen->is_terminal || (options && options->given & TAKES_all);
}

void summary_print(const struct summary *summary, const struct document *document,
		   const struct screen *screen)
{
	summary_print_screen(summary, screen, document->says_losses);
	if (!summary_shows_all(summary, screen))
		return;
	print_details(summary, screen);
	summary_print_lines_parts(summary, document, screen);
	summary_print_torch(summary, document, screen);
	summary_print_ranges(summary, document, screen);
	summary_print_cuda(summary, document, screen);
	summary_print_heap(summary, document, screen);
	summary_print_threads(summary, document, screen);
}
