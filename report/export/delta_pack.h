/* SPDX-License-Identifier: MIT */
/*
 * Whole numbers in Parquet's encoding DELTA_BINARY_PACKED (github.com/apache/parquet-format,
 * Encodings.md): differences of neighbours, above the least one of their block of 128, with as many
 * bits as the largest of each 32 needs. Times that rise take half of PLAIN, after zstd. Any value
 * of 64 bits is kept: differences wrap around.
 *
 * Appends to a message that the caller owns.
 */
#ifndef REPORT_EXPORT_DELTA_PACK_H
#define REPORT_EXPORT_DELTA_PACK_H

#include "report/export/protobuf.h"

/* Numbers on their way; its fields are its own. */
struct delta_pack {
	struct message *out;
	uint64_t total, taken;
	int64_t last;
	uint32_t held;
	int64_t delta[128]; /* of the block that is not written yet */
};

void delta_pack_begin(struct delta_pack *pack, struct message *out, uint64_t total);
void delta_pack_put(struct delta_pack *pack, int64_t value);
/* To be called after `total` values. */
void delta_pack_end(struct delta_pack *pack);

#endif
