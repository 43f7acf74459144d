/* SPDX-License-Identifier: MIT */
/*
 * One array of words. An event is its stream and id, its time, and its fields; a text is its length
 * in bytes and these bytes. A block of the frame ends where the stream changes, and where time goes
 * back, because the times of a block do not decrease.
 */
#include "collector/core/digest.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_FIRST 1024u
#define HEAD_WORDS 2u   /* stream and id; time */
#define STRING_WORDS 2u /* id, length */

void digest_release(struct digest *digest)
{
	free(digest->word);
	*digest = (struct digest){ 0 };
}

/* Room for an event with so many words behind its head; NULL: the digest is given up. */
static uint64_t *digest_take(struct digest *digest, size_t words)
{
	size_t wanted = digest->count + HEAD_WORDS + words, room = digest->room;
	uint64_t *grown, *taken;

	while (room < wanted)
		room = room ? room * 2 : WORDS_FIRST;
	if (digest->is_partial || wanted > DIGEST_WORDS_MAX) {
		digest->is_partial = true;
		return NULL;
	}
	if (room > digest->room) {
		grown = realloc(digest->word, room * sizeof(*grown));
		if (!grown) {
			digest->is_partial = true;
			return NULL;
		}
		digest->word = grown;
		digest->room = room;
	}
	taken = digest->word + digest->count;
	digest->count = wanted;
	return taken;
}

void digest_add(struct digest *digest, uint32_t stream, uint32_t id, uint64_t time_ns,
		const uint64_t *value)
{
	size_t fields = evt_descriptors[id].field_count;
	uint64_t *word = digest_take(digest, fields);

	if (!word)
		return;
	word[0] = (uint64_t)stream << 32 | id;
	word[1] = time_ns;
	memcpy(word + HEAD_WORDS, value, fields * sizeof(*value));
}

static size_t words_of_bytes(size_t bytes)
{
	return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

void digest_add_string(struct digest *digest, uint64_t time_ns, uint64_t id, const char *text,
		       size_t length)
{
	uint64_t *word = digest_take(digest, STRING_WORDS + words_of_bytes(length));

	if (!word)
		return;
	word[0] = EVT_string;
	word[1] = time_ns;
	word[2] = id;
	word[3] = length;
	memcpy(word + HEAD_WORDS + STRING_WORDS, text, length);
}

/* Puts the event at `word` into the open block. Returns its words; 0: there is no room. */
static size_t digest_put(struct frame_writer *fw, const uint64_t *word)
{
	uint32_t id = (uint32_t)word[0];
	const uint64_t text[] = { word[2], (uint64_t)(uintptr_t)(word + HEAD_WORDS + STRING_WORDS),
				  word[3] };

	if (frame_put(fw, id, word[1], id == EVT_string ? text : word + HEAD_WORDS))
		return 0;
	return HEAD_WORDS + (id == EVT_string ? STRING_WORDS + words_of_bytes(word[3])
					      : evt_descriptors[id].field_count);
}

bool digest_write(const struct digest *digest, struct frame_writer *fw)
{
	uint32_t stream = 0;
	uint64_t last_ns = 0;
	size_t words = 1;

	frame_begin_block(fw, 0); /* so that there is a frame even of nothing */
	for (size_t at = 0; at < digest->count && words; at += words) {
		const uint64_t *word = digest->word + at;

		if (word[0] >> 32 != stream || word[1] < last_ns || !frame_block_room(fw)) {
			frame_end_block(fw);
			stream = (uint32_t)(word[0] >> 32);
			frame_begin_block(fw, stream);
		}
		last_ns = word[1];
		words = frame_block_room(fw) ? digest_put(fw, word) : 0;
	}
	frame_end_block(fw);
	return words && !digest->is_partial;
}

void digest_clear(struct digest *digest)
{
	digest->count = 0;
	digest->is_partial = false;
}
