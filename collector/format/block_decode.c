/* SPDX-License-Identifier: MIT */
/*
 * Decodes columns. No byte is trusted: a cursor that reaches its end fails, failed cursors are
 * found when the block is done, and nothing that was read is used as an index without a check.
 * Kinds, times and the heap's numbers are unpacked a column at a time; then the records that matter
 * are visited.
 */
#include "collector/format/block_decode.h"

#include "collector/format/block_kinds.h"
#include "collector/format/error.h"
#include "collector/format/heap_decode.h"
#include "collector/format/kinds_wide.h"
#include "collector/format/own_decode.h"

void decoder_forget_kinds(struct decoder *d, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		d->class_of[i] = CLASS_NOTHING;
	d->kind_count = 0;
}

void decoder_init(struct decoder *d)
{
	varint_lanes_init(&d->lanes);
	d->has_wide_kinds = kinds_wide_is_usable();
}

void decoder_release(struct decoder *d)
{
	varints_release(&d->numbers);
	for (unsigned int i = 0; i < COLUMN_SHARED; i++)
		varints_release(&d->shared[i]);
}

/* For kinds whose number takes three bytes. */
static void numbers_put_late(struct decoder *d, uint16_t *number)
{
	const struct varint_late *late = d->numbers.late;
	uint64_t beyond = 0;

	for (size_t i = 0; i < d->numbers.late_count; i++) {
		beyond |= late[i].value >> 16;
		number[late[i].at] = (uint16_t)late[i].value;
	}
	if (beyond)
		d->number_failed = true;
}

/*
 * Unpacks the values of the shared columns for all records. Either all of these columns are there,
 * or none.
 */
static int decoder_unpack_shared(struct decoder *d, const size_t *count)
{
	static const enum column_key keys[] = { COLUMN_TIME, COLUMN_HEAP_TIME, COLUMN_BORN,
						COLUMN_DIES, COLUMN_SIZE };
	int error = 0;

	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]) && !error; i++)
		error = varints_unpack(&d->shared[keys[i]], &d->lanes, &d->column[keys[i]],
				       count[keys[i]]);
	if (!error)
		error = varints_add_up(&d->shared[COLUMN_TIME], &d->lanes, count[COLUMN_TIME]);
	if (!error)
		error = varints_add_up(&d->shared[COLUMN_HEAP_TIME], &d->lanes,
				       count[COLUMN_HEAP_TIME]);
	return error;
}

static uint64_t decoder_bytes(const struct decoder *d)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < d->used_count; i++)
		bytes += cursor_left(&d->column[d->used[i]]);
	return bytes;
}

int decoder_read_kinds(struct decoder *d, struct decoder_needs *ret_needs)
{
	struct decoder_needs needs = { 0 };
	uint64_t values = 0, bytes = decoder_bytes(d);
	size_t shared[COLUMN_SHARED] = { 0 };
	int error = varints_unpack(&d->numbers, &d->lanes, &d->column[COLUMN_KIND], d->count);

	d->number_failed = false;
	if (!error)
		numbers_put_late(d, d->numbers.value);
	if (!error)
		error = d->number_failed ? EVT_CORRUPT : kinds_list(d);
	if (error)
		return error;
	for (uint32_t id = 0; id < d->plans->id_limit; id++) {
		const struct event_plan *plan = &d->plan[id];
		uint64_t records = d->records_of[id];

		values += records * plan->values;
		shared[COLUMN_BORN] += records * plan->births;
		shared[COLUMN_DIES] += records * plan->deaths;
		shared[COLUMN_SIZE] += records * plan->sizes;
		needs.heap += plan->is_record ? d->records_of[id] : 0;
		if (plan_makes_event(plan->shape)) {
			needs.events += d->records_of[id];
			needs.words += records * (plan->words + plan->extra);
		} else if (records) {
			needs.passes = true;
		}
	}
	if (values > bytes) /* checked before memory is allocated */
		return EVT_CORRUPT;
	*ret_needs = needs;
	shared[COLUMN_TIME] = d->count - d->heap_records;
	shared[COLUMN_HEAP_TIME] = d->heap_records;
	return decoder_unpack_shared(d, shared);
}

/* Index in `named` of the address that the code refers to; HEAP_WINDOW if it refers to none. */
static inline uint32_t trail_place(const struct trail *named, uint64_t code)
{
	uint64_t ago = code - TRAIL_NEAR;

	if (__builtin_expect(ago > named->count || ago > HEAP_WINDOW, 0))
		return HEAP_WINDOW;
	return (named->count - (uint32_t)ago) % HEAP_WINDOW;
}

