/* SPDX-License-Identifier: MIT */
/*
 * Structs of Thrift in its compact protocol, in which headers of Parquet are encoded
 * (github.com/apache/thrift, doc/specs/thrift-compact-protocol.md). Fields are written in rising
 * order. `last` is the number of the previous field, 0 at the begin of a struct, and belongs to the
 * caller.
 */
#ifndef REPORT_EXPORT_THRIFT_H
#define REPORT_EXPORT_THRIFT_H

#include "report/export/protobuf.h"

enum thrift_type {
	THRIFT_FALSE = 2,
	THRIFT_I16 = 4,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

void thrift_field(struct message *out, int *last, int field, enum thrift_type type);
void thrift_int(struct message *out, int *last, int field, enum thrift_type type, int64_t value);
void thrift_binary(struct message *out, int *last, int field, const void *bytes, size_t length);
/* The list's elements follow it. */
void thrift_list(struct message *out, int *last, int field, enum thrift_type type, uint64_t count);
/* An element of a list, or a single number. */
void thrift_element_int(struct message *out, int64_t value);
void thrift_element_binary(struct message *out, const void *bytes, size_t length);

static inline void thrift_stop(struct message *out)
{
	message_byte(out, 0);
}

#endif
