/* SPDX-License-Identifier: MIT */
/*
 * A record costs a load of its first word, a table lookup of its length, two range checks that
 * nearly never fail, and the put. Everything unusual (padding, texts, the ring's end, another piece
 * of the clock, invalid records) leaves the inner loop.
 */
#include "collector/drain/drain.h"

#include <stdlib.h>
#include <string.h>

#include "collector/drain/definitions.h"
#include "collector/drain/drain_standing.h"
#include "collector/format/segment.h"
#include "collector/format/error.h"
#include "collector/format/record_put.h"
#include "collector/format/stack_table.h"
#include "collector/device/gpus.h"
#include "collector/gpu/gpu_sums.h"
#include "collector/metrics/tally.h"
#include "collector/processes/process_steps.h"
#include "collector/region/record.h"

#define BATCH_WORDS 512u /* words after which the tail is published */
#define PAGE_SHIFT 12

/* Each side has its own definition. NOLINTNEXTLINE(misc-redundant-expression) */
_Static_assert(STACK_WORD == RECORD_STACK_BIT,
	       "what stands for a caller in rings does so in frames");

/* Words of a record by its type; 0: unknown, or a type that the slow path handles. */
static const uint8_t record_words[256] = {
#define EVENT(id, name, family, doc)                    \
	[id] = EVT_FAMILY_##family == EVT_FAMILY_system \
		       ? 0                              \
		       : 1 + sizeof(struct evt_##name) / sizeof(uint64_t),
#define EVENT_IN_BLOCK(n, name, family, doc)
#include "collector/format/events.def"
	[EVT_malloc | RECORD_PACKED] = RECORD_PACKED_WORDS,
	[EVT_calloc | RECORD_PACKED] = RECORD_PACKED_WORDS,
	[EVT_realloc | RECORD_PACKED] = RECORD_PACKED_WORDS,
	[EVT_memalign | RECORD_PACKED] = RECORD_PACKED_WORDS,
	[EVT_pymem_alloc | RECORD_PACKED] = RECORD_PACKED_WORDS,
};

void drain_init(struct drain *drain, struct common *common, struct frame_writer *fw)
{
	memset(drain, 0, sizeof(*drain));
	drain->common = common;
	drain->fw = fw;
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_descriptor *event = &evt_descriptors[id];

		drain->stands[id] = standing_is_about(id) || segment_digest_has(id) ||
				    drain_lasts(id);
		drain->gpus[id] = gpus_want(id);
		for (unsigned int i = 0; event->name && i < event->field_count; i++) {
			if (event->field[i].codec == EVT_CODEC_name)
				drain->names[id] |= (uint16_t)(1u << i);
			if (event->field[i].is_span)
				drain->spans[id] |= (uint16_t)(1u << i);
			/* the last field */
			drain->has_caller[id] = event->field[i].codec == EVT_CODEC_caller;
		}
	}
}

void drain_release(struct drain *drain)
{
	uint32_t rings = drain->standing ? drain->common->view.shape.ring_count : 0;

	for (uint32_t i = 0; i < rings; i++)
		standing_release(&drain->standing[i]);
	free(drain->standing);
	standing_list_release(&drain->shared);
	lasting_release(&drain->tensors);
	lasting_release(&drain->requests);
	request_sums_release(&drain->request_sums);
	drain->standing = NULL;
}

void drain_forget_callers(struct drain *drain)
{
	memset(drain->caller, 0, sizeof(drain->caller));
}

void drain_note_caller(struct drain *drain, const struct stream *stream, uint64_t caller)
{
	uint64_t page = caller >> PAGE_SHIFT;
	uint64_t key = page << 20 | (stream->process->number & 0xfffff);
	uint64_t *known = &drain->caller[page % DRAIN_CALLERS];

	if (*known == key ||
	    word_is_stack(caller)) /* its frames were noted when they were defined */
		return;
	*known = key;
	if (caller)
		modules_ask(&stream->process->modules, caller);
}

