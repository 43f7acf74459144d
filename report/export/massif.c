/* SPDX-License-Identifier: MIT */
/*
 * `export massif`: the heap in the format of valgrind's massif, for ms_print and massif-visualizer.
 * Bytes over time; and a tree from the allocating functions outwards, at the peak, and at the end
 * for what was never freed.
 *
 * A point of the curve is the maximum of its interval. massif's "extra" bytes, which malloc needs
 * for itself, are not recorded, nor are stacks: both are 0.
 */
#include "report/export/exporter.h"

#include <stdlib.h>

#include "report/core/known.h"
#include "report/options/keys.h"
#include "report/export/sink.h"
#include "report/heap/heap_events.h"
#include "report/stacks/stack_report.h"

#define POINTS 200u
#define SHOWN_PER_MILLE 1u /* share of the tree's bytes: smaller places are joined */
#define TREE_TITLE "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."

struct heap_tree {
	struct stack_report stacks;
	struct stack_tree tree;
	uint32_t *first, *next; /* children by size; TREE_ROOT: none */
};

struct massif {
	struct report report;
	const struct heap *heap;
	struct heap_tree peak, left;
	struct sink *sink;
	unsigned int snapshots;
};

/* --- the trees --- */

static int compare_totals(const void *left, const void *right, void *context)
{
	const struct stack_tree *tree = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (tree->node[a].total != tree->node[b].total)
		return tree->node[a].total < tree->node[b].total ? -1 : 1;
	return (a < b) - (a > b);
}

/* Lists are built from their ends: the smallest first. */
static void tree_make(struct heap_tree *tree, struct massif *massif, enum stack_value value)
{
	struct stack_tree *made = &tree->tree;
	uint32_t *sorted;

	tree->stacks.value = value;
	tree->stacks.has_value = true;
	stack_report_read(&tree->stacks, &massif->report);
	stack_report_tree(&tree->stacks, made, true, TREE_BY_FRAME);
	tree->first = memory_zero(made->count + 1, sizeof(*tree->first));
	tree->next = memory_zero(made->count + 1, sizeof(*tree->next));
	sorted = memory_zero(made->count + 1, sizeof(*sorted));
	for (uint32_t i = 1; i < made->count; i++)
		sorted[i - 1] = i;
	qsort_r(sorted, made->count - 1, sizeof(*sorted), compare_totals, made);
	for (size_t i = 0; i + 1 < made->count; i++) {
		uint32_t parent = made->node[sorted[i]].parent;

		tree->next[sorted[i]] = tree->first[parent];
		tree->first[parent] = sorted[i];
	}
	free(sorted);
}

static void tree_release(struct heap_tree *tree)
{
	free(tree->first);
	free(tree->next);
	stack_tree_release(&tree->tree);
	stack_report_release(&tree->stacks);
}

static bool massif_is_shown(const struct heap_tree *tree, uint32_t node)
{
	return tree->tree.node[node].total * 1000 >=
	       tree->tree.node[TREE_ROOT].total * SHOWN_PER_MILLE;
}

/* What is below a node: lines of its own, and one for everything that is too small or ends here. */
struct below {
	unsigned int shown, others;
	uint64_t others_bytes;
};

static struct below below_of(const struct heap_tree *tree, uint32_t node)
{
	struct below below = { .others_bytes = tree->tree.node[node].total };

	for (uint32_t at = tree->first[node]; at; at = tree->next[at]) {
		if (massif_is_shown(tree, at)) {
			below.shown++;
			below.others_bytes -= tree->tree.node[at].total;
		} else {
			below.others++;
		}
	}
	if (!below.shown && !below.others)
		below.others_bytes = 0;
	else if (!below.others && below.others_bytes)
		below.others = 1;
	return below;
}

static void put_indent(struct sink *sink, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++)
		sink_put(sink, " ", 1);
}

static void massif_put_name(struct sink *sink, const char *name)
{
	char shown[NAMED_TEXT_FRAME_MAX];
	size_t length = named_frame_text(shown, name);

	sink_put(sink, shown, length);
}

/* "0x1234: function (file.c:12)", massif's form of a frame; for a module without lines its path. */
static void massif_put_frame(const struct massif *massif, const struct named_frame *frame)
{
	struct sink *sink = massif->sink;

	sink_hex(sink, frame->offset);
	sink_text(sink, ": ");
	massif_put_name(sink, frame->name);
	if (frame->file) {
		sink_text(sink, " (");
		massif_put_name(sink, frame->file);
		sink_print(sink, ":%u)", frame->line);
	} else if (frame->module) {
		sink_text(sink, " (in ");
		massif_put_name(sink, frame->module);
		sink_text(sink, ")");
	}
}

static void massif_put_node(const struct massif *massif, const struct heap_tree *tree,
			    uint32_t node)
{
	const struct tree_node *at = &tree->tree.node[node];
	struct below below = below_of(tree, node);

	put_indent(massif->sink, at->depth);
	sink_print(massif->sink, "n%u: %llu ", below.shown + (below.others > 0),
		   (unsigned long long)at->total);
	if (node == TREE_ROOT)
		sink_text(massif->sink, TREE_TITLE);
	else
		massif_put_frame(massif, &tree->tree.names->frame[at->frame]);
	sink_put(massif->sink, "\n", 1);
}

/* After its last child: what has no line. */
static void massif_put_others(const struct massif *massif, const struct heap_tree *tree,
			      uint32_t node)
{
	struct below below = below_of(tree, node);

	if (!below.others)
		return;
	put_indent(massif->sink, tree->tree.node[node].depth + 1);
	sink_print(massif->sink, "n0: %llu in %u place%s, all below massif's threshold (0.10%%)\n",
		   (unsigned long long)below.others_bytes, below.others,
		   below.others == 1 ? "" : "s");
}

