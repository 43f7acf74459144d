/* SPDX-License-Identifier: MIT */
/*
 * The values of one block: columns in, struct event out. Takes a block whose directory has been
 * parsed; every value is checked here. Private to the reader of blocks.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_DECODE_H
#define COLLECTOR_FORMAT_BLOCK_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/layout.h"

enum plan_shape {
	PLAN_NONE = 0, /* the schema has no such event */
	PLAN_BORN,     /* words are born, size, caller: the hot ones have code of their own */
	PLAN_DIES,     /* one word, dies */
	PLAN_GENERIC,
};

/* How an event is decoded, from the file's schema: its fields in the order of the file. */
struct event_plan {
	uint8_t shape; /* enum plan_shape */
	uint8_t words;
	uint8_t steps;
	uint8_t values; /* least number of column bytes of a record */
	bool has_caller;
	uint8_t caller_word;
	struct plan_step {
		uint8_t codec;
		uint8_t word;
		uint16_t column;
	} step[EVT_FIELDS_MAX];
};

/* One entry of the frame's kind table. */
struct decoder_kind {
	uint64_t caller;
	uint64_t size; /* last one */
	uint16_t id;
	uint8_t shape;
	uint8_t words;
	uint8_t values;
};

/* The latest births or deaths of the block. */
struct trail {
	uint32_t count;
	uint64_t last_far;
	uint64_t address[HEAP_WINDOW];
};

struct decoder {
	struct event_plan plan[EVT_ID_LIMIT];
	struct decoder_kind kind[FRAME_KINDS_MAX];
	uint32_t kind_count;

	/* the block */
	uint32_t stream;
	uint32_t count;
	uint32_t used_count;
	uint16_t used[COLUMN_LIMIT]; /* keys of columns that the block has and the schema knows */
	struct cursor column[COLUMN_LIMIT];
	uint64_t last_address[COLUMN_LIMIT];
	uint16_t number[BLOCK_RECORDS_MAX]; /* kind of each record */
	struct trail births;
	struct trail deaths;
};

void decoder_make_plans(struct decoder *d, const struct schema *schema);

/* Reads the kinds of the block and says how many words its events take. */
int decoder_read_kinds(struct decoder *d, uint64_t *ret_words);
/* Fills `event` (count of them) and `words`. */
int decoder_read_values(struct decoder *d, struct event *event, uint64_t *words);

#endif
