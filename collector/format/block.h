/* SPDX-License-Identifier: MIT */
/*
 * Blocks: the records of one stream in columns, and the frames that contain them (uncompressed; the
 * collector compresses, the reader decompresses). docs/FORMAT.md describes the bytes.
 *
 * A record is a kind, a time and fields. A kind is an event, or an event with a caller or a stack.
 * The kind table of each frame numbers its kinds from 0, so that a frame can be read without any
 * other.
 *
 * Not thread-safe: a writer or a reader belongs to one thread. Errors: enum evt_error.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_H
#define COLLECTOR_FORMAT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/codec.h"
#include "collector/format/events.h"

#define BLOCK_RECORDS_MAX 32768u      /* per block */
#define FRAME_BYTES_MAX (16u << 20)   /* per frame, uncompressed */
#define FRAME_BYTES_FULL (384u << 10) /* a writer closes a frame that has reached this size */
#define FRAME_KINDS_MAX 65536u        /* pairs of event and caller per frame */
#define FRAME_TAG_DATA 0x41544144u    /* "DATA" */
#define FRAME_TAG_STATE 0x54415453u   /* "STAT": the state at the beginning of a segment */
#define FRAME_TAG_SCHEMA 0x4d484353u  /* "SCHM" */
#define FRAME_HEADER_BYTES 64u
#define FRAME_HEADER_STACKS_BYTES 72u /* for a frame with stacks */

struct frame_info {
	uint64_t sequence; /* 1, 2, 3, ...: a gap is a lost frame */
	/* every record up to this time is in this frame or in an earlier one */
	uint64_t watermark_ns;
	uint64_t sync_tsc; /* one moment on three clocks */
	uint64_t sync_mono_ns;
	uint64_t sync_real_ns;
	uint64_t records; /* in all blocks */
};

/* --- writing (collector) --- */

struct frame_writer; /* a frame under construction, its scratch columns, its kind table */

/*
 * Returns NULL if there is no memory. All memory it ever needs is allocated here or grows up to a
 * bound.
 */
struct frame_writer *frame_writer_new(void);
void frame_writer_free(struct frame_writer *fw);

/* Begins the next block of the frame. The blocks of one stream follow each other in time. */
void frame_begin_block(struct frame_writer *fw, uint32_t stream);
/* Returns how many records can still be put into the open block; 0: it must be ended. */
size_t frame_block_room(const struct frame_writer *fw);
/* Ends the block. An empty block leaves no bytes. */
int frame_end_block(struct frame_writer *fw);

/*
 * An allocation, which is the most frequent event. `time_ns` must not decrease within a stream; the
 * writer clamps it.
 */
int frame_put_born(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr,
		   uint64_t size, uint64_t caller);

/* Any event: `words` are its fields as in struct evt_<name> (a text as pointer and length). */
int frame_put(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words);

/*
 * As frame_put(), with a stack, by its id. frame_define_stack() may define the id at any time until
 * the frame is closed. The hot ones take STACK_WORD | id as their caller (stack_table.h).
 */
int frame_put_stack(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words,
		    uint64_t stack);
/*
 * Defines an id for the life of the writer: a frame at an address, whose caller is the frame
 * `parent` (0: unknown). The first definition of an id counts. Ids and parents are below
 * STACK_WORD. Flags: frame_flags.h.
 */
void frame_define_stack(struct frame_writer *fw, uint64_t id, uint64_t parent, uint64_t address,
			uint32_t flags);
/* True if some stack of the frame has parts that are not defined yet. */
bool frame_has_open_stacks(const struct frame_writer *fw);
/*
 * Cuts these stacks at the parts that are undefined. Returns what went wrong with stacks since the
 * last call: the number of stacks that were cut, each counted once per frame, and the number of
 * definitions that contradict an earlier one.
 */
struct frame_stack_losses {
	uint64_t cuts, clashes;
};
struct frame_stack_losses frame_settle_stacks(struct frame_writer *fw);
/* Returns the table of stacks. Forget stacks only while no frame is open. */
struct stack_table *frame_stacks(struct frame_writer *fw);

