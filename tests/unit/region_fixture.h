/* SPDX-License-Identifier: MIT */
/*
 * A region made by hand for tests of the collector: in a memfd, with a process entry for whoever
 * the test says, and rings that the test writes words into. Also reads back the file that came of
 * it.
 *
 * Everything is static inline: a test includes it and is one program.
 */
#ifndef TESTS_UNIT_REGION_FIXTURE_H
#define TESTS_UNIT_REGION_FIXTURE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/format/block.h"
#include "collector/format/file.h"
#include "collector/region/record.h"
#include "collector/region/region.h"

struct fixture {
	int fd; /* of the memfd */
	void *base;
	uint64_t bytes;
	struct region_shape shape;
	struct region_header *header;
	struct region_process *process;
	struct region_ring *ring;
	char directory[64];
	char output[128];
};

static inline uint64_t fixture_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In a directory of its own under $TMPDIR or /tmp. */
static inline void fixture_init(struct fixture *f, uint64_t bytes)
{
	memset(f, 0, sizeof(*f));
	f->bytes = bytes;
	f->fd = memfd_create("intercept", MFD_CLOEXEC);
	if (f->fd < 0 || ftruncate(f->fd, (off_t)bytes) || region_shape_of(bytes, &f->shape))
		abort();
	f->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	if (f->base == MAP_FAILED)
		abort();
	f->header = f->base;
	f->process = region_processes(f->base, &f->shape);
	f->ring = region_rings(f->base, &f->shape);
	f->header->magic = REGION_MAGIC;
	f->header->version = REGION_VERSION;
	f->header->families = EVT_FAMILY_LIMIT;
	f->header->clock = REGION_CLOCK_MONOTONIC;
	f->header->bytes = bytes;
	f->header->base_mono = fixture_clock(CLOCK_MONOTONIC);
	f->header->base_tsc = f->header->base_mono;
	f->header->base_real = fixture_clock(CLOCK_REALTIME);
	f->header->place = 1;
	f->header->keep = 2;
	strcpy(f->header->session, "feedbeef");
	strcpy(f->header->trace, "alloc,nvtx");
	strcpy(f->header->version_text, "0.1.0");
	snprintf(f->directory, sizeof(f->directory), "/tmp/intercept-unit-XXXXXX");
	if (!mkdtemp(f->directory))
		abort();
	snprintf(f->output, sizeof(f->output), "%s/run.evt", f->directory);
	strcpy(f->header->output, f->output);
}

static inline void fixture_release(struct fixture *f)
{
	char command[128];

	munmap(f->base, f->bytes);
	close(f->fd);
	snprintf(command, sizeof(command), "rm -rf %s", f->directory);
	if (system(command))
		abort();
}

static inline uint64_t fixture_ticks(const struct fixture *f)
{
	return fixture_clock(CLOCK_MONOTONIC) - f->header->base_tsc;
}

static inline void fixture_add_process(struct fixture *f, uint32_t entry, uint32_t pid)
{
	struct region_process *p = &f->process[entry];

	p->pid = pid;
	p->parent_pid = 1;
	p->parent = REGION_NO_PARENT;
	p->exit_status = REGION_STATUS_UNKNOWN;
	p->start_tsc = fixture_clock(CLOCK_MONOTONIC);
	p->serial++;
	if (f->header->process_limit <= entry)
		f->header->process_limit = entry + 1;
	atomic_store(&p->state, REGION_PROCESS_LIVE);
}

/* Ring `index` of class 0 or another; claimed for the process in `entry`. */
static inline struct region_ring *fixture_add_ring(struct fixture *f, uint32_t index,
						   uint32_t entry, uint32_t tid)
{
	struct region_ring *ring = &f->ring[index];

	for (unsigned int tier = 0; tier < REGION_CLASSES; tier++) {
		const struct region_class *c = &f->shape.class[tier];

		if (index >= c->first && index - c->first < c->count &&
		    f->header->ring_limit[tier] <= index - c->first)
			f->header->ring_limit[tier] = index - c->first + 1;
	}
	ring->process = entry;
	ring->process_serial = f->process[entry].serial;
	ring->tid = tid;
	ring->level = 0;
	ring->start_tsc = fixture_clock(CLOCK_MONOTONIC);
	ring->head = 0;
	ring->tail = 0;
	ring->serial++;
	atomic_store(&ring->state, REGION_RING_LIVE);
	return ring;
}

