/* SPDX-License-Identifier: MIT */
/*
 * The CUDA part of the summary: calls, launches, copies, device memory in a few lines and two
 * tables.
 */
#include <string.h>

#include "report/cuda/rows_cuda.h"
#include "report/core/coverage.h"
#include "report/summary/summary.h"

#define ROWS_OF_CUDA 5

struct cuda_totals cuda_add_up(const struct cuda *cuda, const struct source *source)
{
	struct group api = groups_total(&cuda->api), launches = groups_total(&cuda->launches),
		     copies = groups_total(&cuda->copies);

	return (struct cuda_totals){
		.calls = api.time.count,
		.total_ns = api.time.total_ns,
		.errors = api.errors,
		.launches = launches.time.count,
		.graph_launches = api_count_graph_launches(cuda, source),
		.copies = copies.time.count,
		.copied_bytes = copies.bytes,
		.device_peak_bytes = highwater_peak(&cuda->memory.device),
		.device_live_bytes = cuda->memory.device_left,
	};
}

static uint64_t cuda_count_events(const struct summary *summary)
{
	uint64_t events = 0;

	for (int id = EVT_cuda_call; id <= EVT_cuda_free; id++)
		events += run_events(summary->run, (enum evt_id)id);
	return events + run_events(summary->run, EVT_cuda_unfinished);
}

/* Prints graph launches on a line of their own, because one line for all would be too wide. */
static void cuda_print_graphs(const struct cuda_totals *totals, uint64_t nested,
			      const struct screen *screen)
{
	char text[UNIT_TEXT_BYTES];

	if (!totals->graph_launches && !nested)
		return;
	fputs("      ", screen->out);
	if (totals->graph_launches)
		fprintf(screen->out, "%s graph launch%s",
			unit_format_count(text, totals->graph_launches),
			totals->graph_launches == 1 ? "" : "es");
	if (nested)
		fprintf(screen->out, "%s%s nested not counted", totals->graph_launches ? ", " : "",
			unit_format_count(text, nested));
	putc('\n', screen->out);
}

static void cuda_print_calls(const struct summary *summary, const struct cuda_totals *totals,
			     const struct screen *screen)
{
	uint64_t events = cuda_count_events(summary);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];

	screen_print(screen, SCREEN_BOLD, "\nCUDA");
	fprintf(screen->out, "  %s call%s, %s host time in them",
		unit_format_count(a, totals->calls), totals->calls == 1 ? "" : "s",
		unit_format_ns(b, totals->total_ns));
	if (totals->errors)
		screen_print(screen, SCREEN_RED, ", %s failed",
			     unit_format_count(a, totals->errors));
	putc('\n', screen->out);
	cuda_print_graphs(totals, events > totals->calls ? events - totals->calls : 0, screen);
}

static void cuda_print_memory(const struct summary *summary, const struct cuda_totals *totals,
			      const struct screen *screen)
{
	uint64_t host = highwater_peak(&summary->cuda->memory.host);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	struct coverage_text still_live;

	if (!totals->device_peak_bytes && !host)
		return;
	fprintf(screen->out, "      device memory peak %s, %s %s",
		unit_format_bytes(a, totals->device_peak_bytes),
		coverage_still_live(summary->run, &still_live),
		unit_format_bytes(b, totals->device_live_bytes));
	if (host)
		fprintf(screen->out, "; pinned and registered peak %s", unit_format_bytes(a, host));
	putc('\n', screen->out);
}

/* Prints "copied HtoD 1.20 MiB in 10, DtoH ...", as many kinds as fit on a line. */
static void cuda_print_copies(const struct summary *summary, const struct screen *screen)
{
	const struct groups *copies = &summary->cuda->copies;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	const char *before = "      copied ";
	char part[4 * UNIT_TEXT_BYTES];
	size_t used = 0;

	for (uint64_t kind = 0; kind < EVT_CUDA_COPY_LIMIT; kind++) {
		for (size_t i = 0; i < copies->count; i++) {
			const struct group *group = &copies->group[i];

			if (group->key[COPY_KIND] != kind || !group->time.count)
				continue;
			snprintf(part, sizeof(part), "%s %s in %s", copy_kind_text(kind),
				 unit_format_bytes(a, group->bytes),
				 unit_format_count(b, group->time.count));
			if (used && used + strlen(part) + 3 > screen->width) {
				before = ",\n             ";
				used = 0;
			}
			fprintf(screen->out, "%s%s", before, part);
			used += strlen(before) + strlen(part);
			before = ", ";
		}
	}
	if (*before == ',')
		putc('\n', screen->out);
}

static void cuda_print_kernels(const struct summary *summary, const struct document *document,
			       const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_launches_kernel, COLUMN_launches_calls,
						  COLUMN_launches_total_ns,
						  COLUMN_launches_p50_ns };
	static const struct part part = { "kernels by launches (host time of the launch)",
					  COLUMN_launches_calls, ROWS_OF_CUDA, columns,
					  sizeof(columns) / sizeof(columns[0]) };
	struct kernel_names names;
	struct table table;

	if (!summary->cuda->launches.count)
		return;
	kernel_names_init(&names, summary->source, NAMES_FULL);
	key_init_table(&table, BY_launches_kernel);
	launches_fill_table(summary->cuda, &table, &names);
	part_print(&table, &part, document, screen);
	table_release(&table);
	kernel_names_release(&names);
}

void summary_print_cuda(const struct summary *summary, const struct document *document,
			const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_api_name,     COLUMN_api_calls,
						  COLUMN_api_total_ns, COLUMN_api_percent,
						  COLUMN_api_p50_ns,   COLUMN_api_max_ns,
						  COLUMN_api_errors };
	struct part part = { "CUDA calls by host time", COLUMN_api_total_ns, ROWS_OF_CUDA, columns,
			     sizeof(columns) / sizeof(columns[0]) };
	const struct cuda_totals *totals = &summary->totals.cuda;
	struct table table;

	if (!totals->calls)
		return;
	cuda_print_calls(summary, totals, screen);
	cuda_print_copies(summary, screen);
	cuda_print_memory(summary, totals, screen);
	key_init_table(&table, BY_api_name);
	api_fill_table(summary->cuda, summary->source, &table);
	part.column_count -= !totals->errors;
	part_print(&table, &part, document, screen);
	table_release(&table);
	cuda_print_kernels(summary, document, screen);
}