/* Loads `count` fields of a record, which begin at `at`. */
static inline void drain_load_fields(struct drain *drain, const struct stream *stream, uint32_t id,
				     const uint64_t *at, unsigned int count, uint64_t *value)
{
	for (unsigned int i = 0; i < count; i++) {
		value[i] = view_load64(at + i);
		if (drain->names[id] >> i & 1)
			value[i] = names_id(&drain->common->names, value[i]);
		else if (drain->spans[id] >> i & 1)
			value[i] = clockmap_span(&drain->common->clock, value[i]);
	}
	if (drain->has_caller[id])
		drain_note_caller(drain, stream, value[count - 1]);
}

/* Loads the fields of a record in its plain form. */
static void drain_load_plain(struct drain *drain, const struct stream *stream, uint32_t type,
			     const uint64_t *at, uint64_t *value)
{
	drain_load_fields(drain, stream, type, at + 1, record_words[type] - 1u, value);
}

static __attribute__((noinline)) void drain_begin_tally(const struct drain *drain,
							const struct stream *stream)
{
	const struct process *process = stream->process;
	const struct tally_owner owner = {
		.process = process->number,
		.pid = view_load32(&drain->common->view.process[process->entry].pid),
		.rank = process->rank
	};

	tally_begin_thread(drain->common->tallies, stream->index, stream->number, &owner);
}

/* The tally's thread of a stream; NULL if no metrics are wanted, or its process has none. */
static inline struct tally_thread *drain_tally(const struct drain *drain,
					       const struct stream *stream)
{
	struct tallies *tallies = drain->common->tallies;

	if (!tallies)
		return NULL;
	if (tallies->thread[stream->index].stream != stream->number)
		drain_begin_tally(drain, stream);
	return tally_thread_at(tallies, stream->index);
}

/* After the event has been put: one that found no room comes again. */
static __attribute__((noinline)) void drain_tally_event(const struct drain *drain,
							const struct stream *stream, uint32_t id,
							uint64_t ns, const uint64_t *value)
{
	struct tally_thread *thread = drain_tally(drain, stream);

	if (!thread)
		return;
	if (id >= EVT_malloc && id <= EVT_memalign)
		tally_born(drain->common->tallies, thread, value[0], value[1]);
	else if (id == EVT_free || id == EVT_realloc_free)
		tally_dies(drain->common->tallies, thread, value[0]);
	else if (tally_wants[id])
		tally_take(drain->common->tallies, thread, id, ns, value);
}

static inline bool drain_is_followed(const struct drain *drain)
{
	return drain->common->tallies || drain->common->gpu_sums;
}

static struct gpu_sums_place drain_place(const struct stream *stream)
{
	return (struct gpu_sums_place){ stream->index, stream->number, stream->process->number };
}

/* Before an event is put. Returns true if the sums have it, so that it needs no place in a file. */
static __attribute__((noinline)) bool drain_sum_event(const struct drain *drain,
						      const struct stream *stream, uint32_t id,
						      uint64_t ns, uint64_t *value)
{
	const struct gpu_sums_place place = drain_place(stream);

	if (gpu_sums_roles[id] == GPU_SUMS_CALL)
		gpu_sums_take_call(drain->common->gpu_sums, &place, id, ns, value);
	return gpu_sums_roles[id] == GPU_SUMS_WORK &&
	       gpu_sums_take_work(drain->common->gpu_sums, &place, id, ns, value);
}

static __attribute__((noinline)) void drain_note_followed(const struct drain *drain,
							  const struct stream *stream, uint32_t id,
							  uint64_t ns, const uint64_t *value)
{
	const struct gpu_sums_place place = drain_place(stream);

	if (drain->common->tallies)
		drain_tally_event(drain, stream, id, ns, value);
	if (drain->common->gpu_sums && gpu_sums_roles[id] == GPU_SUMS_SCOPE)
		gpu_sums_take_scope(drain->common->gpu_sums, &place, id, ns, value);
}

/*
 * What an event that is in the frame says to others of the collector. One that found no room comes
 * again.
 */
