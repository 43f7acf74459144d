/* SPDX-License-Identifier: MIT */
/* Columns of single fields: see own_decode.h. A cursor that runs out fails and gives zeros, whoever reads it. */
#include "collector/format/own_decode.h"

static bool codec_is_own(uint8_t codec)
{
	return codec != EVT_CODEC_born && codec != EVT_CODEC_dies && codec != EVT_CODEC_size;
}

bool own_may_wait(const struct event_plan *plan)
{
	bool may = plan->shape == PLAN_GENERIC && !plan->is_record;

	for (unsigned int i = 0; i < plan->steps; i++)
		may &= codec_is_own(plan->step[i].codec);
	return may;
}

/* Its first two bytes in registers: longer numbers are rare in most columns. */
static inline uint64_t next_varint(struct cursor *c)
{
	const uint8_t *at = c->at;

	if (__builtin_expect(c->end - at >= 2, 1)) {
		uint32_t low = at[0], high = at[1];

		if (low < 0x80) {
			c->at = at + 1;
			return low;
		}
		if (high < 0x80) {
			c->at = at + 2;
			return (low & 0x7f) | high << 7;
		}
	}
	return get_varint(c);
}

static inline void text_get(struct cursor *c, uint64_t *word)
{
	uint64_t length = get_varint(c);
	const uint8_t *bytes = get_bytes(c, length);

	word[0] = (uint64_t)(uintptr_t)bytes;
	word[1] = bytes ? length : 0;
}

static void column_read(struct decoder *d, const struct plan_step *step,
			const struct own_rows *rows)
{
	struct cursor c = d->column[step->column];
	uint64_t last = d->last_address[step->column];
	uint8_t word = step->word;

	switch (step->codec) {
	case EVT_CODEC_sint:
		for (uint32_t i = 0; i < rows->count; i++)
			rows->words[i][word] = (uint64_t)unzigzag(next_varint(&c));
		break;
	case EVT_CODEC_addr:
	case EVT_CODEC_block:
		for (uint32_t i = 0; i < rows->count; i++)
			rows->words[i][word] = last = address_of_code(next_varint(&c), last);
		break;
	case EVT_CODEC_delta:
	case EVT_CODEC_serial:
		for (uint32_t i = 0; i < rows->count; i++) {
			uint64_t number = step_of_code(next_varint(&c), last);

			last = number ? number : last;
			rows->words[i][word] = number;
		}
		break;
	case EVT_CODEC_text:
		for (uint32_t i = 0; i < rows->count; i++)
			text_get(&c, &rows->words[i][word]);
		break;
	default:
		for (uint32_t i = 0; i < rows->count; i++)
			rows->words[i][word] = next_varint(&c);
	}
	d->column[step->column] = c;
	d->last_address[step->column] = last;
}

void own_fill(struct decoder *d, uint32_t id)
{
	struct own_rows *rows = &d->own[id];
	const struct event_plan *plan = &d->plan[id];

	for (unsigned int i = 0; i < plan->steps; i++)
		column_read(d, &plan->step[i], rows);
	rows->count = 0;
}

void own_fill_all(struct decoder *d)
{
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++)
		if (d->own[id].count)
			own_fill(d, id);
}

void own_get(struct decoder *d, const struct plan_step *step, uint64_t *word)
{
	struct cursor *c = &d->column[step->column];

	switch (step->codec) {
	case EVT_CODEC_sint:
		*word = (uint64_t)unzigzag(get_varint(c));
		break;
	case EVT_CODEC_addr:
	case EVT_CODEC_block:
		*word = address_of_code(get_varint(c), d->last_address[step->column]);
		d->last_address[step->column] = *word;
		break;
	case EVT_CODEC_delta:
	case EVT_CODEC_serial:
		*word = step_of_code(get_varint(c), d->last_address[step->column]);
		if (*word)
			d->last_address[step->column] = *word;
		break;
	case EVT_CODEC_text:
		text_get(c, word);
		break;
	default:
		*word = get_varint(c);
	}
}
