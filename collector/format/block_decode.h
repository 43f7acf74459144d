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
#include "collector/format/block_plan.h"
#include "collector/format/layout.h"
#include "collector/format/varints.h"

/* One entry of the frame's kind table. */
struct decoder_kind {
	uint64_t caller;
	uint64_t size; /* last one */
	uint16_t id;
	uint8_t shape;
	uint8_t words;  /* with those that follow the fields */
	uint8_t fields; /* words of these */
	uint8_t record; /* enum heap_record_kind, 0: it becomes none */
	uint8_t quick;  /* enum quick */
	bool is_sum;    /* it is added up */
	bool may_wait;  /* own_may_wait(): it is an event without words that follow the fields */
	bool is_full;   /* likewise: every word is read, or is the caller */
	uint8_t caller_word; /* PLAN_NOWHERE: it reads 0 */
};

/* Kinds that need little; heap_decode.c reads them. */
enum quick {
	QUICK_NONE,
	QUICK_BORN, /* a heap record that is no event, of one of the two shapes */
	QUICK_DIES,
	QUICK_SIZE, /* nothing but a size to be added up */
};

/* The latest births or deaths of the block. */
struct trail {
	uint32_t count;
	uint64_t last_far;
	uint64_t address[HEAP_WINDOW];
	/* Of a birth that named a death: its place in the output's words, until a death names it (with
	 * heap records: of any birth, 1 + its place among those). Of a death: not 0 until a birth
	 * names it. */
	uint32_t open[HEAP_WINDOW];
};

/* A byte of what has to be known of each record. */
#define CLASS_NOTHING 0u /* no kind; so that memory which was never touched means it */
#define CLASS_READ 0x80u /* something of it is read */
#define CLASS_UNITS \
	0x40u            /* an event of the heap, whose time is in units where the block has such */
#define CLASS_MANY 0x3fu /* stands for all event ids from the so many-th on */
#define KINDS_STRIDE 16u /* records looked at together */
#define KINDS_STRIDE_WIDE 64u
_Static_assert(BLOCK_RECORDS_MAX <= UINT16_MAX && BLOCK_RECORDS_MAX % KINDS_STRIDE_WIDE == 0,
	       "decoder.visited holds every record, decoder.class whole groups of them");

#define OWN_ROWS 64u /* what they take together stays in the nearest cache */

/* Events of one id whose values are still to be read; see own_decode.h. */
struct own_rows {
	uint32_t count;
	uint64_t *words[OWN_ROWS];
};

struct decoder {
	const struct event_plans *plans; /* of the present frame's reader; borrowed */
	const struct event_plan *plan;   /* those of the present frame, by id */
	const bool *reads_shared;        /* columns, likewise */
	struct varint_lanes lanes;
	bool has_wide_kinds; /* kinds_wide_is_usable() */

	struct decoder_kind kind[FRAME_KINDS_MAX];
	/* CLASS_READ, CLASS_UNITS and the number of its event id in class_id; CLASS_NOTHING from kind_count on */
	uint8_t class_of[FRAME_KINDS_MAX];
	uint32_t kind_count;
	uint16_t class_id[CLASS_MANY];
	uint32_t class_count; /* CLASS_MANY: there may be more */

	/* the block */
	uint32_t stream;
	uint32_t count; /* records */
	uint32_t used_count;
	uint16_t used[COLUMN_LIMIT]; /* keys of columns that the block has and that are read */
	struct cursor column[COLUMN_LIMIT];
	uint64_t last_address[COLUMN_LIMIT];
	struct varints numbers, shared[COLUMN_SHARED];
	uint8_t class[BLOCK_RECORDS_MAX] __attribute__((aligned(KINDS_STRIDE)));
	/* records that something is read of, and how many up to there have a time in units */
	uint16_t visited[BLOCK_RECORDS_MAX + KINDS_STRIDE],
		visited_heap[BLOCK_RECORDS_MAX + KINDS_STRIDE];
	uint32_t heap_records; /* that have a time in units */
	uint32_t visited_count;
	uint32_t records_of[EVT_ID_LIMIT];
	bool number_failed; /* a kind beyond all that a frame may have */
	struct trail births;
	struct trail deaths;
	struct own_rows own[EVT_ID_LIMIT];
};

/* `d` is zeroed. */
void decoder_init(struct decoder *d);
/* The first `count` kinds mean nothing any more; there are none until kind_count says so. */
void decoder_forget_kinds(struct decoder *d, uint32_t count);
void decoder_release(struct decoder *d);

/* What the events of the block take. */
struct decoder_needs {
	uint32_t events;
	uint64_t words;
	uint32_t heap; /* struct heap_record */
	bool passes;   /* some records do not become events */
};

/* Reads the kinds of the block. */
int decoder_read_kinds(struct decoder *d, struct decoder_needs *ret_needs);

/* Where the events go: room for what decoder_read_kinds() said. */
struct decoder_output {
	struct event *event;
	uint64_t *words;
	struct block_sum *sum; /* NULL: not wanted */
	struct heap_record *heap;
	uint32_t *heap_before; /* NULL: no heap records are wanted */
	uint64_t first_ns, last_ns;
};

int decoder_read_values(struct decoder *d, struct decoder_output *output);

/* `length` bytes, 1 to 8, as a number. */
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
