/* SPDX-License-Identifier: MIT */
/*
 * Stacks on their way into a file: the meanings of ids, for the life of the writer, and the nodes
 * of the frame that is being written. A node is a stack frame that something in this frame of the
 * file needs. Its callers have smaller numbers, so that each frame of the file can be read alone.
 *
 * No definition is trusted: the first definition of an id counts, and cycles and stacks deeper than
 * STACK_DEPTH_MAX are cut. Memory: at most `limit` definitions of 32 bytes, none before the first.
 * One thread.
 *
 * A run of several hours has more stacks than there is room for. So definitions have an age.
 * stack_table_age() begins the next age, the programs are asked to define again what they use, and
 * stack_table_forget() drops what they have not defined since.
 */
#ifndef COLLECTOR_FORMAT_STACK_TABLE_H
#define COLLECTOR_FORMAT_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/arch/arch.h"
#include "collector/format/codec.h"

/*
 * The caller word of a record with a stack: this bit and the stack's id below it, which is no
 * address of a program.
 */
#define STACK_ID_BITS 47u
#define STACK_WORD (1ull << ARCH_ADDRESS_BITS)

static inline bool word_is_stack(uint64_t word)
{
	return word >> ARCH_ADDRESS_BITS == 1;
}

#define STACK_DEFINITIONS_MAX (4u << 20)
#define STACK_DEPTH_MAX 32768u     /* frames per stack in a file */
#define FRAME_NODES_MAX (1u << 18) /* per frame of the file */
#define STACK_NODE_BYTES_MAX (3 + CODEC_VARINT_MAX + 2)

struct stack_definition {
	uint64_t id, address;
	uint32_t parent; /* index of the caller, 0: no caller */
	uint32_t turn;   /* the frame of the file in which it has a node */
	uint32_t node;
	uint8_t flags;
	bool is_known; /* false: so far only mentioned as a parent */
	uint8_t age;   /* age of its last definition */
};

struct stack_node {
	uint64_t address;
	uint32_t parent; /* number of the caller, 0: no caller */
	uint32_t depth;
	uint8_t flags;
};

struct stack_table {
	struct stack_definition *definition; /* indices begin at 1 */
	uint32_t count, room;
	uint32_t limit;   /* maximum number of definitions, 0: STACK_DEFINITIONS_MAX */
	uint32_t refused; /* definitions of this age that found no room */
	uint8_t age;
	uint32_t last;  /* index of the last definition */
	uint32_t *slot; /* indices of definitions by hash of the id, 0: free */
	uint32_t slot_bits;
	uint32_t turn;
	struct stack_node *node; /* of the frame of the file; indices begin at 1 */
	uint32_t node_count, node_room;
	uint32_t *path;   /* memory for climbing a stack */
	uint64_t clashes; /* refused definitions; the code that reads the count resets it to 0 */
	uint64_t cuts;    /* stacks with unknown frames, counted in the same way */
};

enum stack_node_result {
	STACK_FOUND,
	STACK_UNKNOWN, /* a frame is not defined */
	STACK_FULL,    /* the frame of the file has no room for it, or there is no memory */
};

/* A table of zeros is empty. */
void stack_table_release(struct stack_table *table);
/* Begins the next frame's nodes. */
void stack_table_reset(struct stack_table *table);

/* `id` and `parent` are below STACK_WORD; `parent` is 0 for an outermost frame. */
void stack_table_define(struct stack_table *table, uint64_t id, uint64_t parent, uint64_t address,
			uint32_t flags);

/* Begins the next age. */
void stack_table_age(struct stack_table *table);
/*
 * Call between two frames of the file: drops the definitions that were not made in this age, except
 * callers of those that were. Returns how many are left.
 */
uint32_t stack_table_forget(struct stack_table *table);

static inline uint32_t stack_table_count(const struct stack_table *table)
{
	return table->count ? table->count - 1 : 0;
}

/*
 * Returns the node of a stack in the present frame of the file, made if it is new. `is_last`: what
 * is not defined by now will never be. Then the known part of the stack becomes nodes, with the
 * outermost marked as truncated; 0 if there is no known part. Such cuts are counted.
 */
enum stack_node_result stack_table_node(struct stack_table *table, uint64_t id, bool is_last,
					uint32_t *ret_node);

static inline uint32_t stack_table_nodes(const struct stack_table *table)
{
	return table->node_count ? table->node_count - 1 : 0;
}

/*
 * Writes the nodes in the form of the file: at most STACK_NODE_BYTES_MAX per node. Returns the next
 * free byte.
 */
uint8_t *stack_table_write(const struct stack_table *table, uint8_t *at);

#endif
