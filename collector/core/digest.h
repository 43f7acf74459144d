/* SPDX-License-Identifier: MIT */
/*
 * The events of the open segment that stand for it where it is not read (segment_digest_has()):
 * kept in the order of the file until the segment ends, then written as blocks of a frame. One
 * thread.
 *
 * Bounded: a segment with more than DIGEST_WORDS_MAX words of them has no digest, as has one whose
 * frames could not all be written. It is then read as a whole.
 */
#ifndef COLLECTOR_CORE_DIGEST_H
#define COLLECTOR_CORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"

#define DIGEST_WORDS_MAX (1u << 19)

struct digest {
	uint64_t *word;
	size_t count, room;
	bool is_partial; /* something is missing */
};

void digest_release(struct digest *digest);

/* An event of the stream, with its fields; none of them is a text. */
void digest_add(struct digest *digest, uint32_t stream, uint32_t id, uint64_t time_ns,
		const uint64_t *value);
/* The definition of a name. */
void digest_add_string(struct digest *digest, uint64_t time_ns, uint64_t id, const char *text,
		       size_t length);

/* Something of the segment is not in the file. */
static inline void digest_give_up(struct digest *digest)
{
	digest->is_partial = true;
}

/* Puts all events into blocks. Returns false if there is no digest, or no room in the frame. */
bool digest_write(const struct digest *digest, struct frame_writer *fw);
/* The next segment begins. */
void digest_clear(struct digest *digest);

#endif
