/* SPDX-License-Identifier: MIT */
/*
 * Splits frames into blocks and blocks into columns, and owns the memory of the events.
 * block_decode.c decodes the values. No decompression and no I/O.
 */
#include "collector/format/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/arch/pages.h"
#include "collector/format/block_decode.h"
#include "collector/format/block_kinds.h"
#include "collector/format/error.h"
#include "collector/format/frame_flags.h"
#include "collector/format/own_decode.h"
#include "collector/format/stack_reader.h"
#include "collector/format/stack_table.h"

#define CHUNK_BYTES (1u << 20)
#define CHUNK_WORTH_WORDS 512u     /* a chunk with less room is not tried again */
#define POPULATE_BYTES (64u << 10) /* for less, the call is not worth it */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

_Static_assert(FRAME_KINDS_MAX <= UINT16_MAX + 1u, "decoder.numbers hold every kind");

/* Memory for a frame's events: chunks that the next frame uses again. */
struct chunk {
	struct chunk *next;
	size_t room;
	size_t used;
	size_t touched; /* words that any frame has used so far */
	uint64_t words[];
};

struct frame_scratch {
	struct decoder decoder;
};

struct frame_reader {
	struct event_plans plans;
	struct frame_scratch *scratch; /* NULL before the first frame, unless it is shared */
	bool shares;                   /* the scratch belongs to somebody else */
	struct cursor blocks;          /* the rest of the frame */
	uint64_t records_left;
	struct heap_site *heap_site; /* for the frame, with heap records */
	struct frame_node *node;     /* for the frame; NULL: none, or not wanted */
	uint32_t nodes;
	uint32_t *kind_node; /* for the frame, by kind */
	struct chunk *first;
	struct chunk **open; /* all chunks before it are nearly full */
};

struct frame_reader *frame_reader_new(const struct schema *schema)
{
	struct frame_reader *fr = calloc(1, sizeof(*fr));

	if (!fr)
		return NULL;
	event_plans_init(&fr->plans, schema);
	return fr;
}

struct frame_scratch *frame_scratch_new(void)
{
	struct frame_scratch *scratch = calloc(1, sizeof(*scratch));

	if (scratch)
		decoder_init(&scratch->decoder);
	return scratch;
}

void frame_scratch_free(struct frame_scratch *scratch)
{
	if (!scratch)
		return;
	decoder_release(&scratch->decoder);
	free(scratch);
}

void frame_reader_share(struct frame_reader *fr, struct frame_scratch *scratch)
{
	if (!fr->shares)
		frame_scratch_free(fr->scratch);
	fr->scratch = scratch;
	fr->shares = true;
}

void frame_reader_want(struct frame_reader *fr, const struct frame_wants *wants)
{
	event_plans_want(&fr->plans, wants);
}

void frame_reader_free(struct frame_reader *fr)
{
	if (!fr)
		return;
	while (fr->first) {
		struct chunk *next = fr->first->next;

		free(fr->first);
		fr->first = next;
	}
	if (!fr->shares)
		frame_scratch_free(fr->scratch);
	free(fr);
}

/*
 * The size is a power of two, so that a block of the next frame with nearly the same length fits
 * in. Otherwise each slightly longer block would allocate new memory and leave the old unused.
 */
static struct chunk *chunk_new(size_t words)
{
	size_t room = CHUNK_BYTES / 8;
	struct chunk *chunk;

	while (room < words)
		room *= 2;
	chunk = malloc(sizeof(*chunk) + room * 8);
	if (chunk)
		*chunk = (struct chunk){ .room = room };
	return chunk;
}

/*
 * Populates the pages that are about to be filled with one call, because a page fault for each
 * costs more than the decoding.
 */
static void chunk_populate(struct chunk *chunk)
{
	uintptr_t from = arch_page_down((uintptr_t)(chunk->words + chunk->touched));
	uintptr_t to = arch_page_down((uintptr_t)(chunk->words + chunk->used));

	if (chunk->used <= chunk->touched)
		return;
	if (to - from >= POPULATE_BYTES)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE); /* older kernels refuse it */
	chunk->touched = chunk->used;
}

