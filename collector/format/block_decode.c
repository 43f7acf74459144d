/* SPDX-License-Identifier: MIT */
/*
 * Decoding of columns. Trusts no byte: a cursor that runs out fails, a failed cursor is found when
 * the block is done, and nothing that was read is used as an index without a check.
 */
#include "collector/format/block_decode.h"

#include "collector/format/error.h"

static bool plan_is_born(const struct event_plan *p)
{
	return p->steps == 2 && p->words == 3 && p->has_caller &&
	       p->step[0].codec == EVT_CODEC_born && p->step[0].word == 0 &&
	       p->step[1].codec == EVT_CODEC_size && p->step[1].word == 1;
}

static bool plan_is_dies(const struct event_plan *p)
{
	return p->steps == 1 && p->words == 1 && !p->has_caller &&
	       p->step[0].codec == EVT_CODEC_dies;
}

/* The field that is number `number` in the file becomes the next step. */
static void plan_add_step(struct event_plan *p, const struct schema_event *event, uint32_t id,
			  uint32_t number)
{
	unsigned int word = 0;

	for (unsigned int i = 0; i < event->field_count; i++) {
		const struct schema_field *field = &event->field[i];

		if (field->number == number && field->codec != EVT_CODEC_caller) {
			p->step[p->steps++] = (struct plan_step){
				(uint8_t)field->codec, (uint8_t)word,
				(uint16_t)column_of_field(id, number)
			};
			p->values++;
		}
		word += field->codec == EVT_CODEC_text ? 2 : 1;
	}
}

static void plan_make(struct event_plan *p, const struct schema_event *event, uint32_t id)
{
	*p = (struct event_plan){ .values = 2 };
	for (unsigned int i = 0; i < event->field_count; i++) {
		if (event->field[i].codec == EVT_CODEC_caller &&
		    event->field[i].number != SCHEMA_ABSENT) {
			p->has_caller = true;
			p->caller_word = p->words;
		}
		p->words += event->field[i].codec == EVT_CODEC_text ? 2 : 1;
	}
	for (uint32_t number = 0; number < EVT_FIELDS_MAX; number++)
		plan_add_step(p, event, id, number);
	p->shape = plan_is_born(p) ? PLAN_BORN : plan_is_dies(p) ? PLAN_DIES : PLAN_GENERIC;
}

void decoder_make_plans(struct decoder *d, const struct schema *schema)
{
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		if (schema->event[id].name)
			plan_make(&d->plan[id], &schema->event[id], id);
	}
}

/* As get_varint(), made for values of one or two bytes in no order that a processor could guess. */
static inline uint64_t get_short(struct cursor *c)
{
	if (__builtin_expect(c->end - c->at >= 2, 1)) {
		uint64_t one = c->at[0], two = c->at[1];

		if (__builtin_expect((one & two) < 0x80, 1)) {
			uint64_t more = one >> 7;

			c->at += 1 + more;
			return (one & 0x7f) | (two & -more) << 7;
		}
	}
	return get_varint(c);
}

int decoder_read_kinds(struct decoder *d, uint64_t *ret_words)
{
	struct cursor c = d->column[COLUMN_KIND];
	uint64_t words = 0, values = 0, bytes = 0;

	for (uint32_t i = 0; i < d->used_count; i++)
		bytes += cursor_left(&d->column[d->used[i]]);
	if (d->count > cursor_left(&c) || d->count > cursor_left(&d->column[COLUMN_TIME]))
		return EVT_CORRUPT;
	for (uint32_t i = 0; i < d->count; i++) {
		uint64_t number = get_varint(&c);

		if (number >= d->kind_count)
			return EVT_CORRUPT;
		d->number[i] = (uint16_t)number;
		words += d->kind[number].words;
		values += d->kind[number].values;
	}
	d->column[COLUMN_KIND] = c;
	if (c.failed || c.at != c.end || values > bytes)
		return EVT_CORRUPT;
	*ret_words = words;
	return 0;
}

static inline void trail_add(struct trail *trail, uint64_t address)
{
	trail->address[trail->count++ % HEAP_WINDOW] = address;
}

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

