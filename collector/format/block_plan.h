/* SPDX-License-Identifier: MIT */
/*
 * How each event of a file is decoded: which of its columns are read, in which order, and where
 * their values go. Made from the file's schema and from what is wanted. Private to the reader of
 * blocks.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_PLAN_H
#define COLLECTOR_FORMAT_BLOCK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/layout.h"

enum plan_shape {
	PLAN_NONE = 0, /* the schema has no such event */
	PLAN_PASS,     /* nothing of it is read */
	PLAN_WALK,     /* no event, but its values in shared columns must be skipped */
	PLAN_SUM,      /* as PLAN_WALK, and its sizes are added up */
	PLAN_BORN,     /* words are born, size, caller; the hot forms have code of their own */
	PLAN_DIES,     /* one word, dies */
	PLAN_GENERIC,
};

#define PLAN_NOWHERE UINT8_MAX /* plan_step.word: the value is not kept */

/* The fields of an event that are read, in the order of the file. */
struct event_plan {
	uint8_t shape; /* enum plan_shape */
	uint8_t words;
	uint8_t extra; /* words after the fields: event_is_brief() */
	uint8_t steps;
	uint8_t values; /* minimum number of column bytes per record */
	bool is_system;
	/* has a born, dies or block field: its time is in units if the block has units */
	bool is_heap;
	bool is_record;      /* becomes a struct heap_record; all of it is read */
	bool has_caller;     /* according to the kind table */
	uint8_t caller_word; /* PLAN_NOWHERE: the caller reads as 0 */
	uint8_t caller_field;
	uint8_t births, deaths, sizes; /* number of values per record in the shared columns */
	struct plan_step {
		uint8_t codec;
		uint8_t word;
		uint8_t field; /* its index in events.def */
		uint16_t column;
	} step[EVT_FIELDS_MAX];
};

struct event_plans {
	struct event_plan full[EVT_ID_LIMIT];
	struct event_plan wanted[EVT_ID_LIMIT];
	struct event_plan exact[EVT_ID_LIMIT]; /* for frames that contain an event of is_exact */
	bool is_exact[EVT_ID_LIMIT];
	uint32_t id_limit; /* the file has no event of this id or a greater one */
	uint16_t block_number[EVT_ID_LIMIT -
			      EVT_ID_BLOCKS]; /* for ids from EVT_ID_BLOCKS on, 0: none */
	bool wanted_shared[COLUMN_SHARED], exact_shared[COLUMN_SHARED]; /* columns that are read */
	/* some sizes are added up */
	bool sums;
	bool records; /* frame_wants.heap */
	bool stacks;  /* frame_wants.stacks */
	/* some caller or stack is wanted, so the stack table is read */
	bool callers;
};

void event_plans_init(struct event_plans *plans, const struct schema *schema);
/* NULL: everything. */
void event_plans_want(struct event_plans *plans, const struct frame_wants *wants);

/* The slow path of event_plans_find(). */
uint32_t event_plans_find_block(const struct event_plans *plans, uint64_t number);

/*
 * Returns the id of an event by its number in the file. 0: the schema has no event with this number
 * in a block. Other numbers are not checked.
 */
static inline uint32_t event_plans_find(const struct event_plans *plans, uint64_t number)
{
	return number < EVT_ID_BLOCKS ? (uint32_t)number : event_plans_find_block(plans, number);
}

static inline bool plan_makes_event(uint8_t shape)
{
	return shape >= PLAN_BORN;
}

#endif
