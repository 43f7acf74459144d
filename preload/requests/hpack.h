/* SPDX-License-Identifier: MIT */
/*
 * Reads header blocks of HTTP/2 (HPACK, RFC 7541) of one direction of a connection. A block can
 * only be read if all blocks before it were, because they fill a table that it refers to. Of that
 * table the values of :method, :path, :status and grpc-status are kept; of the other fields their
 * lengths, which decide what leaves it.
 *
 * A struct of zeros is fresh. Its memory is large and hardly ever used in full: map it, and touch
 * no more of it. One thread at a time; no lock, no allocation, no system call.
 */
#ifndef PRELOAD_REQUESTS_HPACK_H
#define PRELOAD_REQUESTS_HPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"

#define HPACK_TABLE_BYTES 65536u      /* a table that is to be larger is not followed */
#define HPACK_FIELD_BYTES 32u         /* that each field counts for beside its text */
#define HPACK_FIRST_TABLE_BYTES 4096u /* until something else is said */
#define HPACK_FIELDS (HPACK_TABLE_BYTES / HPACK_FIELD_BYTES)
#define HPACK_VALUE_BYTES 232u /* of a value; the rest of it is dropped */

enum hpack_name {
	HPACK_OTHER,
	HPACK_METHOD,
	HPACK_PATH,
	HPACK_STATUS,
	HPACK_GRPC_STATUS,
	HPACK_NAMES,
};

struct hpack_table {
	bool has_limit;     /* the limit is not HPACK_FIRST_TABLE_BYTES any more */
	uint32_t limit;     /* bytes, as HPACK counts them */
	uint32_t bytes;     /* of all fields */
	uint32_t count;     /* fields */
	uint32_t next;      /* where the next field goes, in `field` */
	uint32_t text_next; /* likewise in `text` */
	struct hpack_kept {
		uint32_t bytes; /* that it counts for */
		uint8_t name;   /* enum hpack_name */
		uint8_t length; /* of its text; 0 for other names */
		uint32_t name_length;
		uint32_t text; /* where it begins */
	} field[HPACK_FIELDS];
	char text[HPACK_TABLE_BYTES];
};

/* What is wanted of a block. A value that is not there has length 0. */
struct hpack_head {
	struct hpack_value {
		uint32_t length;
		char text[HPACK_VALUE_BYTES];
	} value[HPACK_NAMES];
};

/* Returns false if it is no such block, or too much: no later block can be read then either. */
PRELOAD_HIDDEN bool hpack_read(struct hpack_table *table, const uint8_t *block, size_t length,
			       struct hpack_head *ret_head);

#endif
