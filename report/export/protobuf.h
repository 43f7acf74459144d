/* SPDX-License-Identifier: MIT */
/*
 * A message of protobuf, encoded as it is filled (protobuf.dev, "Encoding"). A message inside of it is opened and closed:
 * its length stands before it in four bytes that are filled in at the end, so that nothing is moved.
 *
 * Not a library: protobuf-c builds a tree of allocated objects for each message, from code generated out of Perfetto's
 * 10,000 lines of schema; what is written here are a dozen fields. Zero-initialised is empty; the bytes are the caller's
 * to free. One thread.
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

/* The fields of `other`, behind those that it has. */
void message_append(struct message *message, const struct message *other);

/* A message inside: what is put up to the close is of it. Below 256 MiB. */
size_t message_open(struct message *message, unsigned int field);
void message_close(struct message *message, size_t opened);

#endif