static inline void drain_note_event(struct drain *drain, const struct stream *stream, uint32_t id,
				    uint64_t ns, const uint64_t *value)
{
	if (__builtin_expect(drain_is_followed(drain), 0))
		drain_note_followed(drain, stream, id, ns, value);
	if (drain->stands[id])
		drain_note_standing(drain, stream, id, ns, value);
	if (drain->gpus[id] && drain->common->gpus)
		gpus_take(drain->common->gpus, &drain->common->names, stream->process->number, id,
			  ns, value);
	if (id == EVT_step || id == EVT_detail_start || id == EVT_detail_stop ||
	    id == EVT_gpu_window)
		process_steps_take(stream->process, drain->common, id, ns);
}

static __attribute__((noinline)) int drain_put_plain(struct drain *drain,
						     const struct stream *stream, uint32_t type,
						     uint64_t ns, const uint64_t *at)
{
	uint64_t value[EVT_WORDS_MAX];
	int error;

	drain_load_plain(drain, stream, type, at, value);
	if (type == EVT_unmap)
		modules_note_unmapped(&stream->process->modules, ns, value[0], value[1]);
	if (__builtin_expect(drain->common->gpu_sums != NULL, 0) &&
	    drain_sum_event(drain, stream, type, ns, value))
		error = 0;
	else if (type >= EVT_malloc && type <= EVT_memalign)
		error = frame_put_born(drain->fw, type, ns, value[0], value[1], value[2]);
	else
		error = frame_put(drain->fw, type, ns, value);
	if (!error)
		drain_note_event(drain, stream, type, ns, value);
	return error;
}

static struct evt_malloc packed_load(const uint64_t *at)
{
	uint64_t low = view_load64(at + 1), high = view_load64(at + 2);

	return (struct evt_malloc){ .ptr = record_packed_address(low),
				    .size = record_packed_size(low, high),
				    .caller = record_packed_caller(high) };
}

/* For a record that is preceded by a RECORD_STACK. */
static int drain_put_stack(struct drain *drain, const struct stream *stream, uint32_t type,
			   uint64_t ns, const uint64_t *at)
{
	uint64_t value[EVT_WORDS_MAX];
	struct evt_malloc block;
	int error = 0;

	if (type & RECORD_PACKED) {
		block = packed_load(at);
		memcpy(value, &block, sizeof(block));
	} else {
		drain_load_plain(drain, stream, type, at, value);
	}
	type &= ~RECORD_PACKED;
	if (!drain->common->gpu_sums || !drain_sum_event(drain, stream, type, ns, value))
		error = frame_put_stack(drain->fw, type, ns, value, stream->stack);
	if (!error)
		drain_note_event(drain, stream, type, ns, value);
	return error;
}

/* Kinds of ld.so belong to nobody, so that all its allocations come here. */
static __attribute__((noinline)) void drain_note_kind(struct drain *drain,
						      const struct stream *stream,
						      struct kind *kind,
						      const struct evt_malloc *block, uint64_t ns)
{
	struct modules *modules = &stream->process->modules;
	uint64_t id = block->caller - STACK_WORD, caller = block->caller;

	drain_note_caller(drain, stream, caller);
	if (word_is_stack(caller)) /* whose leaf has been looked at */
		caller = drain->loader_stacks[id % DRAIN_STACKS / 64] >> id % 64 & 1
				 ? modules->loader_start
				 : 0;
	if (!modules_note_allocation(modules, caller, ns))
		kind->owner = stream->process->number;
}

static inline void tally_heap_born(const struct drain *drain, const struct tally_thread *thread,
				   uint32_t type, const struct evt_malloc *block)
{
	if (type != (EVT_pymem_alloc | RECORD_PACKED))
		tally_born(drain->common->tallies, thread, block->ptr, block->size);
}

/* The frame must have room for one more. `thread` is NULL, known to the compiler, or none is. */
static inline __attribute__((always_inline)) int drain_put(struct drain *drain,
							   const struct stream *stream,
							   struct tally_thread *thread,
							   uint32_t type, uint64_t ns,
							   const uint64_t *at)
{
	if (type & RECORD_PACKED) {
		struct evt_malloc block = packed_load(at);
		struct kind *kind = frame_add_born(drain->fw, type & ~RECORD_PACKED, ns, &block);

		if (__builtin_expect(!kind, 0))
			return -1;
		if (__builtin_expect(kind->owner != stream->process->number, 0)) {
			drain_note_kind(drain, stream, kind, &block, ns);
		}
		if (thread)
			tally_heap_born(drain, thread, type, &block);
		return 0;
	}
	if (type == EVT_free || type == EVT_realloc_free || type == EVT_pymem_free) {
		if (!frame_add_dies(drain->fw, type, ns, view_load64(at + 1)))
			return -1;
		if (thread && type != EVT_pymem_free)
			tally_dies(drain->common->tallies, thread, view_load64(at + 1));
		return 0;
	}
	return drain_put_plain(drain, stream, type, ns, at);
}