/*
 * A shorter form of frame_put() for the collector's own events: FRAME_PUT(fw, t, lost, .count = 3)
 */
#define FRAME_PUT(fw, time_ns, event, ...)  \
	frame_put(fw, EVT_##event, time_ns, \
		  (const uint64_t *)(const void *)&(struct evt_##event){ __VA_ARGS__ })

/*
 * Bytes (without the allowance for stacks) and records so far. Close the frame at FRAME_BYTES_FULL.
 */
size_t frame_bytes(const struct frame_writer *fw);
uint64_t frame_records(const struct frame_writer *fw);
/* The families of its events: bits 1 << enum evt_family. */
uint64_t frame_families(const struct frame_writer *fw);
/* True if the frame has an event of one of these families: 1 << enum evt_family. */
bool frame_has_families(const struct frame_writer *fw, uint32_t families);

/*
 * Closes the frame: completes header and kind table (info->records is set here). The bytes and the
 * cuts stay valid until the next frame_begin_block() or frame_writer_free(). `cuts` are ascending
 * offsets at which a long column ends, where a compressor should start new statistics. Measured
 * best: zstd level 1, ZSTD_c_hashLog 12, ZSTD_e_flush at each cut; long blocks (1.60 bytes per
 * event with 32768 records, 1.63 with 16384, 1.82 with 4096).
 */
struct frame_image {
	const uint8_t *bytes;
	size_t length;
	const size_t *cuts;
	size_t cut_count;
};
int frame_close(struct frame_writer *fw, struct frame_info info, struct frame_image *ret_image);
/* Changes FRAME_TAG_DATA of a frame that was just closed. */
void frame_image_set_tag(struct frame_writer *fw, const struct frame_image *image, uint32_t tag);

/* --- reading (report) --- */

/*
 * The file's own description of its events, read from the schema frame, so that events newer than
 * this program can be named, dumped and skipped. The fields are in the order in which a decoded
 * event has them: first those of this program's events.def (so that EVENT_AS() works whichever
 * version wrote the file), then those that only the file has. A field that only this program knows
 * reads as 0.
 */
#define SCHEMA_ABSENT UINT32_MAX
struct schema_event {
	char *name;      /* owned; NULL: no such event */
	uint32_t number; /* its number in the file */
	char *family;
	unsigned int field_count;
	struct schema_field {
		char *name;
		unsigned int codec; /* enum evt_codec, checked */
		/* position in the file's own order; SCHEMA_ABSENT: not in the file */
		uint32_t number;
	} field[EVT_FIELDS_MAX];
};

/*
 * Indexed by id. Events in blocks that this program does not know get ids from evt_known_limit on,
 * in the order of the file.
 */
struct schema {
	struct schema_event event[EVT_ID_LIMIT];
};

#define SCHEMA_BYTES_MAX (64u << 10)

/*
 * Writes the schema frame of this program's events.def. Returns its length, 0 if `room` is too
 * small (SCHEMA_BYTES_MAX is enough).
 */
size_t schema_write(uint8_t *bytes, size_t room);
/* Fills an empty schema. On failure it is empty again. */
int schema_read(struct schema *schema, const uint8_t *bytes, size_t length);
void schema_release(struct schema *schema);

struct frame_reader;  /* reads one frame at a time */
struct frame_scratch; /* memory that is needed only while a frame is decoded */

/* The schema is not needed any more afterwards. Returns NULL if there is no memory. */
struct frame_reader *frame_reader_new(const struct schema *schema);
void frame_reader_free(struct frame_reader *fr);

/*
 * Several readers may share a scratch, which must outlive them. While one of them is between
 * frame_open() and the end of that frame's blocks, the others must not be used. What they have
 * decoded stays valid. A reader that gets no scratch makes its own. Returns NULL if there is no
 * memory.
 */
struct frame_scratch *frame_scratch_new(void);
void frame_scratch_free(struct frame_scratch *scratch);
void frame_reader_share(struct frame_reader *fr, struct frame_scratch *scratch);

/* Starts on a decompressed frame, which must outlive the events taken from it. */
int frame_open(struct frame_reader *fr, const uint8_t *bytes, size_t length,
	       struct frame_info *ret_info);

/* Bits of enum evt_family of which the open frame has records. */
uint64_t frame_kind_families(const struct frame_reader *fr);

/*
 * Which events and fields of a frame are decoded. Events of family system are always decoded, with
 * all fields.
 *
 * `sum` is for events that are only counted and added up between other events: their number and the
 * sum of their `size` fields. If a frame contains an event of `exact`, those events are decoded
 * instead, with their `fields`. The reason is that sums belong to one stream and do not say when
 * another stream did something.
 */
struct frame_wants {
	bool event[EVT_ID_LIMIT]; /* becomes a struct event; otherwise it is only counted */
	/* bit n: field n of events.def is decoded; otherwise it reads as 0 */
	uint32_t fields[EVT_ID_LIMIT];
	bool sum[EVT_ID_LIMIT];
	bool exact[EVT_ID_LIMIT];
	/*
	 * All events of heap blocks (evt_is_of_block()) become struct heap_record, besides the
	 * events. Those that are events too have all of their fields.
	 */
	bool heap;
	bool stacks; /* event_block.stack and node, and heap_site.stack */
};

/* Applies to all frames from the next one on. NULL: everything, which is the initial state. */
void frame_reader_want(struct frame_reader *fr, const struct frame_wants *wants);

enum heap_record_kind {
	HEAP_RECORD_BORN = 1,
	HEAP_RECORD_DIES,
	HEAP_RECORD_REALLOC,
	HEAP_RECORD_FAILED,
};

/* What a kind of the frame means for the heap. */
struct heap_site {
	uint64_t caller;
	uint32_t kind;  /* enum heap_record_kind; 0: not about a block */
	uint32_t stack; /* index in event_block.node; 0: none */
};

/*
 * An event of a heap block. A birth and the death that names it have each other's index among the
 * block's heap records as `partner`. A record without a partner has its own index. `is_renewed`,
 * for a birth: its thread freed that address before, in the same block of the file. Both are hints,
 * because another thread may use that address in between.
 */
struct heap_record {
	uint64_t time_ns, address;
	uint64_t size;    /* for a death: the size of its partner, else 0 */
	uint16_t site;    /* index in event_block.heap_site */
	uint16_t partner; /* index in event_block.heap */
	bool is_renewed;
};

/* A frame in the stacks of a frame of the file. Its callers have smaller indices. */
struct frame_node {
	uint64_t address;
	uint32_t parent; /* index of its caller, 0: no caller */
	uint32_t flags;  /* FRAME_IS_... */
};

struct block_sum {
	uint64_t events, bytes;
};

/*
 * The next block, decoded. Its events are valid until frame_open() is called again, so that all
 * blocks of a frame can be merged by time. EVT_END after the last block. Memory: at most 200 bytes
 * per record of the frame.
 */
struct event_block {
	uint32_t stream;
	uint32_t count; /* number of events */
	const struct event *event;
	uint32_t records;           /* all records, also those that are no events */
	uint64_t first_ns, last_ns; /* over all records */
	/* by event id: number of records that did not become events; NULL: none */
	const uint32_t *passed;
	uint32_t passed_limit; /* no event of the file has this id or a greater one */
	/* before each event, and at the end for the whole block; NULL: none */
	const struct block_sum *sum;
	/* with frame_wants.heap */
	const struct heap_record *heap;
	uint32_t heap_count;
	uint32_t heap_sites;
	const uint32_t *heap_before; /* for each event: how many entries of `heap` are before it */
	const struct heap_site *heap_site;
	/* with frame_wants.stacks; NULL and 0 if the frame of the file has no stacks */
	const struct frame_node *node; /* indices begin at 1 */
	uint32_t nodes;
	const uint32_t *stack; /* by event.kind, with their number: index in `node`, 0: none */
	uint32_t kinds;
};
int frame_next_block(struct frame_reader *fr, struct event_block *ret_block);

#endif