static uint32_t first_shown(const struct heap_tree *tree, uint32_t node)
{
	return node && massif_is_shown(tree, node) ? node : TREE_ROOT; /* smaller ones follow */
}

static void massif_put_tree(const struct massif *massif, const struct heap_tree *tree)
{
	uint32_t at = TREE_ROOT;

	massif_put_node(massif, tree, at);
	for (;;) {
		uint32_t next = first_shown(tree, tree->first[at]);

		while (!next) {
			massif_put_others(massif, tree, at);
			if (at == TREE_ROOT)
				return;
			next = first_shown(tree, tree->next[at]);
			at = tree->tree.node[at].parent;
		}
		at = next;
		massif_put_node(massif, tree, at);
	}
}

/* --- snapshots --- */

static void put_snapshot(struct massif *massif, uint64_t time_ns, uint64_t bytes, const char *kind)
{
	sink_print(massif->sink,
		   "#-----------\nsnapshot=%u\n#-----------\ntime=%llu\nmem_heap_B=%llu\nmem_heap_"
		   "extra_B=0\n"
		   "mem_stacks_B=0\nheap_tree=%s\n",
		   massif->snapshots++, (unsigned long long)(time_ns / 1000000),
		   (unsigned long long)bytes, kind);
}

static void put_snapshots(struct massif *massif)
{
	const struct run *run = massif->report.run;
	uint64_t value[POINTS], end_ns = known_until_ns(run);
	const struct heap_totals *totals = &massif->heap->totals;
	bool has_peak = false;

	curve_sample(&massif->heap->curve, end_ns, value, POINTS);
	put_snapshot(massif, 0, 0, "empty");
	for (unsigned int i = 0; i < POINTS; i++) {
		bool is_last = i + 1 == POINTS;
		uint64_t to_ns = is_last ? end_ns : end_ns / POINTS * (i + 1);

		if (!has_peak && (totals->peak_time_ns <= to_ns || is_last)) {
			has_peak = true;
			put_snapshot(massif, totals->peak_time_ns, massif->peak.stacks.all, "peak");
			massif_put_tree(massif, &massif->peak);
		}
		if (known_within(run, end_ns / POINTS * i, to_ns))
			put_snapshot(massif, to_ns, value[i], "empty");
	}
	if (!massif->left.stacks.all)
		return;
	put_snapshot(massif, end_ns, massif->left.stacks.all, "detailed");
	massif_put_tree(massif, &massif->left);
}

static void massif_put_head(struct massif *massif)
{
	struct source *source = massif->report.request->source;
	struct source_process *const *process;
	const char *command = "unknown";
	size_t length = strlen(command);
	char *lost;

	if (source_processes(source, &process) && process[0]->command &&
	    process[0]->command->text) {
		command = process[0]->command->text;
		length = process[0]->command->length;
	}
	lost = export_losses_line(massif->report.request, "; ");
	sink_text(massif->sink, "desc: intercept, bytes that the program asked for");
	sink_text(massif->sink, lost);
	sink_text(massif->sink, "\ncmd: ");
	free(lost);
	for (size_t i = 0; i < length; i++)
		sink_put(massif->sink, (unsigned char)command[i] < ' ' ? " " : &command[i], 1);
	sink_text(massif->sink, "\ntime_unit: ms\n");
}

static int check_options(struct report_request *request)
{
	const struct report_option_value *of = &request->options->of_report[REPORT_OPTION_of];

	if (!(request->options->given & TAKES_value) && (!of->text || !strcmp(of->text, "alloc")))
		return STATUS_OK;
	snprintf(request->message, sizeof(request->message),
		 "export massif is of the heap at its peak and at the end: leave out --of and "
		 "--value");
	return STATUS_USAGE;
}

static int write_massif(struct massif *massif)
{
	struct report_request *request = massif->report.request;
	int status = STATUS_OK;

	massif->sink = memory_zero(1, sizeof(*massif->sink));
	if (sink_open(massif->sink, request, request->options->output, false)) {
		free(massif->sink);
		return STATUS_INPUT;
	}
	massif_put_head(massif);
	put_snapshots(massif);
	if (sink_close(massif->sink, request))
		status = STATUS_INPUT;
	else
		export_say_written(request->options->output, massif->snapshots, "snapshot",
				   massif->sink->bytes);
	free(massif->sink);
	return status;
}

static void massif_print_notes(void *rows, const struct screen *screen)
{
	stack_rows_print_notes(rows, screen);
}

int export_massif(struct report_request *request)
{
	struct massif massif = { .report = { .kind = &report_kind_export, .request = request } };
	struct why_empty absence;
	int status = check_options(request);

	if (status)
		return status;
	massif.report.run = run_new(request->source, &request->scope);
	run_set_options(massif.report.run, request->options);
	massif.heap = heap_want(massif.report.run, &(struct heap_options){ .by = BY_alloc_stack });
	stack_report_want(&massif.peak.stacks, &massif.report);
	stack_report_want(&massif.left.stacks, &massif.report);
	request_read(request, massif.report.run);
	tree_make(&massif.peak, &massif, STACK_PEAK);
	tree_make(&massif.left, &massif, STACK_LIVE);
	if (massif.peak.stacks.all) {
		status = write_massif(&massif);
		if (!status)
			export_say(request, massif_print_notes, &massif.peak.stacks.rows);
	} else {
		const char *text = stack_report_explain(&massif.peak.stacks, &massif.report,
							&absence);

		snprintf(request->message, sizeof(request->message), "%s",
			 text ? text : "no block of the heap was recorded; nothing is written");
		status = STATUS_INPUT;
	}
	tree_release(&massif.peak);
	tree_release(&massif.left);
	run_free(massif.report.run);
	return status;
}