/* The hot loop, for each of the two functions below. */
static inline __attribute__((always_inline)) enum step drain_batch_with(struct drain *drain,
									const struct stream *stream,
									struct tally_thread *thread,
									struct span *span)
{
	const struct clockmap_segment segment = span->segment;
	const uint64_t *const soft = span->soft, *const stop = span->stop;
	const uint64_t *at = span->at;
	size_t room = frame_block_room(drain->fw);
	const size_t room_before = room;
	uint64_t ticks = span->ticks;
	enum step step = STEP_ON;

	for (; at < soft && room; room--) {
		uint64_t first = view_load64(at);
		uint32_t type = record_type(first);
		uint32_t words = record_words[type];
		uint64_t now = record_ticks(first);

		/* no length at all wraps around, and so is too long as well */
		if (words - 1u >= (size_t)(stop - at) || now - segment.from > segment.span) {
			step = STEP_SLOW;
			break;
		}
		if (drain_put(drain, stream, thread, type, clockmap_scale(&segment, now), at)) {
			step = STEP_FULL;
			break;
		}
		ticks = now;
		at += words;
	}
	span->ticks = ticks;
	span->at = at;
	span->records += room_before - room;
	return step;
}

static __attribute__((noinline)) enum step drain_batch_tallied(struct drain *drain,
							       const struct stream *stream,
							       struct tally_thread *thread,
							       struct span *span)
{
	return drain_batch_with(drain, stream, thread, span);
}

static enum step drain_batch(struct drain *drain, const struct stream *stream, struct span *span)
{
	struct tally_thread *thread = drain_tally(drain, stream);

	if (__builtin_expect(thread != NULL, 0))
		return drain_batch_tallied(drain, stream, thread, span);
	return drain_batch_with(drain, stream, NULL, span);
}

/* Finds the piece of the clock for `ticks`, and cuts it at the limit. */
static void span_set_clock(struct span *span, const struct clockmap *clock, uint64_t ticks)
{
	struct clockmap_segment segment = *clockmap_find(clock, ticks);

	if (ticks < segment.from) { /* older than everything that is kept */
		segment.at_ns = clockmap_ns(clock, ticks);
		segment.from = ticks;
		segment.span = 0;
	}
	if (segment.span > span->limit - segment.from)
		segment.span = span->limit - segment.from;
	span->segment = segment;
}

/* Words of a RECORD_IN_BLOCK with this number; 0: no recorder writes such an event. */
static uint64_t in_block_words(uint64_t number)
{
	uint32_t id = number < EVT_ID_BLOCKS ? 0 : evt_id_of_number(number);
	const struct evt_descriptor *event = &evt_descriptors[id];

	if (!id || event->family == EVT_FAMILY_system)
		return 0;
	for (unsigned int i = 0; i < event->field_count; i++)
		if (event->field[i].codec == EVT_CODEC_text)
			return 0;
	return RECORD_IN_BLOCK_HEAD + event->field_count;
}

/* None of these events is a hot one. */
static enum step drain_in_block(struct drain *drain, struct stream *stream, struct span *span)
{
	uint64_t ticks = record_ticks(view_load64(span->at)), number, words, ns;
	uint64_t value[EVT_WORDS_MAX];
	enum step step = span_judge_time(span);
	uint32_t id;
	int error;

