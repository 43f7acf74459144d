/* SPDX-License-Identifier: MIT */
/*
 * The id that the innermost frame had at an instruction, under the same callers. It helps programs
 * that allocate in turn from a few lines of one function. A thread has a few entries; an evicted
 * one is computed again. If a signal handler interrupts a read or a write, the halves of two
 * entries have a wrong checksum.
 */
#ifndef PRELOAD_PYFRAMES_LEAF_H
#define PRELOAD_PYFRAMES_LEAF_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/record.h"
#include "preload/stacks/thread.h"

static inline uint64_t leaf_turn(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline uint64_t leaf_sum(const struct stack_python_leaf *leaf, uint64_t epoch)
{
	return leaf->code ^ leaf_turn(leaf->instruction, 11) ^ leaf_turn(leaf->outer, 23) ^
	       leaf_turn(leaf->word, 31) ^ leaf_turn(leaf->id, 41) ^ leaf_turn(leaf->path, 53) ^
	       ~epoch;
}

static inline struct stack_python_leaf *leaf_place(struct stack_python *t, uint64_t instruction)
{
	return &t->leaf[(instruction >> 1 ^ instruction >> 6) % STACK_PYTHON_LEAVES];
}

/* `outer` is the path of the caller's frame. */
static inline void leaf_keep(struct stack_python *t, const struct stack_python_frame *f,
			     uint64_t outer, uint64_t epoch)
{
	struct stack_python_leaf leaf = {
		f->code, f->instruction, outer, f->word, f->id, f->path, 0
	};

	leaf.sum = leaf_sum(&leaf, epoch);
	*leaf_place(t, f->instruction) = leaf;
}

/* If it returns true, *ret_leaf is what `f` would be at the instruction, in this epoch. */
static inline bool leaf_find(struct stack_python *t, const struct stack_python_frame *f,
			     uint64_t outer, uint64_t instruction, uint64_t epoch,
			     struct stack_python_leaf *ret_leaf)
{
	*ret_leaf = *leaf_place(t, instruction);
	return ret_leaf->code == f->code && ret_leaf->instruction == instruction &&
	       ret_leaf->outer == outer && ret_leaf->id &&
	       !((ret_leaf->word ^ f->word) >> RECORD_FRAME_SHIFT) &&
	       ret_leaf->sum == leaf_sum(ret_leaf, epoch);
}

#endif
