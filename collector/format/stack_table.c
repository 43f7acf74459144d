/* SPDX-License-Identifier: MIT */
/*
 * Definitions are in the order in which their ids were first mentioned. A hash table of their
 * indices is at most half full. A parent that is not defined yet already has an index, so that
 * definitions may come in any order.
 */
#include "collector/format/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/frame_flags.h"

#define DEFINITIONS_FIRST 1024u
#define SLOT_BITS_FIRST 11u
#define NODES_FIRST 1024u
#define PROBES_MAX 1024u /* a valid table needs about a dozen */

_Static_assert(2 * DEFINITIONS_FIRST == 1u << SLOT_BITS_FIRST, "half full at most");

void stack_table_release(struct stack_table *table)
{
	free(table->definition);
	free(table->slot);
	free(table->node);
	free(table->path);
	*table = (struct stack_table){ 0 };
}

void stack_table_reset(struct stack_table *table)
{
	table->node_count = 0;
	if (++table->turn)
		return;
	table->turn = 1;
	for (uint32_t i = 1; i < table->count; i++)
		table->definition[i].turn = 0;
}

/* Returns the slot of an id, or the free slot for it; NULL if neither is found within the limit. */
static uint32_t *stack_table_slot_find(const struct stack_table *table, uint64_t id)
{
	uint32_t mask = (1u << table->slot_bits) - 1;
	uint32_t at = (uint32_t)((id * 0x9e3779b97f4a7c15u) >> (64 - table->slot_bits));

	for (uint32_t i = 0; i < PROBES_MAX; i++, at = (at + 1) & mask) {
		uint32_t place = table->slot[at];

		if (!place || table->definition[place].id == id)
			return &table->slot[at];
	}
	return NULL;
}

static bool slots_rebuild(struct stack_table *table, uint32_t bits)
{
	uint32_t *old = table->slot, old_bits = table->slot_bits;

	table->slot = calloc((size_t)1 << bits, sizeof(*table->slot));
	table->slot_bits = bits;
	for (uint32_t i = 1; table->slot && i < table->count; i++) {
		uint32_t *slot = stack_table_slot_find(table, table->definition[i].id);

		if (slot)
			/* otherwise too many ids have the same hash, and this one is forgotten */
			*slot = i;
	}
	if (!table->slot) {
		table->slot = old;
		table->slot_bits = old_bits;
		return false;
	}
	free(old);
	return true;
}

/* Makes room for one more definition; false if there is none. */
static bool table_reserve(struct stack_table *table)
{
	uint32_t room = table->room ? table->room * 2 : DEFINITIONS_FIRST;
	struct stack_definition *larger;

	if (table->limit && stack_table_count(table) >= table->limit)
		return false;
	if (table->count < table->room)
		return true;
	if (room > STACK_DEFINITIONS_MAX)
		return false;
	larger = realloc(table->definition, room * sizeof(*larger));
	if (!larger)
		return false;
	table->definition = larger;
	if (!slots_rebuild(table, table->room ? table->slot_bits + 1 : SLOT_BITS_FIRST))
		return false;
	table->room = room;
	if (!table->count) {
		table->definition[0] = (struct stack_definition){ 0 };
		table->count = 1;
	}
	return true;
}

/* Returns the index of an id; a new id is not defined yet. 0: there is no room. */
static uint32_t table_place(struct stack_table *table, uint64_t id)
{
	uint32_t *slot = table->slot ? stack_table_slot_find(table, id) : NULL;

	if (!slot || !*slot)
		slot = table_reserve(table) ? stack_table_slot_find(table, id) : NULL;
	if (!slot)
		return 0;
	if (!*slot) {
		*slot = table->count++;
		table->definition[*slot] = (struct stack_definition){ .id = id };
	}
	return *slot;
}

/* Frames arrive from the outermost to the innermost, so the parent is usually the previous one. */
static uint32_t parent_place(struct stack_table *table, uint64_t parent)
{
	if (table->definition[table->last].id == parent)
		return table->last;
	return table_place(table, parent);
}

void stack_table_define(struct stack_table *table, uint64_t id, uint64_t parent, uint64_t address,
			uint32_t flags)
{
	uint32_t place = table_place(table, id);
	uint32_t outer = parent && place ? parent_place(table, parent) : 0;
	struct stack_definition *definition;

	if (!place || (parent && !outer)) {
		table->refused++;
		return; /* a record that refers to it finds nothing, which is counted */
	}
	table->last = place;
	definition = &table->definition[place];
	definition->age = table->age;
	if (definition->is_known) {
		table->clashes += definition->address != address || definition->parent != outer ||
				  definition->flags != (uint8_t)flags;
		return;
	}
	definition->address = address;
	definition->parent = outer;
	definition->flags = (uint8_t)flags;
	definition->is_known = true;
}

/* --- ages --- */

void stack_table_age(struct stack_table *table)
{
	table->refused = 0;
	if (++table->age)
		return;
	table->age = 1;
	for (uint32_t i = 1; i < table->count; i++)
		table->definition[i].age = 0;
}

/* A frame that is in use needs its callers. */
static void ages_spread(struct stack_table *table)
{
	for (uint32_t i = 1; i < table->count; i++) {
		uint32_t place = table->definition[i].age == table->age
					 ? table->definition[i].parent
					 : 0;

		for (; place && table->definition[place].age != table->age;
		     place = table->definition[place].parent)
			table->definition[place].age = table->age;
	}
}

