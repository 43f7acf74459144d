/* SPDX-License-Identifier: MIT */
/*
 * Report `graphs`: CUDA graphs, their launches, and their nodes by what they are and by where they
 * were captured.
 */
#include <string.h>

#include "report/core/report_kind.h"
#include "report/gpu/gpu.h"
#include "report/gpu/graphs.h"
#include "report/gpu/kernel_text.h"
#include "report/gpu/unreported.h"
#include "report/table/cells.h"

struct graphs_report {
	struct graphs *graphs;
	struct unreported *unreported;
};

static struct graphs *graphs_of(const struct report *report)
{
	return ((const struct graphs_report *)report->state)->graphs;
}

static void report_graphs_want(struct report *report)
{
	struct graphs_report *state = report->state;

	state->graphs = graphs_want(report->run,
				    &(struct graphs_options){ .by = report->request->options->by });
	state->unreported = unreported_want(report->run, NULL);
}

static uint64_t report_graphs_total_of(const struct graphs *graphs, struct graph_row *sum)
{
	*sum = (struct graph_row){ 0 };
	for (size_t i = 0; i < graphs->row_count; i++) {
		const struct graph_row *row = &graphs->row[i];

		sum->launches += row->launches;
		sum->without_work += row->without_work;
		sum->nodes += row->nodes;
		sum->calls += row->calls;
		sum->total_ns += row->total_ns;
		sum->span_ns += row->span_ns;
		sum->gap_ns += row->gap_ns;
		sum->host_ns += row->host_ns;
	}
	return sum->total_ns;
}

static void report_graphs_put_percent(struct table *table, uint64_t part_ns, uint64_t all_ns)
{
	table_set_real(table, COLUMN_graphs_percent,
		       all_ns ? 100.0 * (double)part_ns / (double)all_ns : 0);
}

static void graph_put(const struct report *report, const struct graph_row *row, uint64_t all_ns,
		      struct table *table)
{
	uint64_t with_work = row->launches - row->without_work;

	table_add_row(table);
	if (row->number)
		table_set_number(table, COLUMN_graphs_graph, row->number);
	table_put_pid(table, COLUMN_graphs_pid, run_source(report->run), row->process);
	table_set_number(table, COLUMN_graphs_launches, row->launches);
	table_set_number(table, COLUMN_graphs_without_work, row->without_work);
	table_set_number(table, COLUMN_graphs_host_ns, row->host_ns);
	table_set_number(table, COLUMN_graphs_calls, row->calls);
	table_set_number(table, COLUMN_graphs_total_ns, row->total_ns);
	report_graphs_put_percent(table, row->total_ns, all_ns);
	table_set_number(table, COLUMN_graphs_span_ns, row->span_ns);
	if (with_work)
		table_set_number(table, COLUMN_graphs_launch_ns, row->span_ns / with_work);
	if (row->is_whole)
		return;
	table_set_number(table, COLUMN_graphs_nodes, row->nodes);
	table_set_number(table, COLUMN_graphs_gap_ns, row->gap_ns);
}

static void what_put(const struct report *report, struct kernel_text *names,
		     const struct group *group, struct table *table)
{
	const char *text;

	if (group->key[GRAPH_WORD_KIND] == GPU_WORK_KERNEL) {
		kernel_text_put(names, run_source(report->run), table, COLUMN_graphs_name,
				group->key[GRAPH_WORD_WHAT]);
		return;
	}
	text = gpu_copy_text(group->key[GRAPH_WORD_WHAT]);
	table_set_text(table, COLUMN_graphs_name, text, strlen(text));
}

static void report_graphs_node_put(const struct report *report, const struct group *group,
				   struct table *table)
{
	const struct graph_nodes *nodes = &graphs_of(report)->nodes;
	uint64_t node = group->key[GRAPH_WORD_NODE], graph = group->key[GRAPH_WORD_GRAPH];

	if (node)
		table_set_number(table, COLUMN_graphs_node, node);
	if ((uint32_t)graph)
		table_set_number(table, COLUMN_graphs_graph, (uint32_t)graph);
	table_put_pid(table, COLUMN_graphs_pid, run_source(report->run), graph >> 32);
	for (unsigned int i = 0; i < GRAPH_KEYS; i++) {
		const struct run_key *key = &nodes->key[i];
		uint64_t place = graph_nodes_place(nodes, (uint32_t)(graph >> 32), node, i);

		place = key_settle(key, place);
		if (place != KEY_LEFT_OUT)
			key_put(key, place, table);
	}
}