/* Returns `words` words that live until the next frame; NULL if there is no memory. */
static uint64_t *frame_take_words(struct frame_reader *fr, size_t words)
{
	struct chunk **place = fr->open, *chunk;
	uint64_t *at;

	while (*place && (*place)->room - (*place)->used < words)
		place = &(*place)->next;
	if (!*place)
		*place = chunk_new(words);
	chunk = *place;
	if (!chunk)
		return NULL;
	at = chunk->words + chunk->used;
	chunk->used += words;
	chunk_populate(chunk);
	while (*fr->open && (*fr->open)->room - (*fr->open)->used < CHUNK_WORTH_WORDS)
		fr->open = &(*fr->open)->next;
	return at;
}

static uint8_t heap_record_kind(uint32_t id)
{
	switch (id) {
	case EVT_free:
		return HEAP_RECORD_DIES;
	case EVT_realloc_free:
		return HEAP_RECORD_REALLOC;
	case EVT_realloc_failed:
		return HEAP_RECORD_FAILED;
	default:
		return HEAP_RECORD_BORN;
	}
}

static enum quick kind_quick(const struct decoder_kind *kind, const struct event_plan *plan,
			     uint8_t full_shape)
{
	if (plan_makes_event(kind->shape))
		return QUICK_NONE;
	if (kind->record)
		return full_shape == PLAN_BORN   ? QUICK_BORN
		       : full_shape == PLAN_DIES ? QUICK_DIES
						 : QUICK_NONE;
	return kind->is_sum && plan->steps == 1 && plan->sizes ? QUICK_SIZE : QUICK_NONE;
}

/* Decides what is read of each kind, when the frame's kinds are known. */
static void frame_plan_kinds(struct decoder *d)
{
	bool exact = false;

	for (uint32_t i = 0; i < d->kind_count; i++)
		exact |= d->plans->is_exact[d->kind[i].id];
	d->plan = exact ? d->plans->exact : d->plans->wanted;
	d->reads_shared = exact ? d->plans->exact_shared : d->plans->wanted_shared;
	kinds_plan(d);
	for (uint32_t i = 0; i < d->kind_count; i++) {
		struct decoder_kind *kind = &d->kind[i];
		const struct event_plan *plan = &d->plan[kind->id];

		kind->shape = plan->shape;
		kind->words = plan->words + plan->extra;
		kind->record = plan->is_record ? heap_record_kind(kind->id) : 0;
		kind->is_sum = plan->shape == PLAN_SUM;
		kind->may_wait = own_may_wait(plan);
		kind->fields = plan->words;
		kind->is_full = own_fills(plan);
		kind->caller_word = plan->caller_word;
		kind->quick = (uint8_t)kind_quick(kind, plan, d->plans->full[kind->id].shape);
	}
}

/* Returns the address of the innermost frame that is no wrapper. */
static uint64_t node_caller(const struct frame_node *node, uint32_t number)
{
	while (node[number].flags & FRAME_IS_WRAPPER && node[number].parent)
		number = node[number].parent;
	return node[number].address;
}

struct kind_cursor {
	struct cursor c;
	uint64_t caller, node; /* the last values */
	uint32_t nodes;        /* number of nodes in the frame */
};

/* Returns false if the data is damaged. */
static bool frame_read_kind(struct frame_reader *fr, struct kind_cursor *at, uint32_t number)
{
	struct decoder *d = &fr->scratch->decoder;
	uint32_t id = event_plans_find(&fr->plans, get_varint(&at->c));
	const struct event_plan *plan = &fr->plans.full[id];
	uint64_t code = at->nodes ? get_varint(&at->c) : 0;
	uint64_t caller = 0;

	if (plan->shape == PLAN_NONE)
		return false;
	fr->kind_node[number] = 0;
	if (code) {
		at->node = stack_of_code(code, at->node);
		if (!at->node || at->node > at->nodes)
			return false;
		fr->kind_node[number] = (uint32_t)at->node;
		if (plan->has_caller && fr->node)
			caller = node_caller(fr->node, (uint32_t)at->node);
	} else if (plan->has_caller) {
		caller = at->caller += (uint64_t)unzigzag(get_varint(&at->c));
	}
	d->kind[number] = (struct decoder_kind){ .caller = caller, .id = (uint16_t)id };
	return true;
}

