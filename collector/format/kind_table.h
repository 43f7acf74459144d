/* SPDX-License-Identifier: MIT */
/*
 * The kinds of a frame while it is written: pairs of event id and caller, numbered in the order in
 * which they appear, so that frequent ones get short numbers. Grows to FRAME_KINDS_MAX. The caller
 * may be a stack (word_is_stack()), also for events without a field for a caller.
 */
#ifndef COLLECTOR_FORMAT_KIND_TABLE_H
#define COLLECTOR_FORMAT_KIND_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "collector/format/stack_table.h"

struct kind {
	uint64_t caller;
	uint64_t size; /* the last size, for the size codec */
	uint32_t number;
	uint32_t tag; /* turn and event id; slots of another turn are empty */
	/* for the code that puts records: whose caller it was last, 0 while it is new */
	uint32_t owner;
};

/* A kind, by its number. */
struct kind_entry {
	uint64_t caller; /* of a stack: used instead if the stack turns out to be unknown */
	uint64_t stack;  /* id of the stack, 0: none */
	uint32_t node;   /* node of the stack; KIND_NODE_OPEN: not completely defined yet */
	uint32_t id;
};
#define KIND_NODE_OPEN UINT32_MAX
#define KIND_BYTES_MAX (3 + CODEC_VARINT_MAX + 3) /* length in the file */
#define KIND_TAG_BITS 8u                          /* bits of the event id */

struct kind_table {
	struct kind *slot;
	struct kind *plain[EVT_ID_LIMIT]; /* the kinds without a caller, once they have been used */
	uint32_t shift;                   /* 64 - log2(slots) */
	uint32_t turn;                    /* counts the frames */
	uint32_t count;
	uint64_t last_caller; /* for the difference in the table's bytes */
	/* the table in the form of the file; with stacks, only after kind_table_write() */
	uint8_t *bytes;
	size_t length;
	struct kind_entry *entry;
	struct stack_table stacks;
	uint32_t stack_count; /* kinds with a stack */
	uint32_t open_count;  /* those of them whose node is open */
};

int kind_table_init(struct kind_table *table);
void kind_table_release(struct kind_table *table);
/* Begins an empty table for the next frame. */
void kind_table_reset(struct kind_table *table);
/* Stacks that are not defined by now will never be. */
void kind_table_settle(struct kind_table *table);
/* Writes `bytes` again if there are stacks, which must be settled. */
void kind_table_write(struct kind_table *table);
/* The slow path of kind_table_find(). */
struct kind *kind_table_add(struct kind_table *table, uint32_t id, uint64_t caller);

static inline uint32_t kind_table_slot(const struct kind_table *table, uint32_t id, uint64_t caller)
{
	return (uint32_t)(((caller + id) * 0x9e3779b97f4a7c15ull) >> table->shift);
}

/*
 * Returns the kind, added if it is new; NULL if the table is full or there is no memory. It moves
 * with the next addition.
 */
static inline struct kind *kind_table_find(struct kind_table *table, uint32_t id, uint64_t caller)
{
	struct kind *kind = &table->slot[kind_table_slot(table, id, caller)];

	if (__builtin_expect(
		    kind->caller == caller && kind->tag == (table->turn << KIND_TAG_BITS | id), 1))
		return kind;
	return kind_table_add(table, id, caller);
}

/* The same for an event without a caller. */
static inline struct kind *kind_table_find_plain(struct kind_table *table, uint32_t id)
{
	if (__builtin_expect(!table->plain[id], 0))
		table->plain[id] = kind_table_find(table, id, 0);
	return table->plain[id];
}

#endif
