/* SPDX-License-Identifier: MIT */
/*
 * Blocks: the records of one stream in columns, and the frames that hold them (uncompressed; the
 * collector compresses, the reader decompresses). docs/FORMAT.md describes the bytes.
 *
 * A record is a kind, a time and fields. A kind is an event, or an event with a caller or a stack. Kinds are numbered anew in
 * every frame by the frame's kind table, so that a frame can be read without any other.
 *
 * Not thread-safe; one writer or reader belongs to one thread. Errors: enum evt_error.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_H
#define COLLECTOR_FORMAT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/codec.h"
#include "collector/format/events.h"

#define BLOCK_RECORDS_MAX 32768u      /* of one block */
#define FRAME_BYTES_MAX (16u << 20)   /* of one frame, uncompressed */
#define FRAME_BYTES_FULL (384u << 10) /* a writer closes a frame that has reached this */
#define FRAME_KINDS_MAX 65536u        /* pairs of event and caller in one frame */
#define FRAME_TAG_DATA 0x41544144u    /* "DATA" */
#define FRAME_TAG_SCHEMA 0x4d484353u  /* "SCHM" */
#define FRAME_HEADER_BYTES 64u
#define FRAME_HEADER_STACKS_BYTES 72u /* of a frame with stacks */

struct frame_info {
	uint64_t sequence;     /* 1, 2, 3, ...: a gap is a lost frame */
	uint64_t watermark_ns; /* every record up to this time is in this frame or an earlier one */
	uint64_t sync_tsc;     /* one moment on three clocks */
	uint64_t sync_mono_ns;
	uint64_t sync_real_ns;
	uint64_t records; /* in all blocks */
};

/* --- writing (collector) --- */

struct frame_writer; /* one frame under construction, its scratch columns, its kind table */

/* NULL when there is no memory. All memory of its life is taken here or grows to a bound. */
struct frame_writer *frame_writer_new(void);
void frame_writer_free(struct frame_writer *fw);

/* Begins the next block of the frame. Blocks of one stream follow each other in time. */
void frame_begin_block(struct frame_writer *fw, uint32_t stream);
/* Records still to be put into the open block, 0: it must be ended. */
size_t frame_block_room(const struct frame_writer *fw);
/* Ends the block; an empty one leaves no trace. */
int frame_end_block(struct frame_writer *fw);

/* The hot two, of the heap's events. `time_ns` may not fall within a stream; the writer clamps. */
int frame_put_born(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr,
		   uint64_t size, uint64_t caller);
int frame_put_dies(struct frame_writer *fw, uint32_t id, uint64_t time_ns, uint64_t ptr);

/* Any event: `words` are its fields as in struct evt_<name> (a text as pointer and length). */
int frame_put(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words);

/*
 * The same with a stack, by the id that frame_define_stack() is given at any time until the frame is closed. The hot ones
 * take STACK_WORD | id as their caller (stack_table.h).
 */
int frame_put_stack(struct frame_writer *fw, uint32_t id, uint64_t time_ns, const uint64_t *words,
		    uint64_t stack);
/*
 * Defines an id for the life of the writer: a frame at an address, called by the frame `parent`
 * (0: unknown). The first definition of an id holds. Ids and parents are below STACK_WORD; flags:
 * frame_flags.h.
 */
void frame_define_stack(struct frame_writer *fw, uint64_t id, uint64_t parent, uint64_t address,
			uint32_t flags);
/* Some stack of the frame has parts that are not defined yet. */
bool frame_has_open_stacks(const struct frame_writer *fw);
/*
 * Cuts these stacks at the parts that are undefined. Returns what went wrong with stacks since the
 * last call: stacks that were cut, each once a frame, and definitions that contradict an earlier
 * one.
 */
struct frame_stack_losses {
	uint64_t cuts, clashes;
};
struct frame_stack_losses frame_settle_stacks(struct frame_writer *fw);
/* The table of stacks. Forget stacks only while no frame is open. */
struct stack_table *frame_stacks(struct frame_writer *fw);