static int frame_read_kinds(struct frame_reader *fr, struct cursor c, uint32_t count,
			    uint32_t nodes)
{
	struct kind_cursor at = { .c = c, .nodes = nodes };
	struct decoder *d = &fr->scratch->decoder;

	decoder_forget_kinds(d, d->kind_count);
	d->plans = &fr->plans;
	if (count > FRAME_KINDS_MAX || count > cursor_left(&c))
		return EVT_CORRUPT;
	fr->kind_node = (uint32_t *)(void *)frame_take_words(fr, count / 2 + 1);
	if (!fr->kind_node)
		return EVT_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		if (!frame_read_kind(fr, &at, i))
			return EVT_CORRUPT;
	d->kind_count = count;
	if (at.c.failed || at.c.at != at.c.end)
		return EVT_CORRUPT;
	frame_plan_kinds(d);
	return 0;
}

/* For readers of heap records: lists what the kinds mean. */
static int frame_list_heap_sites(struct frame_reader *fr)
{
	const struct decoder *d = &fr->scratch->decoder;

	fr->heap_site = NULL;
	if (!fr->plans.records)
		return 0;
	fr->heap_site = (struct heap_site *)(void *)frame_take_words(
		fr, d->kind_count * (sizeof(*fr->heap_site) / 8) + 1);
	if (!fr->heap_site)
		return EVT_NO_MEMORY;
	for (uint32_t i = 0; i < d->kind_count; i++)
		fr->heap_site[i] = (struct heap_site){ d->kind[i].caller, d->kind[i].record,
						       fr->plans.stacks ? fr->kind_node[i] : 0 };
	return 0;
}

/* The table is read only if stacks or callers are wanted. */
static int frame_read_stacks(struct frame_reader *fr, struct cursor c, uint32_t nodes)
{
	fr->node = NULL;
	fr->nodes = 0;
	if (!nodes || !fr->plans.callers)
		return 0;
	fr->node = (struct frame_node *)(void *)frame_take_words(
		fr, (nodes + 1u) * (sizeof(*fr->node) / 8));
	if (!fr->node)
		return EVT_NO_MEMORY;
	fr->nodes = nodes;
	return stack_reader_read(c, nodes, fr->node);
}

int frame_open(struct frame_reader *fr, const uint8_t *bytes, size_t length,
	       struct frame_info *ret_info)
{
	struct cursor c = cursor_of(bytes, length);
	struct frame_info info;
	uint32_t tag, head, kind_count, kind_bytes, nodes = 0, stack_bytes = 0;
	const uint8_t *kinds, *stacks;
	int error;

