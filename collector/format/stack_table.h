/* SPDX-License-Identifier: MIT */
/*
 * Stacks on their way into a file: what ids mean, for the life of the writer, and the nodes of the frame that is being
 * written. A node is a stack's frame that something in this frame of the file needs; those that called it have smaller
 * numbers, so that each frame can be read alone.
 *
 * Trusts no definition: an id that was said to be something else before stays what it was, circles and stacks deeper than
 * STACK_DEPTH_MAX are cut. Memory: at most `limit` definitions of 32 bytes, none before the first. One thread.
 *
 * A run of hours has more stacks than there is room for. So definitions have an age: stack_table_age() begins the next
 * one, the programs are asked to define anew what they use, and stack_table_forget() drops what they have not.
 */
#ifndef COLLECTOR_FORMAT_STACK_TABLE_H
#define COLLECTOR_FORMAT_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/codec.h"

/* The caller of a record that has a stack instead: this bit and the stack's id below it, no address of a program. */
#define STACK_ID_BITS 47u
#define STACK_WORD (1ull << STACK_ID_BITS)

static inline bool word_is_stack(uint64_t word)
{
	return word >> STACK_ID_BITS == 1;
}

#define STACK_DEFINITIONS_MAX (4u << 20)
#define STACK_DEPTH_MAX 32768u     /* frames of one stack in a file */
#define FRAME_NODES_MAX (1u << 18) /* of one frame */
#define STACK_NODE_BYTES_MAX (3 + CODEC_VARINT_MAX + 2)

struct stack_definition {
	uint64_t id, address;
	uint32_t parent; /* place of another, 0: nobody called it */
	uint32_t turn;   /* frame of the file that it has a node in */
	uint32_t node;
	uint8_t flags;
	bool is_known; /* else only somebody's parent so far */
	uint8_t age;   /* that it was defined in, last */
};

struct stack_node {
	uint64_t address;
	uint32_t parent; /* number of another, 0: nobody */
	uint32_t depth;
	uint8_t flags;
};

struct stack_table {
	struct stack_definition *definition; /* from 1 on */
	uint32_t count, room;
	uint32_t limit;   /* of definitions, 0: STACK_DEFINITIONS_MAX */
	uint32_t refused; /* that found no room, in this age */
	uint8_t age;
	uint32_t last;  /* place of what was defined last */
	uint32_t *slot; /* places of definitions by hash of the id, 0 free */
	uint32_t slot_bits;
	uint32_t turn;
	struct stack_node *node; /* of the frame, from 1 on */
	uint32_t node_count, node_room;
	uint32_t *path; /* where a stack is climbed */
	uint64_t
		clashes; /* definitions that were not taken, since whoever counts them set it to 0 */
	uint64_t cuts;   /* stacks of which not all frames are known, likewise */
};

enum stack_node_result {
	STACK_FOUND,
	STACK_UNKNOWN, /* a frame is not defined */
	STACK_FULL,    /* the frame of the file has no room for it, or there is no memory */
};

/* Empty when it is all zeros. */
void stack_table_release(struct stack_table *table);
/* Begins the next frame's nodes. */
void stack_table_reset(struct stack_table *table);

/* `id` and `parent` are below STACK_WORD, `parent` 0 for an outermost frame. */
void stack_table_define(struct stack_table *table, uint64_t id, uint64_t parent, uint64_t address,
			uint32_t flags);

/* Begins the next age. */
void stack_table_age(struct stack_table *table);
/*
 * Between two frames of the file: drops the definitions that were not made in this age, but for those that called one
 * that was. How many are left.
 */
uint32_t stack_table_forget(struct stack_table *table);

static inline uint32_t stack_table_count(const struct stack_table *table)
{
	return table->count ? table->count - 1 : 0;
}

/*
 * The node of a stack in the present frame, made when it is new. `is_last`: what is not known by now will never be: what
 * is known of the stack is made nodes, the outermost marked as truncated; 0 when that is nothing. The cuts are counted.
 */
enum stack_node_result stack_table_node(struct stack_table *table, uint64_t id, bool is_last,
					uint32_t *ret_node);

static inline uint32_t stack_table_nodes(const struct stack_table *table)
{
	return table->node_count ? table->node_count - 1 : 0;
}

/* The nodes as the file has them: STACK_NODE_BYTES_MAX a node at most. Returns the next free byte. */
uint8_t *stack_table_write(const struct stack_table *table, uint8_t *at);

#endif
