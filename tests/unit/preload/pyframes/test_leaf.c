/* SPDX-License-Identifier: MIT */
/* links: */
/*
 * preload/pyframes/leaf.h: what was kept is found for that frame only, and halves of two entries
 * never.
 */
#include "tests/unit/unit.h"
#include "preload/pyframes/leaf.h"

#define OUTER 77u
#define EPOCH 5u

static struct stack_python thread;

static const struct stack_python_frame first = { .frame = 4096,
						 .code = 1000,
						 .instruction = 64,
						 .id = 11,
						 .path = 21,
						 .word = 31 };

static bool is_found(const struct stack_python_frame *f, uint64_t outer, uint64_t instruction,
		     uint64_t epoch)
{
	struct stack_python_leaf leaf;

	if (!leaf_find(&thread, f, outer, instruction, epoch, &leaf))
		return false;
	assert_int_equal(leaf.id, 11);
	assert_int_equal(leaf.path, 21);
	assert_int_equal(leaf.word, 31);
	return true;
}

TEST(its_own_only)
{
	struct stack_python_frame f = first;

	memset(&thread, 0, sizeof(thread));
	assert_false(is_found(&f, OUTER, 64, EPOCH));
	leaf_keep(&thread, &first, OUTER, EPOCH);
	f.instruction = 66; /* where it stood when the other line was reached */
	assert_true(is_found(&f, OUTER, 64, EPOCH));
	assert_false(is_found(&f, OUTER, 66, EPOCH));
	assert_false(is_found(&f, OUTER + 1, 64, EPOCH));
	assert_false(is_found(&f, OUTER, 64, EPOCH + 1));
	f.code++;
	assert_false(is_found(&f, OUTER, 64, EPOCH));
	f.code--;
	f.word |= 1ull << RECORD_FRAME_SHIFT;
	assert_false(is_found(&f, OUTER, 64, EPOCH));
}

/* Another instruction of the same place: the later one is found, the earlier one is not. */
TEST(the_later_one_stays)
{
	struct stack_python_frame other = first;
	struct stack_python_leaf leaf;

	memset(&thread, 0, sizeof(thread));
	leaf_keep(&thread, &first, OUTER, EPOCH);
	for (other.instruction = 66;
	     leaf_place(&thread, other.instruction) != leaf_place(&thread, first.instruction);
	     other.instruction += 2)
		;
	other.id = 12;
	leaf_keep(&thread, &other, OUTER, EPOCH);
	assert_false(is_found(&first, OUTER, first.instruction, EPOCH));
	assert_true(leaf_find(&thread, &first, OUTER, other.instruction, EPOCH, &leaf));
	assert_int_equal(leaf.id, 12);
}

/* A signal handler's entry, of which the interrupted one overwrites the rest. */
TEST(halves_are_nothing)
{
	struct stack_python_frame other = first;
	struct stack_python_leaf mine, *at;
	struct stack_python_leaf leaf;

	other.word = 32;
	other.id = 12;
	other.path = 22;
	for (size_t word = 1; word < sizeof(mine) / sizeof(uint64_t); word++) {
		memset(&thread, 0, sizeof(thread));
		leaf_keep(&thread, &first, OUTER, EPOCH);
		at = leaf_place(&thread, first.instruction);
		mine = *at;
		leaf_keep(&thread, &other, OUTER, EPOCH);
		memcpy((uint64_t *)at + word, (uint64_t *)&mine + word,
		       sizeof(mine) - word * sizeof(uint64_t));
		if (memcmp(at, &mine, sizeof(mine)) != 0)
			assert_false(leaf_find(&thread, &first, OUTER, 64, EPOCH, &leaf));
	}
}
