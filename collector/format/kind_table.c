/* SPDX-License-Identifier: MIT */
/*
 * Hash table of a frame's kinds: open addressing, at most half full. Raising the turn number clears
 * it. Knows nothing of columns.
 */
#include "collector/format/kind_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/block.h"
#include "collector/format/error.h"
#include "collector/format/layout.h"

#define SLOT_BITS_FIRST 10u
#define SLOT_BITS_MAX 17u /* twice FRAME_KINDS_MAX */
/* limit of the turn number above the id in kind.tag */
#define TURN_LIMIT (1u << (32 - KIND_TAG_BITS))

_Static_assert(EVT_ID_LIMIT <= 1u << KIND_TAG_BITS, "an id fits a tag");
_Static_assert(1u << SLOT_BITS_MAX == 2 * FRAME_KINDS_MAX, "half full at most");

int kind_table_init(struct kind_table *table)
{
	*table = (struct kind_table){ .shift = 64 - SLOT_BITS_FIRST, .turn = 1 };
	table->slot = calloc(1u << SLOT_BITS_FIRST, sizeof(*table->slot));
	table->bytes = malloc((size_t)FRAME_KINDS_MAX * KIND_BYTES_MAX);
	table->entry = malloc(FRAME_KINDS_MAX * sizeof(*table->entry));
	stack_table_reset(&table->stacks);
	if (table->slot && table->bytes && table->entry)
		return 0;
	kind_table_release(table);
	return EVT_NO_MEMORY;
}

void kind_table_release(struct kind_table *table)
{
	free(table->slot);
	free(table->bytes);
	free(table->entry);
	stack_table_release(&table->stacks);
	table->entry = NULL;
	table->slot = NULL;
	table->bytes = NULL;
}

void kind_table_reset(struct kind_table *table)
{
	table->count = 0;
	table->length = 0;
	table->last_caller = 0;
	memset(table->plain, 0, sizeof(table->plain));
	if (table->stack_count)
		stack_table_reset(&table->stacks);
	table->stack_count = table->open_count = 0;
	table->turn++;
	if (table->turn < TURN_LIMIT)
		return;
	table->turn = 1;
	memset(table->slot, 0, sizeof(*table->slot) << (64 - table->shift));
}

static struct kind *kind_table_probe(struct kind_table *table, uint32_t tag, uint64_t caller)
{
	uint32_t mask = (uint32_t)((1ull << (64 - table->shift)) - 1);
	uint32_t at = kind_table_slot(table, tag & (EVT_ID_LIMIT - 1), caller);

	for (;; at = (at + 1) & mask) {
		struct kind *kind = &table->slot[at];
		bool empty = kind->tag >> KIND_TAG_BITS != table->turn;

		if (empty || (kind->caller == caller && kind->tag == tag))
			return kind;
	}
}

/* Doubles the slots and inserts the old ones again. */
static int kind_table_grow(struct kind_table *table)
{
	size_t old_count = (size_t)1 << (64 - table->shift);
	struct kind *old = table->slot;
	struct kind *slot = calloc(old_count * 2, sizeof(*slot));

	if (!slot)
		return EVT_NO_MEMORY;
	table->slot = slot;
	memset(table->plain, 0, sizeof(table->plain));
	table->shift--;
	for (size_t i = 0; i < old_count; i++) {
		if (old[i].tag >> KIND_TAG_BITS == table->turn)
			*kind_table_probe(table, old[i].tag, old[i].caller) = old[i];
	}
	free(old);
	return 0;
}

static bool kind_has_caller(uint32_t id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];

	return event->field_count && event->field[event->field_count - 1].codec == EVT_CODEC_caller;
}

static uint8_t *kind_write_caller(struct kind_table *table, uint8_t *at, uint32_t id,
				  uint64_t caller)
{
	if (!kind_has_caller(id))
		return at;
	at = put_varint(at, zigzag((int64_t)(caller - table->last_caller)));
	table->last_caller = caller;
	return at;
}

/* Returns false if the frame has no room for the stack. */
static bool kind_find_stack(struct kind_table *table, struct kind_entry *entry)
{
	enum stack_node_result result = stack_table_node(&table->stacks, entry->stack, false,
							 &entry->node);

	if (result == STACK_FULL)
		return false;
	table->stack_count++;
	if (result == STACK_UNKNOWN) {
		entry->node = KIND_NODE_OPEN;
		table->open_count++;
	}
	return true;
}

void kind_table_settle(struct kind_table *table)
{
	for (uint32_t i = 0; table->open_count && i < table->count; i++) {
		struct kind_entry *entry = &table->entry[i];

		if (entry->node != KIND_NODE_OPEN)
			continue;
		table->open_count--;
		if (stack_table_node(&table->stacks, entry->stack, true, &entry->node) ==
		    STACK_FULL)
			table->stacks.cuts++;
	}
}

/* A kind with a stack has no caller: the stack's innermost frame is the caller. */
void kind_table_write(struct kind_table *table)
{
	bool has_nodes = stack_table_nodes(&table->stacks);
	uint8_t *at = table->bytes;
	uint32_t last = 0;

	if (!table->stack_count)
		return;
	table->last_caller = 0;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct kind_entry *entry = &table->entry[i];

		at = put_varint(at, evt_numbers[entry->id]);
		if (has_nodes)
			at = put_varint(at, stack_code(entry->node, last));
		if (entry->node)
			last = entry->node;
		else
			at = kind_write_caller(table, at, entry->id, entry->caller);
	}
	table->length = (size_t)(at - table->bytes);
}

struct kind *kind_table_add(struct kind_table *table, uint32_t id, uint64_t caller)
{
	uint32_t tag = table->turn << KIND_TAG_BITS | id;
	struct kind *kind = kind_table_probe(table, tag, caller);
	struct kind_entry entry = { .caller = caller, .id = id };
	uint8_t *at = table->bytes + table->length;

	if (kind->tag == tag)
		return kind;
	if (table->count >= FRAME_KINDS_MAX)
		return NULL;
	if (2 * (table->count + 1) > 1u << (64 - table->shift)) {
		if (kind_table_grow(table) != 0)
			return NULL;
		kind = kind_table_probe(table, tag, caller);
	}
	if (word_is_stack(caller)) {
		entry.caller = 0;
		entry.stack = caller - STACK_WORD;
		if (!kind_find_stack(table, &entry))
			return NULL;
	}
	table->entry[table->count] = entry;
	*kind = (struct kind){ .caller = caller, .number = table->count++, .tag = tag };
	at = kind_write_caller(table, put_varint(at, evt_numbers[id]), id, entry.caller);
	table->length = (size_t)(at - table->bytes);
	return kind;
}