static inline uint64_t *fixture_words(struct fixture *f, struct region_ring *ring,
				      uint64_t *ret_count)
{
	uint32_t index = (uint32_t)(ring - f->ring);
	unsigned int tier = 0;

	while (tier + 1 < REGION_CLASSES && index >= f->shape.class[tier + 1].first)
		tier++;
	*ret_count = f->shape.class[tier].ring_bytes / 8;
	return region_ring_words(f->base, &f->shape, tier, index);
}

/* Writes one record as a recorder does: padded at the ring's end, published at once. */
static inline void fixture_put(struct fixture *f, struct region_ring *ring, const uint64_t *record,
			       unsigned int count)
{
	uint64_t words, head = atomic_load(&ring->head);
	uint64_t *ring_words = fixture_words(f, ring, &words);
	uint64_t left = words - (head & (words - 1));

	if (left < count) {
		ring_words[head & (words - 1)] = record_word(left, RECORD_PAD);
		head += left;
	}
	memcpy(&ring_words[head & (words - 1)], record, count * sizeof(uint64_t));
	atomic_store_explicit(&ring->head, head + count, memory_order_release);
}

static inline void fixture_put_malloc(struct fixture *f, struct region_ring *ring, uint64_t address,
				      uint64_t size, uint64_t caller)
{
	fixture_put(f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(f), EVT_malloc | RECORD_PACKED),
				  record_packed_low(address, size),
				  record_packed_high(caller, size) },
		    3);
}

static inline void fixture_put_free(struct fixture *f, struct region_ring *ring, uint64_t address)
{
	fixture_put(f, ring, (uint64_t[]){ record_word(fixture_ticks(f), EVT_free), address }, 2);
}

/* Piece number `piece` of a text. */
static inline void fixture_put_text(struct fixture *f, struct region_ring *ring, uint64_t hash,
				    const char *text, unsigned int piece)
{
	uint64_t record[RECORD_PIECE_WORDS] = { record_word(fixture_ticks(f), RECORD_TEXT), hash };
	size_t length = strlen(text), offset = piece * RECORD_TEXT_BYTES;
	size_t part = length - offset < RECORD_TEXT_BYTES ? length - offset : RECORD_TEXT_BYTES;

	record[2] = (uint64_t)length << 32 | offset;
	memcpy(&record[3], text + offset, part);
	fixture_put(f, ring, record, RECORD_PIECE_WORDS);
}

/* --- the file, all of it in memory --- */

#define CONTENT_FRAMES 4096

struct content {
	size_t frames; /* of data */
	struct event *event;
	const struct content_stack **stack; /* of each event, NULL: none */
	size_t count;
	struct frame_info info[CONTENT_FRAMES];
	bool ended; /* an end marker was there */
	struct file_end end;
	struct file_header header;
};

struct content_stack {
	uint32_t depth;
	struct {
		uint64_t address;
		uint32_t flags;
	} frame[]; /* innermost first */
};

/* Memory that contents point into; all of it is reachable from here until the test ends. */
struct content_block {
	struct content_block *next;
	uint64_t word[];
};
static struct content_block *content_blocks;

static inline void *content_alloc(size_t bytes)
{
	struct content_block *block = malloc(sizeof(*block) + bytes);

	if (!block)
		abort();
	block->next = content_blocks;
	content_blocks = block;
	return block->word;
}

static inline const struct content_stack *content_copy_stack(const struct event_block *block,
							     uint16_t kind)
{
	uint32_t at = block->stack ? block->stack[kind] : 0, depth = 0;
	struct content_stack *stack;

	for (uint32_t i = at; i; i = block->node[i].parent)
		depth++;
	if (!depth)
		return NULL;
	stack = content_alloc(sizeof(*stack) + depth * sizeof(stack->frame[0]));
	stack->depth = 0;
	for (; at; at = block->node[at].parent, stack->depth++) {
		stack->frame[stack->depth].address = block->node[at].address;
		stack->frame[stack->depth].flags = block->node[at].flags;
	}
	return stack;
}

