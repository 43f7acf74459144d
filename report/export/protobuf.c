/* SPDX-License-Identifier: MIT */
/* A message of protobuf: appends encoded fields to a growing buffer. */
#include "report/export/protobuf.h"

#include <string.h>

#define LENGTH_BYTES 4u

enum wire_type { WIRE_FIXED = 1, WIRE_BYTES = 2 };

/* Makes room for `length` more bytes; returns where they go. */
static uint8_t *message_reserve(struct message *message, size_t length)
{
	uint8_t *at;

	if (message->room - message->length < length) {
		message->room = (message->length + length) * 2;
		message->byte = memory_grow(message->byte, message->room, 1);
	}
	at = message->byte + message->length;
	message->length += length;
	return at;
}

void message_fixed(struct message *message, unsigned int field, uint64_t value)
{
	uint8_t *at;

	message_varint(message, field << 3 | WIRE_FIXED);
	at = message_reserve(message, sizeof(value));
	for (unsigned int i = 0; i < sizeof(value); i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void message_bytes(struct message *message, unsigned int field, const void *bytes, size_t length)
{
	message_varint(message, field << 3 | WIRE_BYTES);
	message_varint(message, length);
	if (length)
		memcpy(message_reserve(message, length), bytes, length);
}

void message_append(struct message *message, const struct message *other)
{
	if (other->length)
		memcpy(message_reserve(message, other->length), other->byte, other->length);
}

size_t message_open(struct message *message, unsigned int field)
{
	message_varint(message, field << 3 | WIRE_BYTES);
	message_reserve(message, LENGTH_BYTES);
	return message->length;
}

void message_close(struct message *message, size_t opened)
{
	size_t length = message->length - opened;
	uint8_t *at = message->byte + opened - LENGTH_BYTES;

	for (unsigned int i = 0; i < LENGTH_BYTES; i++)
		at[i] = (uint8_t)((length >> 7 * i & 127) | (i < LENGTH_BYTES - 1 ? 128 : 0));
}
