/* SPDX-License-Identifier: MIT */
/*
 * `export callgrind`: stacks in the format of valgrind's callgrind, for kcachegrind and
 * callgrind_annotate. A function has its own value, then each function that it calls with the
 * callee's total. A function occurs once for each place it was called from, and these programs add
 * them up.
 */
#include "report/export/stack_export.h"

#include <stdlib.h>
#include <string.h>

/*
 * A name on one line, and none that could be taken for the number of an earlier one, such as (12).
 */
static void callgrind_put_name(struct sink *sink, const char *key, const char *name)
{
	char shown[NAMED_TEXT_FRAME_MAX];
	size_t length = named_frame_text(shown, name);

	sink_text(sink, key);
	if (length > 1 && shown[0] == '(' && shown[1] >= '0' && shown[1] <= '9')
		sink_put(sink, "_", 1);
	sink_put(sink, shown, length);
	sink_put(sink, "\n", 1);
}

static const struct named_frame *callgrind_frame_of(const struct stack_export *it, uint32_t node)
{
	return &it->tree.names->frame[it->tree.node[node].frame];
}

static bool is_same_function(const struct named_frame *one, const struct named_frame *other)
{
	return named_function(one) == named_function(other) &&
	       !strcmp(one->file ? one->file : "", other->file ? other->file : "");
}

/*
 * A function that calls itself is a separate function inside of itself, as with callgrind's
 * --separate-recs, so that sums stay correct.
 */
static void callgrind_put_function(const struct stack_export *it, const char *key, uint32_t node)
{
	const struct named_frame *frame = callgrind_frame_of(it, node);
	char shown[NAMED_TEXT_FRAME_MAX], name[NAMED_TEXT_FRAME_MAX + 16];
	unsigned int level = 1;

	for (uint32_t at = it->tree.node[node].parent; at != TREE_ROOT;
	     at = it->tree.node[at].parent)
		level += is_same_function(callgrind_frame_of(it, at), frame);
	named_frame_text(shown, named_shown(it->tree.names, frame));
	if (level > 1)
		snprintf(name, sizeof(name), "%s'%u", shown, level);
	else
		snprintf(name, sizeof(name), "%s", shown);
	callgrind_put_name(it->sink, key, name);
}

static void callgrind_put_cost(struct sink *sink, uint32_t line, uint64_t value)
{
	sink_unsigned(sink, line);
	sink_put(sink, " ", 1);
	sink_unsigned(sink, value);
	sink_put(sink, "\n", 1);
}

/*
 * Written even if it is 0: callgrind_annotate warns if no line of a source file has a value of its
 * own.
 */
static void put_own(struct stack_export *it, uint32_t node)
{
	const struct named_frame *frame = callgrind_frame_of(it, node);

	callgrind_put_name(it->sink, "\nfl=", frame->file ? frame->file : "???");
	callgrind_put_function(it, "fn=", node);
	callgrind_put_cost(it->sink, frame->line, it->tree.node[node].self);
}

/* After its caller: the order of the lines means nothing, but the caller is named again. */
static void callgrind_put_call(struct stack_export *it, uint32_t node)
{
	const struct tree_node *called = &it->tree.node[node];
	const struct named_frame *caller = callgrind_frame_of(it, called->parent),
				 *frame = callgrind_frame_of(it, node);

	callgrind_put_name(it->sink, "\nfl=", caller->file ? caller->file : "???");
	callgrind_put_function(it, "fn=", called->parent);
	callgrind_put_name(it->sink, "cfl=", frame->file ? frame->file : "???");
	callgrind_put_function(it, "cfn=", node);
	sink_print(it->sink, "calls=1 %u\n", frame->line);
	callgrind_put_cost(it->sink, caller->line, called->total);
}

static void callgrind_put_head(struct stack_export *it)
{
	char *lost = export_losses_line(it->report.request, "\ndesc: Losses: ");
	char what[128];

	stack_report_describe(&it->state, what, sizeof(what));
	sink_print(it->sink, "# callgrind format\nversion: 1\ncreator: intercept\ncmd: %s", what);
	sink_text(it->sink, lost);
	sink_print(it->sink, "\npositions: line\nevents: %s\nsummary: %llu\n",
		   stack_export_unit(it), (unsigned long long)it->state.all);
	free(lost);
}

int export_callgrind(struct report_request *request)
{
	struct stack_export it;
	int status = stack_export_begin(&it, request, TREE_BY_FRAME, false);

	if (!status)
		callgrind_put_head(&it);
	for (size_t i = 0; !status && i + 1 < it.tree.count; i++) {
		put_own(&it, it.order[i]);
		if (it.tree.node[it.order[i]].parent != TREE_ROOT)
			callgrind_put_call(&it, it.order[i]);
	}
	return stack_export_end(&it, status);
}