static inline uint64_t trail_get_far(struct trail *own, struct cursor *far, uint64_t code)
{
	own->last_far = address_of_code(get_far(far, code + 1), own->last_far);
	return own->last_far;
}

static inline void block_decode_trail_add(struct trail *trail, uint64_t address, uint32_t open)
{
	trail->address[trail->count % HEAP_WINDOW] = address;
	trail->open[trail->count % HEAP_WINDOW] = open;
	trail->count++;
}

/* `mark`: 1 + index of event_is_brief() in the output's words; 0: it is not wanted. */
static inline uint64_t decoder_get_born(struct decoder *d, uint32_t mark)
{
	uint64_t code = varints_next(&d->shared[COLUMN_BORN]), address;
	uint32_t place, open = 0;

	if (code < TRAIL_FAR_MAX) {
		address = trail_get_far(&d->births, &d->column[COLUMN_BORN_ADDRESS], code);
	} else {
		place = trail_place(&d->deaths, code);
		if (__builtin_expect(place == HEAP_WINDOW, 0)) {
			d->column[COLUMN_BORN].failed = true;
			return 0;
		}
		address = d->deaths.address[place];
		open = d->deaths.open[place] ? mark : 0;
		d->deaths.open[place] = 0;
	}
	block_decode_trail_add(&d->births, address, open);
	return address;
}

static inline uint64_t decoder_get_dies(struct decoder *d, uint32_t mark, uint64_t *words)
{
	uint64_t code = varints_next(&d->shared[COLUMN_DIES]), address;
	uint32_t place;

	if (code < TRAIL_FAR_MAX) {
		address = trail_get_far(&d->deaths, &d->column[COLUMN_DIES_ADDRESS], code);
	} else {
		place = trail_place(&d->births, code);
		if (__builtin_expect(place == HEAP_WINDOW, 0)) {
			d->column[COLUMN_DIES].failed = true;
			return 0;
		}
		address = d->births.address[place];
		if (mark && d->births.open[place])
			words[d->births.open[place] - 1] = 1;
		d->births.open[place] = 0;
	}
	block_decode_trail_add(&d->deaths, address, mark);
	return address;
}

static inline uint64_t decoder_get_size(struct decoder *d, struct decoder_kind *kind)
{
	kind->size = size_of_code(varints_next(&d->shared[COLUMN_SIZE]), kind->size);
	return kind->size;
}

/* `mark` and `words` are needed for event_is_brief(), if the event has it. */
static inline uint64_t decoder_get_shared(struct decoder *d, struct decoder_kind *kind,
					  enum evt_codec codec, uint32_t mark, uint64_t *words)
{
	if (codec == EVT_CODEC_born)
		return decoder_get_born(d, mark);
	if (codec == EVT_CODEC_dies)
		return decoder_get_dies(d, mark, words);
	return decoder_get_size(d, kind);
}

static inline bool codec_is_shared(uint8_t codec)
{
	return codec == EVT_CODEC_born || codec == EVT_CODEC_dies || codec == EVT_CODEC_size;
}

/* Clears two words at a time. */
static inline void words_clear(uint64_t *words, unsigned int count)
{
	for (unsigned int i = 0; i + 1 < count; i += 2)
		memset(&words[i], 0, 2 * sizeof(*words));
	if (count % 2)
		words[count - 1] = 0;
}

static void decoder_get_generic(struct decoder *d, struct decoder_kind *kind, uint64_t *words)
{
	const struct event_plan *plan = &d->plan[kind->id];

	words_clear(words, kind->words);
	if (plan->caller_word != PLAN_NOWHERE)
		words[plan->caller_word] = kind->caller;
	for (unsigned int i = 0; i < plan->steps; i++) {
		const struct plan_step *step = &plan->step[i];
		uint64_t value;

		if (!codec_is_shared(step->codec)) {
			own_get(d, step, &words[step->word]);
			continue;
		}
		value = decoder_get_shared(d, kind, (enum evt_codec)step->codec, 0, words);
		if (step->word != PLAN_NOWHERE)
			words[step->word] = value;
	}
}

/* For a record that is no event: its values are only skipped. Returns the sum of its sizes. */
static inline uint64_t decoder_walk(struct decoder *d, struct decoder_kind *kind)
{
	const struct event_plan *plan = &d->plan[kind->id];
	uint64_t bytes = 0, value;

	for (unsigned int i = 0; i < plan->steps; i++) {
		enum evt_codec codec = (enum evt_codec)plan->step[i].codec;

		value = decoder_get_shared(d, kind, codec, 0, NULL);
		bytes += codec == EVT_CODEC_size ? value : 0;
	}
	return bytes;
}

