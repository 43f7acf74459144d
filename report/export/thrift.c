/* SPDX-License-Identifier: MIT */
/* Structs of Thrift in its compact protocol: varints, zigzag numbers, and fields as differences. */
#include "report/export/thrift.h"

#define DELTA_MAX 15
#define SHORT_LIST_MAX 14

void thrift_element_int(struct message *out, int64_t value)
{
	message_varint(out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void thrift_element_binary(struct message *out, const void *bytes, size_t length)
{
	const struct message text = { .byte = (uint8_t *)(uintptr_t)bytes, .length = length };

	message_varint(out, length);
	message_append(out, &text);
}

void thrift_field(struct message *out, int *last, int field, enum thrift_type type)
{
	int delta = field - *last;

	if (delta > 0 && delta <= DELTA_MAX) {
		message_byte(out, (uint8_t)(delta << 4 | (int)type));
	} else {
		message_byte(out, (uint8_t)type);
		thrift_element_int(out, field);
	}
	*last = field;
}

void thrift_int(struct message *out, int *last, int field, enum thrift_type type, int64_t value)
{
	thrift_field(out, last, field, type);
	thrift_element_int(out, value);
}

void thrift_binary(struct message *out, int *last, int field, const void *bytes, size_t length)
{
	thrift_field(out, last, field, THRIFT_BINARY);
	thrift_element_binary(out, bytes, length);
}

void thrift_list(struct message *out, int *last, int field, enum thrift_type type, uint64_t count)
{
	thrift_field(out, last, field, THRIFT_LIST);
	if (count <= SHORT_LIST_MAX) {
		message_byte(out, (uint8_t)(count << 4 | type));
		return;
	}
	message_byte(out, (uint8_t)(0xf0 | type));
	message_varint(out, count);
}