	if (span->stop - span->at < (ptrdiff_t)RECORD_IN_BLOCK_HEAD)
		return STEP_BAD;
	number = view_load64(span->at + 1);
	words = in_block_words(number);
	if (!words || words > (uint64_t)(span->stop - span->at))
		return STEP_BAD;
	if (step != STEP_ON)
		return step;
	id = evt_id_of_number(number);
	drain_load_fields(drain, stream, id, span->at + RECORD_IN_BLOCK_HEAD,
			  (unsigned int)(words - RECORD_IN_BLOCK_HEAD), value);
	ns = clockmap_ns(&drain->common->clock, ticks);
	error = stream->stack ? frame_put_stack(drain->fw, id, ns, value, stream->stack)
			      : frame_put(drain->fw, id, ns, value);
	if (error)
		return STEP_FULL;
	drain_note_event(drain, stream, id, ns, value);
	stream->stack = 0;
	span->ticks = ticks;
	span->at += words;
	span->records++;
	return STEP_ON;
}

/* Handles the record at span->at that stopped the inner loop. */
static enum step drain_slow(struct drain *drain, struct stream *stream, struct span *span)
{
	uint64_t first = view_load64(span->at);
	uint32_t type = record_type(first);
	uint64_t ticks = record_ticks(first);

	if (definition_is(type))
		return definition_take(drain, stream, span);
	if (type == RECORD_IN_BLOCK)
		return drain_in_block(drain, stream, span);
	if (type == RECORD_PAD) {
		/* must fill exactly the rest of the ring; its ticks are its length */
		if (!span->to_end || ticks != (uint64_t)(span->stop - span->at))
			return STEP_BAD;
		span->at = span->stop;
		return STEP_ON;
	}
	if (!record_words[type] || record_words[type] > span->stop - span->at)
		return STEP_BAD;
	if (span_judge_time(span) != STEP_ON)
		return span_judge_time(span);
	span_set_clock(span, &drain->common->clock, ticks);
	return STEP_ON;
}

/* For a record whose stack is known. */
static enum step drain_stacked(struct drain *drain, struct stream *stream, struct span *span)
{
	const uint64_t *at = span->at;
	uint64_t first = view_load64(at);
	uint32_t type = record_type(first);
	enum step step = drain_slow(drain, stream, span);

	if (step != STEP_ON || span->at != at)
		return step; /* a name or a frame came first, or it is too early for the record */
	if (drain_put_stack(drain, stream, type,
			    clockmap_scale(&span->segment, record_ticks(first)), at))
		return STEP_FULL;
	stream->stack = 0;
	span->ticks = record_ticks(first);
	span->at += record_words[type];
	span->records++;
	return STEP_ON;
}

/*
 * Words of the record at `at`; 0: no recorder has written it, or it extends beyond what is there.
 */
static uint64_t record_length(const uint64_t *at, uint64_t left, bool to_end)
{
	uint64_t first = view_load64(at), words;

	switch (record_type(first)) {
	case RECORD_PAD:
		words = to_end ? record_ticks(first) : 0;
		break;
	case RECORD_TEXT:
		words = RECORD_PIECE_WORDS;
		break;
	case RECORD_FRAME:
		words = RECORD_FRAME_WORDS;
		break;
	case RECORD_STACK:
		words = RECORD_STACK_WORDS;
		break;
	case RECORD_LINE:
		words = RECORD_LINE_WORDS;
		break;
	case RECORD_UNLOADED:
		words = RECORD_UNLOADED_WORDS;
		break;
	case RECORD_IN_BLOCK:
		words = left > 1 ? in_block_words(view_load64(at + 1)) : 0;
		break;
	default:
		words = record_words[record_type(first)];
	}
	return words <= left ? words : 0;
}

/* A record that does not fit even into an empty frame is given up. */
static enum step drain_refused(struct drain *drain, struct stream *stream, struct span *span)
{
	if (drain->in_frame || span->records)
		return STEP_FULL;
	stream->stack = 0;
	span->at += record_length(span->at, (uint64_t)(span->stop - span->at), false);
	drain->refused++;
	return STEP_ON;
}