/* Convenience over frame_put() for the collector's own events: FRAME_PUT(fw, t, lost, .count = 3) */
#define FRAME_PUT(fw, time_ns, event, ...)  \
	frame_put(fw, EVT_##event, time_ns, \
		  (const uint64_t *)(const void *)&(struct evt_##event){ __VA_ARGS__ })

/* Bytes, less what stacks allow for, and records gathered so far; FRAME_BYTES_FULL is the time to close. */
size_t frame_bytes(const struct frame_writer *fw);
uint64_t frame_records(const struct frame_writer *fw);
/* Whether it has an event of one of these families: 1 << enum evt_family. */
bool frame_has_families(const struct frame_writer *fw, uint32_t families);

/*
 * Closes the frame: completes header and kind table (info->records is filled in here). The bytes and
 * the cuts stay valid until the next frame_begin_block() or frame_writer_free(). `cuts` are ascending
 * offsets at which a long column ends, where a compressor does well to start new statistics.
 * Measured best: zstd level 1, ZSTD_c_hashLog 12, ZSTD_e_flush at each cut; long blocks (1.60
 * bytes an event with 32768 records, 1.63 with 16384, 1.82 with 4096).
 */
struct frame_image {
	const uint8_t *bytes;
	size_t length;
	const size_t *cuts;
	size_t cut_count;
};
int frame_close(struct frame_writer *fw, struct frame_info info, struct frame_image *ret_image);

/* --- reading (report) --- */

/*
 * What the file says its events are: read from the schema frame, so that events newer than this
 * program can be named, dumped and passed over. The fields stand in the order in which a decoded
 * event has them: those of this program's events.def first (so that EVENT_AS() fits whichever version
 * wrote the file), then those that only the file knows. A field that only this program knows reads 0.
 */
#define SCHEMA_ABSENT UINT32_MAX
struct schema_event {
	char *name;      /* owned; NULL: no such event */
	uint32_t number; /* in the file */
	char *family;
	char *doc;
	unsigned int field_count;
	struct schema_field {
		char *name;
		unsigned int codec; /* enum evt_codec, checked */
		uint32_t number; /* place in the file's own order; SCHEMA_ABSENT: not in the file */
		char *doc;
	} field[EVT_FIELDS_MAX];
};

/* By id. Events in blocks that this program does not know have ids from evt_known_limit on, in the order of the file. */
struct schema {
	struct schema_event event[EVT_ID_LIMIT];
};

#define SCHEMA_BYTES_MAX (64u << 10)

/* The schema frame of this program's events.def; returns the length, 0 when `room` is too little
 * (SCHEMA_BYTES_MAX is enough). */
size_t schema_write(uint8_t *bytes, size_t room);
/* Fills a schema that holds nothing yet; on failure it holds nothing again. */
int schema_read(struct schema *schema, const uint8_t *bytes, size_t length);
void schema_release(struct schema *schema);

struct frame_reader;  /* one frame at a time */
struct frame_scratch; /* what is needed only while a frame is decoded */

/* The schema is not needed any more afterwards. NULL when there is no memory. */
struct frame_reader *frame_reader_new(const struct schema *schema);
void frame_reader_free(struct frame_reader *fr);

/*
 * Readers may share a scratch, which outlives them: then no other of them may be used from frame_open() to the end of that
 * frame's blocks. What they have decoded stays valid. One that shares none makes its own. NULL when there is no memory.
 */
struct frame_scratch *frame_scratch_new(void);
void frame_scratch_free(struct frame_scratch *scratch);
void frame_reader_share(struct frame_reader *fr, struct frame_scratch *scratch);

/* Starts on a decompressed frame, which must outlive the events taken from it. */
int frame_open(struct frame_reader *fr, const uint8_t *bytes, size_t length,
	       struct frame_info *ret_info);

/*
 * Which events and fields of a frame are decoded. Events of family system always are, with all
 * fields.
 *
 * `sum` is for what is only to be counted and added up between other events: how many there were,
 * and their `size` fields. In a frame that holds an event of `exact` those are decoded as events
 * instead, with their `fields`: sums are of one stream, and say nothing of when another stream did
 * what.
 */
struct frame_wants {
	bool event[EVT_ID_LIMIT]; /* becomes a struct event; else it is only counted */
	uint32_t
		fields[EVT_ID_LIMIT]; /* bit n: field n of events.def is decoded, else it reads 0 */
	bool sum[EVT_ID_LIMIT];
	bool exact[EVT_ID_LIMIT];
	/* All that happens to blocks of the heap (evt_is_of_block()), as struct heap_record beside the events; those
	 * that are events too have all of their fields. */
	bool heap;
	bool stacks; /* event_block.stack and node, and heap_site.stack */
};

/* For all frames from the next one on; NULL: everything, which is how a reader begins. */
void frame_reader_want(struct frame_reader *fr, const struct frame_wants *wants);

enum heap_record_kind {
	HEAP_RECORD_BORN = 1,
	HEAP_RECORD_DIES,
	HEAP_RECORD_REALLOC,
	HEAP_RECORD_FAILED,
};

/* How the heap treats a kind of the frame. */
struct heap_site {
	uint64_t caller;
	uint32_t kind;  /* enum heap_record_kind; 0: not of a block */
	uint32_t stack; /* place in event_block.node; 0: none */
};

/*
 * An event of a block of the heap. A birth and the death that names it have each other's place among the
 * block's heap records as `partner`; one without has its own. `is_renewed`, of a birth: its thread
 * gave that address back before, in the same block of the file. Hints, both: another thread may do
 * something of its own with that address in between.
 */
struct heap_record {
	uint64_t time_ns, address;
	uint64_t size;    /* of a death: that of its partner, else 0 */
	uint16_t site;    /* place in event_block.heap_site */
	uint16_t partner; /* place in event_block.heap */
	bool is_renewed;
};

/* A frame of the stacks that a frame of the file has; those with smaller places called it. */
struct frame_node {
	uint64_t address;
	uint32_t parent; /* place of another, 0: nobody called it */
	uint32_t flags;  /* FRAME_IS_... */
};

struct block_sum {
	uint64_t events, bytes;
};

/*
 * The next block, decoded. Its events are valid until frame_open() is called again (so that all
 * blocks of a frame can be merged by time). EVT_END after the last. Memory: at most 200 bytes a record
 * of the frame.
 */
struct event_block {
	uint32_t stream;
	uint32_t count; /* of event */
	const struct event *event;
	uint32_t records;           /* all, those that are no event too */
	uint64_t first_ns, last_ns; /* of all records */
	const uint32_t *passed; /* by event id: records that did not become events; NULL: none */
	uint32_t passed_limit;  /* no event of the file has this id or a greater one */
	const struct block_sum *sum; /* before each event and, last, of all the block; NULL: none */
	/* with frame_wants.heap */
	const struct heap_record *heap;
	uint32_t heap_count;
	uint32_t heap_sites;
	const uint32_t *heap_before; /* each event: so many of `heap` */
	const struct heap_site *heap_site;
	/* with frame_wants.stacks; NULL and 0 when the frame of the file has none */
	const struct frame_node *node; /* from 1 on */
	uint32_t nodes;
	const uint32_t
		*stack; /* by event.kind, of which there are so many: place in `node`, 0: none */
	uint32_t kinds;
};
int frame_next_block(struct frame_reader *fr, struct event_block *ret_block);

#endif