	if (!fr->scratch)
		fr->scratch = frame_scratch_new();
	if (!fr->scratch)
		return EVT_NO_MEMORY;
	if (length > FRAME_BYTES_MAX)
		return EVT_TOO_LARGE;
	if (length < FRAME_HEADER_BYTES)
		return EVT_TRUNCATED;
	tag = get_u32(&c);
	head = get_u32(&c);
	info.sequence = get_u64(&c);
	info.watermark_ns = get_u64(&c);
	info.sync_tsc = get_u64(&c);
	info.sync_mono_ns = get_u64(&c);
	info.sync_real_ns = get_u64(&c);
	info.records = get_u64(&c);
	kind_count = get_u32(&c);
	kind_bytes = get_u32(&c);
	if ((tag != FRAME_TAG_DATA && tag != FRAME_TAG_STATE) || head < FRAME_HEADER_BYTES)
		return EVT_CORRUPT;
	if (head >= FRAME_HEADER_STACKS_BYTES) {
		nodes = get_u32(&c);
		stack_bytes = get_u32(&c);
		head -= FRAME_HEADER_STACKS_BYTES - FRAME_HEADER_BYTES;
	}
	get_bytes(&c, head - FRAME_HEADER_BYTES); /* fields that a newer writer has added */
	kinds = get_bytes(&c, kind_bytes);
	stacks = get_bytes(&c, stack_bytes);
	if (c.failed || !kinds || !stacks)
		return EVT_TRUNCATED;
	if (nodes > FRAME_NODES_MAX || nodes * 3 > stack_bytes || (!nodes && stack_bytes))
		return EVT_CORRUPT;
	fr->records_left = 0;
	fr->blocks = cursor_of(c.at, 0);
	fr->open = &fr->first;
	for (struct chunk *chunk = fr->first; chunk; chunk = chunk->next)
		chunk->used = 0;
	error = frame_read_stacks(fr, cursor_of(stacks, stack_bytes), nodes);
	if (!error)
		error = frame_read_kinds(fr, cursor_of(kinds, kind_bytes), kind_count, nodes);
	if (error)
		return error;
	fr->records_left = info.records;
	fr->blocks = c;
	error = frame_list_heap_sites(fr);
	if (!error)
		*ret_info = info;
	return error;
}

uint64_t frame_kind_families(const struct frame_reader *fr)
{
	const struct decoder *d = &fr->scratch->decoder;
	uint64_t families = 0;

	for (uint32_t i = 0; i < d->kind_count; i++)
		families |= 1ull << evt_descriptors[d->kind[i].id].family;
	return families;
}

/*
 * Returns the reader's column, by the id of its event; COLUMN_LIMIT: it belongs to no event of the
 * schema.
 */
static uint64_t decoder_column(const struct decoder *d, uint64_t key)
{
	uint64_t number = (key - COLUMN_FIELDS) / COLUMN_EVENT_FIELDS;
	uint32_t id;

	if (key < COLUMN_FIELDS || number < EVT_ID_BLOCKS)
		return key;
	id = event_plans_find(d->plans, number);
	return id ? column_of_field(id, (key - COLUMN_FIELDS) % COLUMN_EVENT_FIELDS) : COLUMN_LIMIT;
}

/* True if this reader takes values of the column. Others are skipped. */
static bool decoder_knows_column(const struct decoder *d, uint64_t key)
{
	uint64_t id = (key - COLUMN_FIELDS) / COLUMN_EVENT_FIELDS;

	if (key < COLUMN_FIELDS)
		return key < COLUMN_SHARED && d->reads_shared[key];
	if (key >= COLUMN_LIMIT)
		return false;
	for (unsigned int i = 0; i < d->plan[id].steps; i++) {
		if (d->plan[id].step[i].column == key)
			return true;
	}
	return false;
}

/* The directory has been checked; now each column gets its bytes. */
static int block_read_columns(struct decoder *d, struct cursor directory, uint64_t count,
			      struct cursor *bytes)
{
	for (uint32_t i = 0; i < d->used_count; i++)
		d->column[d->used[i]] = (struct cursor){ 0 };
	d->used_count = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = decoder_column(d, get_varint(&directory));
		uint64_t length = get_varint(&directory);
		const uint8_t *start = get_bytes(bytes, length);

		if (!start)
			return EVT_TRUNCATED;
		if (!decoder_knows_column(d, key))
			continue;
		if (d->column[key].at || length == 0)
			return EVT_CORRUPT;
		d->column[key] = cursor_of(start, length);
		d->last_address[key] = 0;
		d->used[d->used_count++] = (uint16_t)key;
	}
	return 0;
}

static int block_read(struct decoder *d, struct cursor *c)
{
	uint64_t stream = get_varint(c);
	uint64_t count = get_varint(c);
	uint64_t columns = get_varint(c);
	struct cursor directory = *c;

	if (c->failed || stream > UINT32_MAX || columns > COLUMN_LIMIT)
		return EVT_CORRUPT;
	if (count == 0 || count > BLOCK_RECORDS_MAX)
		return EVT_CORRUPT;
	for (uint64_t i = 0; i < 2 * columns; i++)
		get_varint(c);
	if (c->failed)
		return EVT_TRUNCATED;
	d->stream = (uint32_t)stream;
	d->count = (uint32_t)count;
	return block_read_columns(d, directory, columns, c);
}

