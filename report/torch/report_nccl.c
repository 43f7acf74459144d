/* SPDX-License-Identifier: MIT */
/* Report `nccl`: collectives of torch.distributed, of any backend. */
#include <string.h>

#include "report/base/demangle.h"
#include "report/core/report_kind.h"
#include "report/table/rows_timing.h"
#include "report/torch/collectives.h"

struct nccl_report {
	struct collectives *all;
};

static struct collectives *report_nccl_all_of(const struct report *report)
{
	return ((const struct nccl_report *)report->state)->all;
}

static void report_nccl_want(struct report *report)
{
	((struct nccl_report *)report->state)->all = collectives_want(
		report->run, &(struct collectives_options){ .by = report->request->options->by });
}

/* Puts "GPU" and the kernel's name, or the two parts of a label. */
static void report_nccl_put_name(struct demangler *demangler, const struct source *source,
				 const struct collective_row *row, struct table *table)
{
	const struct source_name *name = source_name_at(source, row->name);
	struct collective_label label;
	const char *text = NULL;

	if (!row->is_kernel && name->text &&
	    collective_label_of(name->text, name->length, &label)) {
		table_set_text(table, COLUMN_nccl_backend, label.backend, label.backend_length);
		table_set_text(table, COLUMN_nccl_op, label.op, label.op_length);
		return;
	}
	table_set_text(table, COLUMN_nccl_backend, "GPU", strlen("GPU"));
	if (name->text)
		text = demangle(demangler, name->text, name->length, false);
	if (text)
		text = text_store_format(&table->texts, "%s", text);
	else
		text = source_name_text(name);
	table_set_text(table, COLUMN_nccl_op, text, strlen(text));
}

static void put_rank(const struct report *report, uint32_t index, struct table *table)
{
	const struct source *source = run_source(report->run);
	struct source_process *const *process;
	uint64_t rank;

	source_processes(source, &process);
	rank = source_rank(source, process[index]);
	if (rank != UINT64_MAX)
		table_set_number(table, COLUMN_nccl_rank, rank);
	table_set_number(table, COLUMN_nccl_pid, process[index]->pid);
}

#define RATE_MAX 1e18 /* bytes per second; only a damaged file has more */

static void put_rate(struct table *table, unsigned int column, double bytes, uint64_t ns)
{
	double rate = ns ? bytes * 1e9 / (double)ns : RATE_MAX;

	if (rate < RATE_MAX)
		table_set_number(table, column, (uint64_t)rate);
}

/* Puts the bandwidth only if the duration is that of the work. */
static void report_nccl_put_bytes(const struct source *source, const struct collective_row *row,
				  struct table *table)
{
	const struct source_name *name = source_name_at(source, row->name);
	struct collective_label label;
	bool is_timed = row->is_kernel ||
			(name->text && collective_label_of(name->text, name->length, &label) &&
			 collective_is_timed(&label));

	if (!row->time.count || row->sized != row->time.count)
		return;
	table_set_number(table, COLUMN_nccl_bytes, row->bytes);
	if (!is_timed || !row->bytes)
		return;
	put_rate(table, COLUMN_nccl_alg_rate, (double)row->bytes, row->time.total_ns);
	if (row->bus_sized == row->time.count)
		put_rate(table, COLUMN_nccl_bus_rate, row->bus_bytes, row->time.total_ns);
}

static void put_waits(const struct collective_row *row, struct table *table)
{
	if (!row->matched)
		return;
	table_set_number(table, COLUMN_nccl_wait_ns, row->wait_ns);
	if (row->time.total_ns)
		table_set_real(table, COLUMN_nccl_wait_percent,
			       100.0 * (double)row->wait_ns / (double)row->time.total_ns);
	table_set_number(table, COLUMN_nccl_skew_max_ns, row->skew_max_ns);
}

static void report_nccl_fill(struct report *report, struct table *table)
{
	const struct collectives *all = report_nccl_all_of(report);
	struct demangler demangler = { 0 };

	for (size_t i = 0; i < all->row_count; i++) {
		const struct collective_row *row = &all->row[i];

		table_add_row(table);
		report_nccl_put_name(&demangler, run_source(report->run), row, table);
		if (all->by_rank)
			put_rank(report, row->process, table);
		if (!row->is_kernel)
			table_set_number(table, COLUMN_nccl_processes, row->processes);
		table_set_number(table, COLUMN_nccl_calls, row->time.count);
		table_set_number(table, COLUMN_nccl_total_ns, row->time.total_ns);
		timing_put(table, TIMING_COLUMNS(nccl), &row->time);
		put_waits(row, table);
		report_nccl_put_bytes(run_source(report->run), row, table);
	}
	demangler_release(&demangler);
}

static void report_nccl_total(const struct report *report, struct facts *facts)
{
	const struct collectives *all = report_nccl_all_of(report);
	uint64_t calls = 0, total_ns = 0, wait_ns = 0, kernels = 0, gpu_ns = 0;

	for (size_t i = 0; i < all->row_count; i++) {
		const struct collective_row *row = &all->row[i];

		calls += row->is_kernel ? 0 : row->time.count;
		total_ns += row->is_kernel ? 0 : row->time.total_ns;
		kernels += row->is_kernel ? row->time.count : 0;
		gpu_ns += row->is_kernel ? row->time.total_ns : 0;
		wait_ns += row->wait_ns;
	}
	facts_number(facts, "calls", UNIT_COUNT, calls);
	facts_number(facts, "total_ns", UNIT_NS, total_ns);
	facts_number(facts, "wait_ns", UNIT_NS, wait_ns);
	facts_number(facts, "kernels", UNIT_COUNT, kernels);
	facts_number(facts, "gpu_ns", UNIT_NS, gpu_ns);
	facts_number(facts, "unmatched", UNIT_COUNT, all->unmatched);
	facts_number(facts, "open", UNIT_COUNT, all->open);
}

static const char *report_nccl_explain(const struct report *report, struct why_empty *absence)
{
	(void)report;
	(void)absence;
	return "no collective of torch.distributed was seen";
}

static void report_nccl_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct collectives *all = report_nccl_all_of(report);
	char number[UNIT_TEXT_BYTES];

	if (all->unmatched)
		screen_print_prose(screen,
				   "operations that processes called unequally often, or of which "
				   "recordings are missing, so that no waits are known: %s",
				   unit_format_count(number, all->unmatched));
	if (all->unread)
		screen_print_prose(screen,
				   "operations whose calls outside of the selected time were not "
				   "read, so that no waits are known: %s",
				   unit_format_count(number, all->unread));
	if (all->unclocked)
		screen_print_prose(screen,
				   "operations between hosts whose clocks are not known (report "
				   "clocks), so that no waits are known: %s",
				   unit_format_count(number, all->unclocked));
	if (all->doubt_ns)
		screen_print_prose(screen,
				   "waits and skews between hosts are exact to %s: the clocks of "
				   "hosts are aligned by the collectives (report clocks)",
				   unit_format_ns(number, all->doubt_ns));
	if (all->open)
		screen_print_prose(screen, "calls that did not end, which do not count: %s",
				   unit_format_count(number, all->open));
}

const struct report_kind report_kind_nccl = {
	.state_bytes = sizeof(struct nccl_report),
	.family = EVT_FAMILY_torch,
	.want = report_nccl_want,
	.fill = report_nccl_fill,
	.total = report_nccl_total,
	.explain = report_nccl_explain,
	.foot = report_nccl_foot,
};
