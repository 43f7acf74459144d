/* SPDX-License-Identifier: MIT */
/*
 * Reads columns of single fields: see own_decode.h. A cursor that reaches its end fails and returns
 * zeros to every reader.
 */
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

bool own_fills(const struct event_plan *plan)
{
	unsigned int words = plan->caller_word != PLAN_NOWHERE;

	for (unsigned int i = 0; i < plan->steps; i++)
		words += plan->step[i].codec == EVT_CODEC_text ? 2 : 1;
	return words == (unsigned int)plan->words + plan->extra;
}

static inline void text_get(struct cursor *c, uint64_t *word)
{
	uint64_t length = get_varint(c);
	const uint8_t *bytes = get_bytes(c, length);

	word[0] = (uint64_t)(uintptr_t)bytes;
	word[1] = bytes ? length : 0;
}

/* If the code says that the address is unchanged, as most do, no arithmetic is needed. */
static inline uint64_t next_address(uint64_t code, uint64_t last)
{
	return code ? address_of_code(code, last) : last;
}

/* The same for numbers: most are the next number. */
static inline uint64_t next_step(uint64_t code, uint64_t last)
{
	return code == STEP_NEXT && last != UINT64_MAX ? last + 1 : step_of_code(code, last);
}

static void texts_read(struct decoder *d, const struct plan_step *step, const struct own_rows *rows)
{
	for (uint32_t i = 0; i < rows->count; i++)
		text_get(&d->column[step->column], &rows->words[i][step->word]);
}

/* Reads many codes at once first, and then converts each of them. */
static void column_read(struct decoder *d, const struct plan_step *step,
			const struct own_rows *rows)
{
	uint64_t code[OWN_ROWS + VARINTS_STRIDE], last = d->last_address[step->column];
	uint8_t word = step->word;

	varints_take(&d->lanes, &d->column[step->column], code, rows->count);
	switch (step->codec) {
	case EVT_CODEC_sint:
		for (uint32_t i = 0; i < rows->count; i++)
			rows->words[i][word] = (uint64_t)unzigzag(code[i]);
		break;
	case EVT_CODEC_addr:
	case EVT_CODEC_block:
#pragma GCC unroll 4
		for (uint32_t i = 0; i < rows->count; i++)
			rows->words[i][word] = last = next_address(code[i], last);
		break;
	case EVT_CODEC_delta:
	case EVT_CODEC_serial:
		for (uint32_t i = 0; i < rows->count; i++) {
			uint64_t number = next_step(code[i], last);

			last = number ? number : last;
			rows->words[i][word] = number;
		}
		break;
	default:
#pragma GCC unroll 8
		for (uint32_t i = 0; i < rows->count; i++)
			rows->words[i][word] = code[i];
	}
	d->last_address[step->column] = last;
}

void own_fill(struct decoder *d, uint32_t id)
{
	struct own_rows *rows = &d->own[id];
	const struct event_plan *plan = &d->plan[id];

	for (unsigned int i = 0; i < plan->steps; i++) {
		if (plan->step[i].codec == EVT_CODEC_text)
			texts_read(d, &plan->step[i], rows);
		else
			column_read(d, &plan->step[i], rows);
	}
	rows->count = 0;
}

void own_fill_all(struct decoder *d)
{
	for (uint32_t id = 0; id < d->plans->id_limit; id++)
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
