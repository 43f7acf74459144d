/* SPDX-License-Identifier: MIT */
/*
 * Numbers by what they stand for: open addressing with linear probing. What a number stands for is in an array of the owner,
 * which is compared, never believed of a hash. Nothing is taken out. Numbers begin at 1; 0 is an empty slot.
 */
#ifndef REPORT_BASE_SLOTS_H
#define REPORT_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slots {
	uint32_t *slot; /* NULL: nothing was put in */
	size_t count;   /* a power of two */
	size_t used;
};

/* Does the owner's number stand for `wanted`? */
typedef bool slots_is_fn(const void *owner, uint32_t number, const void *wanted);

/*
 * Where `wanted` stands, or where it would. Not of slots that have none. Inlined with `is`, as it is in the middle of what
 * reads stacks.
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

/* Before one is put in: then slots_expand(), and the owner puts in again all that it has. */
static inline bool slots_are_full(const struct slots *slots)
{
	return slots->used >= slots->count / 2;
}

/* Twice as many, and empty, but that `used` is as it was. */
void slots_expand(struct slots *slots);
void slots_release(struct slots *slots);

#endif