/* Allocates the memory for the decoded block in one piece. */
static int frame_make_output(struct frame_reader *fr, const struct decoder_needs *needs,
			     struct decoder_output *ret_output, uint32_t **ret_passed)
{
	size_t event_words = needs->events * (sizeof(struct event) / 8);
	size_t sum_words = fr->plans.sums ? (needs->events + 1) * 2u : 0;
	size_t passed_words = needs->passes ? EVT_ID_LIMIT / 2 : 0;
	size_t heap_words = needs->heap * (sizeof(struct heap_record) / 8);
	size_t before_words = fr->plans.records ? needs->events / 2 + 1 : 0;
	uint64_t *memory = frame_take_words(fr, event_words + sum_words + passed_words +
							heap_words + before_words + needs->words);

	if (!memory)
		return EVT_NO_MEMORY;
	*ret_output = (struct decoder_output){ .event = (struct event *)(void *)memory };
	memory += event_words;
	if (sum_words)
		ret_output->sum = (struct block_sum *)(void *)memory;
	memory += sum_words;
	ret_output->heap = (struct heap_record *)(void *)memory;
	memory += heap_words;
	if (before_words)
		ret_output->heap_before = (uint32_t *)(void *)memory;
	memory += before_words;
	*ret_passed = passed_words ? (uint32_t *)(void *)memory : NULL;
	ret_output->words = memory + passed_words;
	return 0;
}

/* Reports how many records of each event did not become events. */
static void decoder_tell_passed(const struct decoder *d, uint32_t *passed)
{
	uint32_t limit = d->plans->id_limit;

	for (uint32_t id = 0; id < limit; id++)
		passed[id] = plan_makes_event(d->plan[id].shape) ? 0 : d->records_of[id];
	memset(passed + limit, 0, (EVT_ID_LIMIT - limit) * sizeof(*passed));
}

static int frame_decode_block(struct frame_reader *fr, struct event_block *ret_block)
{
	struct decoder *d = &fr->scratch->decoder;
	struct decoder_output output;
	struct decoder_needs needs;
	uint32_t *passed = NULL;
	int error = decoder_read_kinds(d, &needs);

	if (!error)
		error = frame_make_output(fr, &needs, &output, &passed);
	if (!error)
		error = decoder_read_values(d, &output);
	if (error)
		return error;
	if (passed)
		decoder_tell_passed(d, passed);
	*ret_block = (struct event_block){
		.stream = d->stream,
		.count = needs.events,
		.event = output.event,
		.records = d->count,
		.first_ns = output.first_ns,
		.last_ns = output.last_ns,
		.passed = passed,
		.passed_limit = fr->plans.id_limit,
		.sum = output.sum,
		.heap = output.heap,
		.heap_count = needs.heap,
		.heap_sites = fr->heap_site ? d->kind_count : 0,
		.heap_before = output.heap_before,
		.heap_site = fr->heap_site,
		.node = fr->plans.stacks ? fr->node : NULL,
		.nodes = fr->plans.stacks ? fr->nodes : 0,
		.stack = fr->plans.stacks && fr->node ? fr->kind_node : NULL,
		.kinds = d->kind_count,
	};
	return 0;
}

int frame_next_block(struct frame_reader *fr, struct event_block *ret_block)
{
	struct decoder *d;
	int error;

	if (cursor_left(&fr->blocks) == 0)
		return fr->records_left ? EVT_TRUNCATED : EVT_END;
	d = &fr->scratch->decoder;
	error = block_read(d, &fr->blocks);
	if (!error && d->count > fr->records_left)
		error = EVT_CORRUPT;
	if (!error)
		error = frame_decode_block(fr, ret_block);
	if (!error)
		fr->records_left -= d->count;
	return error;
}
