/* SPDX-License-Identifier: MIT */
/*
 * The key `module` of reports about PyTorch: the innermost module of the thread, in calls, backward
 * functions and recomputed calls alike. In a recording without calls of modules it is what `module`
 * is elsewhere, the file of the caller's code.
 */
#include <stdlib.h>
#include <string.h>

#include "report/core/key.h"
#include "report/modules/module_events.h"
#include "report/modules/rows_modules.h"

#define NO_MODULE "(no module)"
/* In a key: the rest is the index of a module's name + 1. Keys of stacks are small numbers. */
#define IS_LAYER (1ull << 62)

struct layer_key {
	const struct modules *modules;
	struct source *source;
	const void *file; /* state of the other meaning */
};

struct layer_key_options {
	uint32_t none;
};

static void layer_key_start(void *state, struct run *run, const void *options)
{
	struct layer_key *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->modules = modules_want(run, NULL);
	mine->file = key_kind_module.start(run);
}

static const struct analysis_kind analysis_layer_key = {
	.name = "modules as a key",
	.state_bytes = sizeof(struct layer_key),
	.options_bytes = sizeof(struct layer_key_options),
	.start = layer_key_start,
};

static const void *layer_key_want(struct run *run)
{
	return run_want(run, &analysis_layer_key, NULL);
}

static bool layer_key_has_modules(const struct layer_key *mine)
{
	return mine->modules->scopes.tree.count != 0;
}

static uint64_t layer_key_of(const void *state, const struct source_event *event)
{
	const struct layer_key *mine = state;
	const struct module_scope *top;

	if (!layer_key_has_modules(mine))
		return key_kind_module.of(mine->file, event);
	top = module_scopes_top(&mine->modules->scopes, event->thread->index);
	return top ? IS_LAYER | ((uint64_t)mine->modules->scopes.tree.row[top->row].name + 1) : 0;
}

/* Before the first call of a module nobody knows that there will be one. */
static uint64_t layer_key_settle(const void *state, uint64_t key)
{
	const struct layer_key *mine = state;

	if (layer_key_has_modules(mine))
		return key & IS_LAYER ? key : 0;
	return key_kind_module.settle(mine->file, key);
}

static void layer_key_put(const void *state, uint64_t key, struct table *table,
			  const enum column_id *column)
{
	const struct layer_key *mine = state;

	if (!layer_key_has_modules(mine))
		key_kind_module.put(mine->file, key, table, column);
	else if (key & IS_LAYER)
		modules_put_name(table,
				 source_name_at(mine->source, (uint32_t)(key & ~IS_LAYER) - 1),
				 column[0], COLUMN_ID_LIMIT);
	else
		table_set_text(table, column[0], NO_MODULE, strlen(NO_MODULE));
}

const struct key_kind key_kind_layer = {
	.name = "layer",
	.joins_backward = true,
	.start = layer_key_want,
	.of = layer_key_of,
	.put = layer_key_put,
	.settle = layer_key_settle,
};