static void work_fill(struct report *report, struct table *table, uint64_t all_ns)
{
	const struct report_option_value *options = report->request->options->of_report;
	unsigned int choice = options[REPORT_OPTION_names].choice;
	struct kernel_text names = { .mangled = choice == 2, .full = choice == 0 };
	struct graphs *graphs = graphs_of(report);

	if (graphs->form == GRAPHS_BY_KEY)
		key_settle_groups(&graphs->nodes.key[0], &graphs->work, GRAPH_WORD_PLACE);
	for (size_t i = 0; i < graphs->work.count; i++) {
		const struct group *group = &graphs->work.group[i];

		if (!group->time.count)
			continue;
		table_add_row(table);
		if (graphs->form == GRAPHS_BY_NODE)
			report_graphs_node_put(report, group, table);
		if (graphs->form == GRAPHS_BY_KEY)
			key_put(&graphs->nodes.key[0], group->key[GRAPH_WORD_PLACE], table);
		else
			what_put(report, &names, group, table);
		table_set_number(table, COLUMN_graphs_calls, group->time.count);
		table_set_number(table, COLUMN_graphs_total_ns, group->time.total_ns);
		report_graphs_put_percent(table, group->time.total_ns, all_ns);
		table_set_number(table, COLUMN_graphs_avg_ns,
				 group->time.total_ns / group->time.count);
		table_set_number(table, COLUMN_graphs_min_ns, group->time.min_ns);
		table_set_number(table, COLUMN_graphs_max_ns, group->time.max_ns);
	}
	kernel_text_release(&names);
}

static void report_graphs_fill(struct report *report, struct table *table)
{
	const struct graphs *graphs = graphs_of(report);
	struct graph_row sum;
	uint64_t all_ns = report_graphs_total_of(graphs, &sum);

	if (graphs->form != GRAPHS_BY_GRAPH) {
		work_fill(report, table, all_ns);
		return;
	}
	for (size_t i = 0; i < graphs->row_count; i++)
		graph_put(report, &graphs->row[i], all_ns, table);
}

static void report_graphs_total(const struct report *report, struct facts *facts)
{
	struct graph_row sum;

	report_graphs_total_of(graphs_of(report), &sum);
	facts_number(facts, "graphs", UNIT_COUNT, graphs_of(report)->row_count);
	facts_number(facts, "launches", UNIT_COUNT, sum.launches);
	facts_number(facts, "without_work", UNIT_COUNT, sum.without_work);
	facts_number(facts, "calls", UNIT_COUNT, sum.calls);
	facts_number(facts, "total_ns", UNIT_NS, sum.total_ns);
	facts_number(facts, "host_ns", UNIT_NS, sum.host_ns);
	facts_number(facts, "span_ns", UNIT_NS, sum.span_ns);
	facts_number(facts, "gap_ns", UNIT_NS, sum.gap_ns);
}

static const char *report_graphs_explain(const struct report *report, struct why_empty *absence)
{
	struct graph_row sum;

	report_graphs_total_of(graphs_of(report), &sum);
	if (!sum.launches && run_events(report->run, EVT_gpu_cupti) &&
	    !run_filters(report->run)->any)
		return "no CUDA graph was launched";
	if (sum.launches && !sum.calls && sum.total_ns)
		return "nothing is known of nodes: INTERCEPT_GRAPHS=whole records each launch as "
		       "one "
		       "piece; record again without it";
	return unreported_explain(((const struct graphs_report *)report->state)->unreported,
				  report->run, absence);
}

static void report_graphs_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	unreported_print(((const struct graphs_report *)report->state)->unreported,
			 run_source(report->run), screen);
}

const struct report_kind report_kind_graphs = {
	.state_bytes = sizeof(struct graphs_report),
	.family = EVT_FAMILY_gpu,
	.want = report_graphs_want,
	.fill = report_graphs_fill,
	.total = report_graphs_total,
	.explain = report_graphs_explain,
	.head = report_graphs_head,
};