/* The address that the next of `codes` names in `named`, or the next one of `far`. */
static inline uint64_t trail_get(struct cursor *codes, struct cursor *far,
				 const struct trail *named, struct trail *own)
{
	uint64_t code = get_short(codes);
	uint64_t ago = code - TRAIL_NEAR;
	uint64_t address;

	if (code < TRAIL_FAR_MAX) {
		address = address_of_code(get_far(far, code + 1), own->last_far);
		own->last_far = address;
	} else {
		if (__builtin_expect(ago > named->count || ago > HEAP_WINDOW, 0))
			codes->failed = true;
		address = named->address[(named->count - ago) % HEAP_WINDOW];
	}
	trail_add(own, address);
	return address;
}

static inline uint64_t decoder_get_born(struct decoder *d)
{
	return trail_get(&d->column[COLUMN_BORN], &d->column[COLUMN_BORN_ADDRESS], &d->deaths,
			 &d->births);
}

static inline uint64_t decoder_get_dies(struct decoder *d)
{
	return trail_get(&d->column[COLUMN_DIES], &d->column[COLUMN_DIES_ADDRESS], &d->births,
			 &d->deaths);
}

static inline uint64_t decoder_get_size(struct decoder *d, struct decoder_kind *kind)
{
	kind->size = size_of_code(get_short(&d->column[COLUMN_SIZE]), kind->size);
	return kind->size;
}

static void decoder_get_text(struct cursor *c, uint64_t *word)
{
	uint64_t length = get_varint(c);
	const uint8_t *bytes = get_bytes(c, length);

	word[0] = (uint64_t)(uintptr_t)bytes;
	word[1] = bytes ? length : 0;
}

static void decoder_get_step(struct decoder *d, struct decoder_kind *kind,
			     const struct plan_step *step, uint64_t *word)
{
	struct cursor *c = &d->column[step->column];

	switch (step->codec) {
	case EVT_CODEC_born:
		*word = decoder_get_born(d);
		break;
	case EVT_CODEC_dies:
		*word = decoder_get_dies(d);
		break;
	case EVT_CODEC_size:
		*word = decoder_get_size(d, kind);
		break;
	case EVT_CODEC_sint:
		*word = (uint64_t)unzigzag(get_varint(c));
		break;
	case EVT_CODEC_addr:
		*word = address_of_code(get_varint(c), d->last_address[step->column]);
		d->last_address[step->column] = *word;
		break;
	case EVT_CODEC_text:
		decoder_get_text(c, word);
		break;
	default:
		*word = get_varint(c);
	}
}

static void decoder_get_generic(struct decoder *d, struct decoder_kind *kind, uint64_t *words)
{
	const struct event_plan *plan = &d->plan[kind->id];

	for (unsigned int i = 0; i < plan->words; i++)
		words[i] = 0;
	for (unsigned int i = 0; i < plan->steps; i++)
		decoder_get_step(d, kind, &plan->step[i], &words[plan->step[i].word]);
	if (plan->has_caller)
		words[plan->caller_word] = kind->caller;
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

int decoder_read_values(struct decoder *d, struct event *event, uint64_t *words)
{
	uint64_t time_ns = 0;

	d->births.count = d->deaths.count = 0;
	d->births.last_far = d->deaths.last_far = 0;
	for (uint32_t i = 0; i < d->count; i++) {
		struct decoder_kind *kind = &d->kind[d->number[i]];

		time_ns += get_short(&d->column[COLUMN_TIME]);
		event[i] = (struct event){ time_ns, d->stream, kind->id, kind->words, words };
		if (kind->shape == PLAN_BORN) {
			words[0] = decoder_get_born(d);
			words[1] = decoder_get_size(d, kind);
			words[2] = kind->caller;
		} else if (kind->shape == PLAN_DIES) {
			words[0] = decoder_get_dies(d);
		} else {
			decoder_get_generic(d, kind, words);
		}
		words += kind->words;
	}
	return decoder_check_ends(d);
}