static inline void decoder_record_born(struct decoder *d, struct decoder_kind *kind,
				       struct heap_record *record, uint32_t index)
{
	uint64_t code = varints_next(&d->shared[COLUMN_BORN]);
	uint32_t place;

	if (code < TRAIL_FAR_MAX) {
		record->address = trail_get_far(&d->births, &d->column[COLUMN_BORN_ADDRESS], code);
		record->is_renewed = false;
	} else {
		place = trail_place(&d->deaths, code);
		if (__builtin_expect(place == HEAP_WINDOW, 0)) {
			d->column[COLUMN_BORN].failed = true;
			place = 0;
		}
		record->address = d->deaths.address[place];
		record->is_renewed = d->deaths.open[place];
		d->deaths.open[place] = 0;
	}
	record->size = decoder_get_size(d, kind);
	record->partner = (uint16_t)index;
	block_decode_trail_add(&d->births, record->address, index + 1);
}

static inline void decoder_record_dies(struct decoder *d, struct heap_record *all, uint32_t index)
{
	uint64_t code = varints_next(&d->shared[COLUMN_DIES]);
	struct heap_record *record = &all[index];
	uint32_t place, birth;

	record->size = 0;
	record->partner = (uint16_t)index;
	record->is_renewed = false;
	if (code < TRAIL_FAR_MAX) {
		record->address = trail_get_far(&d->deaths, &d->column[COLUMN_DIES_ADDRESS], code);
	} else {
		place = trail_place(&d->births, code);
		if (__builtin_expect(place == HEAP_WINDOW, 0)) {
			d->column[COLUMN_DIES].failed = true;
			place = 0;
		}
		record->address = d->births.address[place];
		birth = d->births.open[place];
		d->births.open[place] = 0;
		if (birth) {
			record->partner = (uint16_t)(birth - 1);
			record->size = all[birth - 1].size;
			all[birth - 1].partner = (uint16_t)index;
		}
	}
	block_decode_trail_add(&d->deaths, record->address, 1);
}

/* In the form that the file describes; without a partner. */
static void decoder_record_generic(struct decoder *d, struct decoder_kind *kind,
				   struct heap_record *record, uint32_t index)
{
	uint64_t words[2 * EVT_WORDS_MAX] = { 0 };
	const struct event_plan *plan = &d->plan[kind->id];

	for (unsigned int i = 0; i < plan->steps; i++) {
		const struct plan_step *step = &plan->step[i];

		if (codec_is_shared(step->codec))
			words[step->word] = decoder_get_shared(d, kind, (enum evt_codec)step->codec,
							       0, words);
		else
			own_get(d, step, &words[step->word]);
	}
	record->address = words[0];
	record->size = kind->record == HEAP_RECORD_BORN ? words[1] : 0;
	record->partner = (uint16_t)index;
	record->is_renewed = false;
}

/* Returns the record's size. */
static inline uint64_t decoder_get_record(struct decoder *d, uint16_t number,
					  struct heap_record *all, uint32_t index)
{
	struct decoder_kind *kind = &d->kind[number];
	struct heap_record *record = &all[index];

	record->site = number;
	switch (d->plans->full[kind->id].shape) {
	case PLAN_BORN:
		decoder_record_born(d, kind, record, index);
		break;
	case PLAN_DIES:
		decoder_record_dies(d, all, index);
		break;
	default:
		decoder_record_generic(d, kind, record, index);
	}
	return record->size;
}

/* For an event whose values went into a record. */
static void record_put_words(const struct heap_record *record, const struct decoder_kind *kind,
			     uint64_t *words)
{
	memset(words, 0, kind->words * sizeof(*words));
	words[0] = record->address;
	if (kind->record != HEAP_RECORD_BORN)
		return;
	words[1] = record->size;
	words[2] = kind->caller;
}

/* Every column must end with its last value. */
static int decoder_check_ends(const struct decoder *d)
{
	for (uint32_t i = 0; i < d->used_count; i++) {
		const struct cursor *c = &d->column[d->used[i]];

		if (c->failed || c->at != c->end)
			return EVT_CORRUPT;
	}
	return 0;
}

static inline void decoder_get_words(struct decoder *d, struct decoder_kind *kind, uint64_t *words,
				     uint64_t *all)
{
	/* the index after the event's words, counted from 1 */
	uint32_t mark = (uint32_t)(words - all) + kind->words;

	if (kind->shape == PLAN_BORN) {
		words[0] = decoder_get_born(d, mark);
		words[1] = decoder_get_size(d, kind);
		words[2] = kind->caller;
		words[3] = 0;
	} else if (kind->shape == PLAN_DIES) {
		words[0] = decoder_get_dies(d, mark, all);
		words[1] = 0;
	} else {
		decoder_get_generic(d, kind, words);
	}
}

