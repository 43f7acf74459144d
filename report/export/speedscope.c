/* SPDX-License-Identifier: MIT */
/*
 * `export speedscope`: stacks for www.speedscope.app, in its own format: frames once, then each
 * stack with its weight.
 */
#include "report/export/stack_export.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

static void speedscope_put_text(struct sink *sink, const char *text)
{
	sink_json(sink, text, strlen(text));
}

/*
 * By frame: whether frames on other lines count as the same function. The caller owns the result.
 */
static bool *find_lines(const struct stack_tree *tree)
{
	const struct named_stacks *names = tree->names;
	bool *has_lines = memory_zero(names->frame_count + 1, sizeof(*has_lines));

	for (size_t i = 1; i < names->frame_count && i < tree->name_room; i++)
		if (tree->name[i] && names->frame[i].line != names->frame[tree->name[i]].line)
			has_lines[tree->name[i]] = true;
	return has_lines;
}

/*
 * Their numbers are those of the named frames minus one: [0] is no frame. A function that joins
 * several lines has no line.
 */
static void speedscope_put_frames(struct sink *sink, const struct stack_tree *tree)
{
	const struct named_stacks *names = tree->names;
	bool *has_lines = find_lines(tree);

	for (size_t i = 1; i < names->frame_count; i++) {
		const struct named_frame *frame = &names->frame[i];

		sink_text(sink, i > 1 ? ",\n{\"name\": " : "\n{\"name\": ");
		speedscope_put_text(sink, named_shown(names, frame));
		if (frame->file) {
			sink_text(sink, ", \"file\": ");
			speedscope_put_text(sink, frame->file);
		}
		if (frame->line && !has_lines[i])
			sink_print(sink, ", \"line\": %u", frame->line);
		sink_text(sink, "}");
	}
	free(has_lines);
}

static void put_stack(struct sink *sink, const struct stack_tree *tree, const uint32_t *path,
		      const struct tree_node *node)
{
	for (uint32_t depth = 1; depth <= node->depth; depth++) {
		if (depth > 1)
			sink_text(sink, ", ");
		sink_unsigned(sink, tree->name[tree->node[path[depth]].frame] - 1);
	}
}

static void speedscope_put_stacks(struct stack_export *it, uint32_t *path)
{
	const char *before = "\n[";

	for (size_t i = 0; i + 1 < it->tree.count; i++) {
		const struct tree_node *node = &it->tree.node[it->order[i]];

		path[node->depth] = it->order[i];
		if (!node->self)
			continue;
		sink_text(it->sink, before);
		put_stack(it->sink, &it->tree, path, node);
		sink_text(it->sink, "]");
		before = ",\n[";
	}
}

static void put_weights(struct stack_export *it)
{
	const char *before = "";

	for (size_t i = 0; i + 1 < it->tree.count; i++) {
		const struct tree_node *node = &it->tree.node[it->order[i]];

		if (!node->self)
			continue;
		sink_text(it->sink, before);
		sink_unsigned(it->sink, node->self);
		before = ", ";
	}
}

/* The only place for a remark in this format. */
static void put_title(struct stack_export *it, const char *what)
{
	char *lost = export_losses_line(it->report.request, "; ");
	size_t room = strlen(what) + strlen(lost) + 1;
	char *title = memory_zero(room, 1);

	snprintf(title, room, "%s%s", what, lost);
	speedscope_put_text(it->sink, title);
	free(title);
	free(lost);
}

int export_speedscope(struct report_request *request)
{
	struct stack_export it;
	int status = stack_export_begin(&it, request, TREE_BY_FILE, false);
	uint32_t *path = memory_zero(it.tree.count + 1, sizeof(*path));
	char what[128];

	if (!status) {
		stack_report_describe(&it.state, what, sizeof(what));
		sink_text(it.sink, "{\"$schema\": \"" SCHEMA "\",\n\"exporter\": \"intercept\",\n"
				   "\"name\": ");
		put_title(&it, what);
		sink_text(it.sink, ",\n\"shared\": {\"frames\": [");
		speedscope_put_frames(it.sink, &it.tree);
		sink_text(it.sink, "\n]},\n\"profiles\": [{\"type\": \"sampled\", \"name\": ");
		speedscope_put_text(it.sink, what);
		sink_print(it.sink, ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %llu,\n",
			   stack_report_unit(&it.state) == UNIT_COUNT ? "none"
								      : stack_export_unit(&it),
			   (unsigned long long)it.state.all);
		sink_text(it.sink, "\"samples\": [");
		speedscope_put_stacks(&it, path);
		sink_text(it.sink, "\n],\n\"weights\": [");
		put_weights(&it);
		sink_text(it.sink, "]}]}\n");
	}
	free(path);
	return stack_export_end(&it, status);
}
