/* SPDX-License-Identifier: MIT */
/*
 * A message of protobuf, encoded while it is filled (protobuf.dev, "Encoding"). A nested message is
 * opened and closed. Its length takes four bytes before it that are filled in at the end, so that
 * nothing has to move.
 *
 * No library is used: protobuf-c builds a tree of allocated objects for each message, with code
 * generated from Perfetto's 10,000 lines of schema, while only a dozen fields are written here.
 * Zero-initialised is empty; the caller frees the bytes. One thread.
 */
#ifndef REPORT_EXPORT_PROTOBUF_H
#define REPORT_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "report/base/memory.h"

struct message {
	uint8_t *byte;
	size_t length, room;
};

static inline void message_byte(struct message *message, uint8_t byte)
{
	message->byte = memory_room(message->byte, message->length, &message->room, 1);
	message->byte[message->length++] = byte;
}

static inline void message_varint(struct message *message, uint64_t value)
{
	for (; value > 127; value >>= 7)
		message_byte(message, (uint8_t)(value | 128));
	message_byte(message, (uint8_t)value);
}

static inline void message_number(struct message *message, unsigned int field, uint64_t value)
{
	message_varint(message, field << 3);
	message_varint(message, value);
}

void message_fixed(struct message *message, unsigned int field, uint64_t value);
void message_bytes(struct message *message, unsigned int field, const void *bytes, size_t length);

/* Appends the fields of `other`. */
void message_append(struct message *message, const struct message *other);

/* Opens a nested message: what is added until the close belongs to it. Below 256 MiB. */
size_t message_open(struct message *message, unsigned int field);
void message_close(struct message *message, size_t opened);

#endif