static void slots_fill(struct stack_table *table)
{
	memset(table->slot, 0, ((size_t)1 << table->slot_bits) * sizeof(*table->slot));
	for (uint32_t i = 1; i < table->count; i++) {
		uint32_t *slot = stack_table_slot_find(table, table->definition[i].id);

		if (slot)
			*slot = i;
	}
}

uint32_t stack_table_forget(struct stack_table *table)
{
	uint32_t *moved = table->count ? calloc(table->count, sizeof(*moved)) : NULL;
	uint32_t count = 1;

	if (!moved)
		return stack_table_count(table);
	ages_spread(table);
	for (uint32_t i = 1; i < table->count; i++) {
		if (table->definition[i].age != table->age)
			continue;
		moved[i] = count;
		table->definition[count++] = table->definition[i];
	}
	table->last = moved[table->last];
	table->count = count;
	for (uint32_t i = 1; i < count; i++)
		table->definition[i].parent = moved[table->definition[i].parent];
	slots_fill(table);
	free(moved);
	return stack_table_count(table);
}

/* --- nodes --- */

/* Makes room for `more` nodes. */
static bool nodes_reserve(struct stack_table *table, uint32_t more)
{
	uint32_t room = table->node_room ? table->node_room : NODES_FIRST;
	struct stack_node *larger;

	if (!table->node_count)
		table->node_count = 1;
	if (more > FRAME_NODES_MAX - (table->node_count - 1))
		return false;
	while (room < table->node_count + more)
		room *= 2;
	if (room == table->node_room)
		return true;
	larger = realloc(table->node, room * sizeof(*larger));
	if (!larger)
		return false;
	table->node = larger;
	table->node_room = room;
	table->node[0] = (struct stack_node){ 0 };
	return true;
}

static void node_add(struct stack_table *table, uint32_t place, uint32_t parent,
		     uint32_t more_flags)
{
	struct stack_definition *definition = &table->definition[place];
	const struct stack_node *outer = &table->node[parent];
	uint8_t flags = (uint8_t)(definition->flags | more_flags);

	definition->node = table->node_count++;
	table->node[definition->node] = (struct stack_node){
		.address = definition->address,
		.parent = parent,
		.depth = outer->depth + 1,
		.flags = flags,
	};
}

/* The frames of a stack that have no node yet, from its innermost one outwards. */
struct climb {
	uint32_t count; /* number of entries in table->path */
	uint32_t base;  /* node of the caller of the last of them, 0: no caller */
	bool is_unknown, is_cut;
};

static struct climb stack_climb(struct stack_table *table, uint32_t place)
{
	struct climb climb = { 0 };

	while (place) {
		struct stack_definition *definition = &table->definition[place];

		if (definition->turn == table->turn) {
			climb.base = definition->node;
			climb.is_cut = !climb.base; /* a cycle: the frame is already on the path */
			break;
		}
		climb.is_unknown = !definition->is_known;
		climb.is_cut = climb.is_unknown || climb.count == STACK_DEPTH_MAX;
		if (climb.is_cut)
			break;
		definition->turn = table->turn;
		definition->node = 0;
		table->path[climb.count++] = place;
		place = definition->parent;
	}
	if (climb.base && table->node[climb.base].depth + climb.count > STACK_DEPTH_MAX) {
		climb.base = 0;
		climb.is_cut = true;
	}
	return climb;
}

enum stack_node_result stack_table_node(struct stack_table *table, uint64_t id, bool is_last,
					uint32_t *ret_node)
{
	uint32_t *slot = table->slot ? stack_table_slot_find(table, id) : NULL;
	uint32_t place = slot ? *slot : 0;
	enum stack_node_result result = STACK_FOUND;
	struct climb climb;

	*ret_node = 0;
	if (!place) {
		table->cuts += is_last;
		return STACK_UNKNOWN;
	}
	if (!table->path)
		table->path = malloc(STACK_DEPTH_MAX * sizeof(*table->path));
	if (!table->path || !nodes_reserve(table, 0))
		return STACK_FULL;
	climb = stack_climb(table, place);
	if (climb.is_unknown && !is_last)
		result = STACK_UNKNOWN;
	else if (!nodes_reserve(table, climb.count))
		result = STACK_FULL;
	if (result != STACK_FOUND) {
		for (uint32_t i = 0; i < climb.count; i++)
			table->definition[table->path[i]].turn = table->turn - 1;
		return result;
	}
	table->cuts += climb.is_cut;
	for (uint32_t i = climb.count; i-- > 0;) {
		uint32_t cut = climb.is_cut && i + 1 == climb.count ? FRAME_IS_TRUNCATED : 0;

		node_add(table, table->path[i], climb.base, cut);
		climb.base = table->definition[table->path[i]].node;
	}
	*ret_node = climb.base;
	return STACK_FOUND;
}

uint8_t *stack_table_write(const struct stack_table *table, uint8_t *at)
{
	uint64_t last = 0;

	for (uint32_t i = 1; i < table->node_count; i++)
		at = put_varint(at, i - table->node[i].parent);
	for (uint32_t i = 1; i < table->node_count; i++) {
		at = put_varint(at, zigzag((int64_t)(table->node[i].address - last)));
		last = table->node[i].address;
	}
	for (uint32_t i = 1; i < table->node_count; i++)
		at = put_varint(at, table->node[i].flags);
	return at;
}
