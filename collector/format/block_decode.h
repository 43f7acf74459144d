/* SPDX-License-Identifier: MIT */
/*
 * The values of one block: columns in, struct event out. Takes a block whose directory has been
 * parsed, and checks every value. Private to the reader of blocks.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_DECODE_H
#define COLLECTOR_FORMAT_BLOCK_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/block_plan.h"
#include "collector/format/layout.h"
#include "collector/format/varints.h"

/* One entry of the frame's kind table. */
struct decoder_kind {
	uint64_t caller;
	uint64_t size; /* the last size */
	uint16_t id;
	uint8_t shape;
	uint8_t words;       /* including the words after the fields */
	uint8_t fields;      /* words of the fields alone */
	uint8_t record;      /* enum heap_record_kind, 0: becomes no heap record */
	uint8_t quick;       /* enum quick */
	bool is_sum;         /* its sizes are added up */
	bool may_wait;       /* own_may_wait(): it is an event without words after the fields */
	bool is_full;        /* also: every word is read, or is the caller */
	uint8_t caller_word; /* PLAN_NOWHERE: the caller reads as 0 */
};

/* Kinds with little to read; heap_decode.c handles them. */
enum quick {
	QUICK_NONE,
	QUICK_BORN, /* a heap record that is no event, in one of two forms */
	QUICK_DIES,
	QUICK_SIZE, /* only a size that is added up */
};

/* The latest births or deaths of the block. */
struct trail {
	uint32_t count;
	uint64_t last_far;
	uint64_t address[HEAP_WINDOW];
	/*
	 * For a birth that named a death: its index in the output's words, until a death names it
	 * (with heap records: for any birth, 1 + its index among those). For a death: not 0 until a
	 * birth names it.
	 */
	uint32_t open[HEAP_WINDOW];
};

/* What must be known of each record, in one byte. */
#define CLASS_NOTHING 0u  /* no kind; 0, so that untouched memory means the same */
#define CLASS_READ 0x80u  /* something of the record is read */
#define CLASS_UNITS 0x40u /* an event of the heap, whose time is in units if the block has units */
#define CLASS_MANY 0x3fu  /* stands for all event ids after the first so many */
#define KINDS_STRIDE 16u  /* records examined together */
#define KINDS_STRIDE_WIDE 64u
_Static_assert(BLOCK_RECORDS_MAX <= UINT16_MAX && BLOCK_RECORDS_MAX % KINDS_STRIDE_WIDE == 0,
	       "decoder.visited holds every record, decoder.class whole groups of them");

#define OWN_ROWS 64u /* small enough to stay in the nearest cache */

/* Events of one id whose values are still to be read; see own_decode.h. */
struct own_rows {
	uint32_t count;
	uint64_t *words[OWN_ROWS];
};

struct decoder {
	const struct event_plans *plans; /* of the present frame's reader; borrowed */
	const struct event_plan *plan;   /* plans of the present frame, by id */
	/* whether each shared column is read, also of the present frame */
	const bool *reads_shared;
	struct varint_lanes lanes;
	bool has_wide_kinds; /* kinds_wide_is_usable() */

	struct decoder_kind kind[FRAME_KINDS_MAX];
	/*
	 * CLASS_READ, CLASS_UNITS and the index of its event id in class_id. CLASS_NOTHING from
	 * kind_count on.
	 */
	uint8_t class_of[FRAME_KINDS_MAX];
	uint32_t kind_count;
	uint16_t class_id[CLASS_MANY];
	uint32_t class_count; /* CLASS_MANY: there may be more */

	/* the present block */
	uint32_t stream;
	uint32_t count; /* records */
	uint32_t used_count;
	uint16_t used[COLUMN_LIMIT]; /* keys of the block's columns that are read */
	struct cursor column[COLUMN_LIMIT];
	uint64_t last_address[COLUMN_LIMIT];
	struct varints numbers, shared[COLUMN_SHARED];
	uint8_t class[BLOCK_RECORDS_MAX] __attribute__((aligned(KINDS_STRIDE)));
	/*
	 * records of which something is read, and how many records up to each have a time in units
	 */
	uint16_t visited[BLOCK_RECORDS_MAX + KINDS_STRIDE],
		visited_heap[BLOCK_RECORDS_MAX + KINDS_STRIDE];
	uint32_t heap_records; /* records with a time in units */
	uint32_t visited_count;
	uint32_t records_of[EVT_ID_LIMIT];
	bool number_failed; /* a kind number above the limit of a frame */
	struct trail births;
	struct trail deaths;
	struct own_rows own[EVT_ID_LIMIT];
};

/* `d` must be zeroed. */
void decoder_init(struct decoder *d);
/* Marks the first `count` kinds as invalid. No kind is valid until kind_count is set. */
void decoder_forget_kinds(struct decoder *d, uint32_t count);
void decoder_release(struct decoder *d);

/* The memory that the events of the block need. */
struct decoder_needs {
	uint32_t events;
	uint64_t words;
	uint32_t heap; /* number of struct heap_record */
	bool passes;   /* some records do not become events */
};

/* Reads the kinds of the block. */
int decoder_read_kinds(struct decoder *d, struct decoder_needs *ret_needs);

/* Where the events go, with room for what decoder_read_kinds() reported. */
struct decoder_output {
	struct event *event;
	uint64_t *words;
	struct block_sum *sum; /* NULL: not wanted */
	struct heap_record *heap;
	uint32_t *heap_before; /* NULL: no heap records are wanted */
	uint64_t first_ns, last_ns;
};

int decoder_read_values(struct decoder *d, struct decoder_output *output);

/* Reads `length` bytes, 1 to 8, as a number. */
static inline uint64_t get_far(struct cursor *c, uint64_t length)
{
	uint64_t value = 0;

	if (__builtin_expect(cursor_left(c) >= sizeof(value), 1)) {
		memcpy(&value, c->at, sizeof(value));
		c->at += length;
		return value & (UINT64_MAX >> (64 - 8 * length));
	}
	if (length > cursor_left(c)) {
		c->failed = true;
		return 0;
	}
	memcpy(&value, c->at, length);
	c->at += length;
	return value;
}

#endif