/* Takes up to BATCH_WORDS from the tail on. */
static enum step drain_some(struct drain *drain, struct stream *stream, struct span *span,
			    uint64_t head)
{
	uint64_t offset = stream->tail & (stream->word_count - 1);
	uint64_t to_end = stream->word_count - offset;
	uint64_t waiting = head - stream->tail;
	const uint64_t *from = stream->words + offset;
	enum step step;

	span->at = from;
	span->to_end = to_end <= waiting;
	span->stop = from + (to_end <= waiting ? to_end : waiting);
	span->soft = span->stop - from > (ptrdiff_t)BATCH_WORDS ? from + BATCH_WORDS : span->stop;
	if (!stream->stack) {
		step = drain_batch(drain, stream, span);
		if (step == STEP_SLOW)
			step = drain_slow(drain, stream, span);
	} else {
		step = drain_stacked(drain, stream, span);
	}
	if (step == STEP_ON && stream->stack && span->at < span->stop &&
	    frame_block_room(drain->fw))
		step = drain_stacked(drain, stream, span);
	if (step == STEP_FULL)
		step = drain_refused(drain, stream, span);
	stream->tail += (uint64_t)(span->at - from);
	stream->process->words += (uint64_t)(span->at - from);
	return step;
}

/* Returns false if the frame has no room for another block. */
static bool drain_next_block(struct drain *drain, const struct stream *stream)
{
	if (frame_end_block(drain->fw))
		return false;
	frame_begin_block(drain->fw, stream->number);
	return frame_block_room(drain->fw) > 0;
}

static enum drain_result drain_loop(struct drain *drain, struct stream *stream, struct span *span,
				    uint64_t most)
{
	struct region_ring *ring = &drain->common->view.ring[stream->index];
	uint64_t head = stream->tail + stream_backlog(stream, ring);
	uint64_t target = head - stream->tail > most ? stream->tail + most : head;

	if (head - stream->tail > stream->word_count)
		return DRAIN_SHUT;
	if (!frame_block_room(drain->fw))
		return DRAIN_FULL;
	while ((int64_t)(target - stream->tail) > 0) {
		enum step step = drain_some(drain, stream, span, head);

		if (step == STEP_BAD)
			return DRAIN_SHUT;
		stream_publish(stream, ring);
		if (step == STEP_FULL)
			return DRAIN_FULL;
		if (step == STEP_LATER)
			return DRAIN_DONE;
		if (!frame_block_room(drain->fw) && !drain_next_block(drain, stream))
			return DRAIN_FULL;
	}
	return target == head ? DRAIN_DONE : DRAIN_MORE;
}

void drain_look_for_frames(struct drain *drain, const struct stream *stream)
{
	uint64_t backlog = stream_backlog(stream, &drain->common->view.ring[stream->index]);
	uint64_t at = stream->tail, words;

	if (backlog > stream->word_count)
		return; /* an invalid record, which is found when it is drained */
	for (uint64_t head = at + backlog; at != head; at += words) {
		uint64_t offset = at & (stream->word_count - 1);
		uint64_t to_end = stream->word_count - offset;
		bool ends = to_end <= head - at;

		words = record_length(stream->words + offset, ends ? to_end : head - at, ends);
		if (!words)
			return;
		if (record_type(view_load64(stream->words + offset)) == RECORD_FRAME)
			definition_put_frame(drain, stream->words + offset);
	}
}

enum drain_result drain_stream(struct drain *drain, struct stream *stream, uint64_t limit,
			       uint64_t most)
{
	struct span span = { .limit = limit };
	enum drain_result result;

	if (!stream_backlog(stream, &drain->common->view.ring[stream->index]))
		return DRAIN_DONE;
	span_set_clock(&span, &drain->common->clock, limit);
	frame_begin_block(drain->fw, stream->number);
	result = drain_loop(drain, stream, &span, most);
	if (frame_end_block(drain->fw) && result != DRAIN_SHUT)
		result = DRAIN_FULL;
	drain->records += span.records;
	drain->in_frame += span.records;
	if (span.ticks > drain->newest)
		drain->newest = span.ticks;
	if (span.ticks > stream->newest_ticks)
		stream->newest_ticks = span.ticks;
	if (span.ticks > stream->process->newest_ticks)
		stream->process->newest_ticks = span.ticks;
	if (result == DRAIN_SHUT)
		stream_close(stream, drain->common, clockmap_ns(&drain->common->clock, limit));
	return result;
}
