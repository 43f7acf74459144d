/* SPDX-License-Identifier: MIT */
/* Numbers as packed differences. Blocks of 128 in four parts of 32, the least that is allowed. */
#include "report/export/delta_pack.h"

#define BLOCK 128u
#define PARTS 4u
#define PART (BLOCK / PARTS)

static uint64_t delta_pack_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void delta_pack_begin(struct delta_pack *pack, struct message *out, uint64_t total)
{
	*pack = (struct delta_pack){ .out = out, .total = total };
	message_varint(out, BLOCK);
	message_varint(out, PARTS);
	message_varint(out, total);
	if (!total)
		message_varint(out, 0); /* the first value */
}

/* The bits that each of `count` differences above `least` fits in. */
static unsigned int delta_pack_width(const int64_t *delta, uint32_t count, int64_t least)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < count; i++)
		any |= (uint64_t)delta[i] - (uint64_t)least;
	return any ? 64u - (unsigned int)__builtin_clzll(any) : 0;
}

/* A part is always of 32 numbers: the last one is filled up. From the lowest bit on. */
static void delta_pack_part(struct message *out, const int64_t *delta, uint32_t count,
			    int64_t least, unsigned int width)
{
	unsigned __int128 gathered = 0;
	unsigned int bits = 0;

	for (uint32_t i = 0; i < PART; i++) {
		uint64_t above = i < count ? (uint64_t)delta[i] - (uint64_t)least : 0;

		gathered |= (unsigned __int128)above << bits;
		for (bits += width; bits >= 8; bits -= 8, gathered >>= 8)
			message_byte(out, (uint8_t)gathered);
	}
}

static void delta_pack_block(struct delta_pack *pack)
{
	unsigned int width[PARTS] = { 0 };
	int64_t least = pack->delta[0];

	for (uint32_t i = 1; i < pack->held; i++)
		if (pack->delta[i] < least)
			least = pack->delta[i];
	message_varint(pack->out, delta_pack_zigzag(least));
	for (unsigned int i = 0; i < PARTS; i++) {
		uint32_t count = pack->held > i * PART ? pack->held - i * PART : 0;

		count = count < PART ? count : PART;
		width[i] = delta_pack_width(pack->delta + i * PART, count, least);
		message_byte(pack->out, (uint8_t)width[i]);
	}
	for (unsigned int i = 0; i < PARTS && i * PART < pack->held; i++) {
		uint32_t count = pack->held - i * PART;

		delta_pack_part(pack->out, pack->delta + i * PART, count < PART ? count : PART,
				least, width[i]);
	}
	pack->held = 0;
}

void delta_pack_put(struct delta_pack *pack, int64_t value)
{
	if (!pack->taken++)
		message_varint(pack->out, delta_pack_zigzag(value));
	else
		pack->delta[pack->held++] = (int64_t)((uint64_t)value - (uint64_t)pack->last);
	pack->last = value;
	if (pack->held == BLOCK)
		delta_pack_block(pack);
}

void delta_pack_end(struct delta_pack *pack)
{
	if (pack->held)
		delta_pack_block(pack);
}