static uint32_t decoder_first_is_heap(const struct decoder *d)
{
	return d->heap_records && d->plan[d->kind[d->numbers.value[0]].id].is_heap;
}

/* What has been decoded from the block so far. */
struct reading {
	struct heap_place place;
	struct event *event;
	uint64_t *words;
	struct block_sum *sum;
	uint32_t *heap_before;
};

/*
 * Reads a run of events whose values can all wait. Words that are not read must be 0, so they are
 * cleared unless all are read.
 */
static void decoder_read_waiting(struct decoder *d, struct reading *out)
{
	struct reading r = *out;
	uint32_t visit = r.place.visit;

	for (; visit < d->visited_count; visit++) {
		uint32_t record = d->visited[visit], heap = d->visited_heap[visit];
		uint16_t number = d->numbers.value[record];
		const struct decoder_kind *kind = &d->kind[number];

		if (!kind->may_wait)
			break;
		*r.event++ = (struct event){ block_clock_at(&r.place.clock, record + 1 - heap,
							    heap),
					     d->stream,
					     (uint8_t)kind->id,
					     kind->fields,
					     number,
					     r.words };
		if (!kind->is_full)
			words_clear(r.words, kind->words);
		if (kind->caller_word != PLAN_NOWHERE)
			r.words[kind->caller_word] = kind->caller;
		own_wait(d, kind->id, r.words);
		r.words += kind->words;
		if (r.sum)
			*r.sum++ = r.place.sum;
		if (r.heap_before)
			*r.heap_before++ = r.place.records;
	}
	r.place.visit = visit;
	*out = r;
}

/* Reads a record of any kind. */
static void decoder_read_record(struct decoder *d, struct reading *r,
				const struct decoder_output *output)
{
	uint32_t visit = r->place.visit++, record = d->visited[visit];
	uint32_t heap = d->visited_heap[visit];
	uint16_t number = d->numbers.value[record];
	struct decoder_kind *kind = &d->kind[number];
	uint64_t time_ns = block_clock_at(&r->place.clock, record + 1 - heap, heap), bytes = 0;

	if (kind->record) {
		bytes = decoder_get_record(d, number, output->heap, r->place.records);
		output->heap[r->place.records++].time_ns = time_ns;
	} else if (!plan_makes_event(kind->shape)) {
		bytes = decoder_walk(d, kind);
	}
	if (!plan_makes_event(kind->shape)) {
		r->place.sum.events += kind->is_sum;
		r->place.sum.bytes += kind->is_sum ? bytes : 0;
		return;
	}
	if (kind->record)
		record_put_words(&output->heap[r->place.records - 1], kind, r->words);
	else
		decoder_get_words(d, kind, r->words, output->words);
	*r->event++ = (struct event){ time_ns,      d->stream, (uint8_t)kind->id,
				      kind->fields, number,    r->words };
	r->words += kind->words;
	if (r->sum)
		*r->sum++ = r->place.sum;
	if (r->heap_before)
		*r->heap_before++ = r->place.records;
}

int decoder_read_values(struct decoder *d, struct decoder_output *output)
{
	struct reading r = {
		.place.clock = block_clock_of(&d->shared[COLUMN_TIME],
					      &d->shared[COLUMN_HEAP_TIME]),
		.event = output->event,
		.words = output->words,
		.sum = output->sum,
		.heap_before = output->heap_before,
	};
	uint32_t heap = decoder_first_is_heap(d);

	d->births.count = d->deaths.count = 0;
	d->births.last_far = d->deaths.last_far = 0;
	output->first_ns = block_clock_at(&r.place.clock, !heap, heap);
	while (r.place.visit < d->visited_count) {
		const struct decoder_kind
			*kind = &d->kind[d->numbers.value[d->visited[r.place.visit]]];

		if (kind->quick == QUICK_SIZE)
			decoder_read_sizes(d, &r.place);
		else if (kind->quick)
			decoder_read_heap(d, output->heap, &r.place);
		else if (kind->may_wait)
			decoder_read_waiting(d, &r);
		else
			decoder_read_record(d, &r, output);
	}
	own_fill_all(d);
	heap = d->heap_records;
	output->last_ns = block_clock_at(&r.place.clock, d->count - heap, heap);
	if (r.sum)
		*r.sum = r.place.sum;
	return decoder_check_ends(d);
}
