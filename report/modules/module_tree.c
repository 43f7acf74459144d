/* SPDX-License-Identifier: MIT */
/* Rows are found by a map of parent and name. Sums walk from each row to the top. */
#include "report/modules/module_tree.h"

#include <stdlib.h>

#include "report/base/memory.h"

void module_tree_init(struct module_tree *tree)
{
	*tree = (struct module_tree){ .row = NULL };
	map_init(&tree->rows);
	map_init(&tree->latest);
	map_init(&tree->kept);
}

void module_tree_release(struct module_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		timing_release(&tree->row[i].time);
	free(tree->row);
	map_release(&tree->rows);
	map_release(&tree->latest);
	map_release(&tree->kept);
}

static uint32_t module_tree_add(struct module_tree *tree, uint32_t parent, uint32_t name)
{
	tree->row = memory_room(tree->row, tree->count, &tree->room, sizeof(*tree->row));
	tree->row[tree->count] = (struct module_row){
		.parent = parent,
		.name = name,
		.depth = parent == MODULE_NONE ? 0 : tree->row[parent].depth + 1,
	};
	return (uint32_t)tree->count++;
}

uint32_t module_tree_enter(struct module_tree *tree, uint32_t parent, uint32_t name)
{
	bool added;
	/* MODULE_NONE + 2 is 1 */
	struct map_entry *row = map_put(&tree->rows, (uint64_t)(uint32_t)(parent + 2) << 32 | name,
					&added);

	if (added)
		row->value = module_tree_add(tree, parent, name);
	map_put(&tree->latest, (uint64_t)name + 1, &added)->value = row->value;
	return (uint32_t)row->value;
}

uint32_t module_tree_enter_alone(struct module_tree *tree, uint32_t name)
{
	const struct map_entry *latest = map_find(&tree->latest, (uint64_t)name + 1);

	return latest ? (uint32_t)latest->value : module_tree_enter(tree, MODULE_NONE, name);
}

void module_tree_keep(struct module_tree *tree, uint32_t row, enum module_kept kind, uint64_t pass,
		      uint64_t bytes)
{
	const uint64_t words[3] = { row, kind, pass };
	uint64_t key = map_hash_bytes(words, sizeof(words), 0);
	struct map_entry *entry;
	bool added;

	entry = map_put(&tree->kept, key ? key : 1, &added);
	entry->value += bytes;
	if (entry->value > tree->row[row].kept_bytes[kind])
		tree->row[row].kept_bytes[kind] = entry->value;
}

void module_amounts_add(struct module_amounts *into, const struct module_amounts *more)
{
	into->ns += more->ns;
	into->gpu_ns += more->gpu_ns;
	into->gpu_ops += more->gpu_ops;
	into->flops += more->flops;
	into->flops_unknown += more->flops_unknown;
	for (unsigned int kind = 0; kind < MODULE_KEPT; kind++)
		into->kept_bytes[kind] += more->kept_bytes[kind];
	work_add(&into->work, &more->work);
}

struct module_amounts module_row_self(const struct module_row *row)
{
	struct module_amounts self = row->own[MODULE_FORWARD];

	module_amounts_add(&self, &row->own[MODULE_BACKWARD]);
	module_amounts_add(&self, &row->own[MODULE_RECOMPUTED]);
	return self;
}

uint32_t *module_tree_join(const struct module_tree *tree)
{
	uint32_t *joined = memory_zero(tree->count, sizeof(*joined));
	struct map names;

	map_init(&names);
	for (size_t i = 0; i < tree->count; i++) {
		bool added;
		struct map_entry *entry = map_put(&names, (uint64_t)tree->row[i].name + 1, &added);

		if (added)
			entry->value = i;
		joined[i] = (uint32_t)entry->value;
	}
	map_release(&names);
	return joined;
}

/* `seen` is for each row the number of the row whose amounts were added to it last, + 1. */
struct module_amounts *module_tree_add_up(const struct module_tree *tree, const uint32_t *joined)
{
	struct module_amounts *sums = memory_zero(tree->count * MODULE_PHASES + 1, sizeof(*sums));
	uint32_t *seen = memory_zero(tree->count + 1, sizeof(*seen));

	for (uint32_t i = 0; i < tree->count; i++)
		for (uint32_t at = i; at != MODULE_NONE; at = tree->row[at].parent) {
			uint32_t into = joined ? joined[at] : at;

			if (seen[into] == i + 1)
				continue;
			seen[into] = i + 1;
			for (unsigned int kind = 0; kind < MODULE_KEPT; kind++)
				sums[into * MODULE_PHASES]
					.kept_bytes[kind] += tree->row[i].kept_bytes[kind];
			for (unsigned int phase = 0; phase < MODULE_PHASES; phase++) {
				module_amounts_add(&sums[into * MODULE_PHASES + phase],
						   &tree->row[i].own[phase]);
				module_amounts_add(&sums[into * MODULE_PHASES + phase],
						   &tree->row[i].within[phase]);
			}
		}
	free(seen);
	return sums;
}