static inline void content_take_frame(struct content *c, struct schema *schema, uint8_t *bytes,
				      size_t length)
{
	struct frame_reader *fr;
	struct event_block block;

	if (length >= 4 && !memcmp(bytes, "SCHM", 4)) {
		if (schema_read(schema, bytes, length))
			abort();
		return;
	}
	fr = frame_reader_new(schema);
	if (!fr || c->frames == CONTENT_FRAMES ||
	    frame_open(fr, bytes, length, &c->info[c->frames++]))
		abort();
	while (frame_next_block(fr, &block) == 0) {
		struct event *grown = content_alloc((c->count + block.count) * sizeof(*grown));

		const struct content_stack **stack = content_alloc((c->count + block.count) *
								   sizeof(*stack));

		if (c->count) {
			memcpy(grown, c->event, c->count * sizeof(*grown));
			memcpy(stack, c->stack, c->count * sizeof(*stack));
		}
		c->event = grown;
		c->stack = stack;
		for (uint32_t i = 0; i < block.count; i++) {
			c->stack[c->count] = content_copy_stack(&block, block.event[i].kind);
			struct event *e = &c->event[c->count++];
			uint64_t *value = content_alloc(EVT_WORDS_MAX * sizeof(*value));

			*e = block.event[i];
			memcpy(value, e->value, e->words * sizeof(*value));
			e->value = value;
		}
	}
	frame_reader_free(fr);
}

/* Reads what is there, complete or not. Text fields point into memory that lives on. */
static inline void content_read(struct content *c, const char *path)
{
	FILE *file = fopen(path, "rb");
	static uint8_t bytes[64 << 20];
	struct schema schema = { 0 };
	size_t length, at = 0;

	memset(c, 0, sizeof(*c));
	if (!file)
		return;
	length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (file_header_read(bytes, length, &c->header, &at))
		abort();
	while (at < length) {
		size_t size = ZSTD_findFrameCompressedSize(bytes + at, length - at);
		unsigned long long content;
		uint8_t *plain;

		if (ZSTD_isError(size))
			break;
		if (file_end_read(bytes + at, length - at, &c->end) == 0)
			c->ended = true;
		content = ZSTD_getFrameContentSize(bytes + at, length - at);
		if ((bytes[at] & 0xf0) != 0x50 && content < (32u << 20)) {
			plain = content_alloc(content + 1);
			if (ZSTD_decompress(plain, content, bytes + at, size) != content)
				abort();
			content_take_frame(c, &schema, plain, content);
		}
		at += size;
	}
	schema_release(&schema);
}

static inline size_t content_count(const struct content *c, unsigned int id)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->event[i].id == id;
	return count;
}

/* The `nth` event of that id, from 0; NULL when there are fewer. */
static inline const struct event *content_find(const struct content *c, unsigned int id, size_t nth)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->event[i].id == id && !nth--)
			return &c->event[i];
	}
	return NULL;
}

/* Text of a string id, "" for 0, NULL when it is not defined. */
static inline const char *content_string(const struct content *c, uint64_t id)
{
	for (size_t i = 0; i < c->count && id; i++) {
		const struct evt_string *s = EVENT_AS(string, &c->event[i]);
		char *text;

		if (c->event[i].id != EVT_string || s->id != id)
			continue;
		text = content_alloc(s->text.length + 1);
		memcpy(text, evt_text_bytes(s->text), s->text.length);
		text[s->text.length] = 0;
		return text;
	}
	return id ? NULL : "";
}

/* Sum of the counts of `lost` events for a reason. */
static inline uint64_t content_lost(const struct content *c, unsigned int reason)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->event[i].id == EVT_lost && EVENT_AS(lost, &c->event[i])->reason == reason)
			lost += EVENT_AS(lost, &c->event[i])->count;
	}
	return lost;
}

#endif
