/* SPDX-License-Identifier: MIT */
/*
 * A hash table of numbers: open addressing with linear probing. What a number stands for is in an
 * array of the owner and is always compared, because hashes may collide. Nothing is ever removed.
 * Numbers begin at 1; 0 is an empty slot.
 */
#ifndef REPORT_BASE_SLOTS_H
#define REPORT_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slots {
	uint32_t *slot; /* NULL: nothing was inserted */
	size_t count;   /* a power of two */
	size_t used;
};

/* True if the owner's number stands for `wanted`. */
typedef bool slots_is_fn(const void *owner, uint32_t number, const void *wanted);

/*
 * Returns the slot of `wanted`, or the slot where it belongs. Not for a table without slots.
 * Inlined with `is`, because it is in the inner loop of reading stacks.
 */
static inline __attribute__((always_inline)) uint32_t *slots_find(const struct slots *slots,
								  uint64_t hash, slots_is_fn *is,
								  const void *owner,
								  const void *wanted)
{
	size_t mask = slots->count - 1, at = hash & mask;

	while (slots->slot[at] && !is(owner, slots->slot[at], wanted))
		at = (at + 1) & mask;
	return &slots->slot[at];
}

/* Check before inserting: if true, call slots_expand() and insert all numbers again. */
static inline bool slots_are_full(const struct slots *slots)
{
	return slots->used >= slots->count / 2;
}

/* Doubles the number of slots and empties them; `used` stays as it was. */
void slots_expand(struct slots *slots);
void slots_release(struct slots *slots);

#endif
