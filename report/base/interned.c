/* SPDX-License-Identifier: MIT */
/*
 * Texts by number. A map leads from a text's hash to its number. If two texts have one hash, the
 * second is hashed again.
 */
#include "report/base/interned.h"

#include <stdlib.h>
#include <string.h>

uint32_t interned_put(struct interned *interned, const char *text, size_t length)
{
	if (!interned->text)
		map_init(&interned->known);
	for (uint64_t seed = 0;; seed++) {
		bool added;
		struct map_entry *entry = map_put(&interned->known,
						  map_hash_bytes(text, length, seed), &added);
		struct interned_text *known;

		if (added) {
			entry->value = interned->count;
			interned->text = memory_room(interned->text, interned->count,
						     &interned->room, sizeof(*interned->text));
			known = &interned->text[interned->count++];
			known->text = text_store_put(&interned->store, text, length);
			known->length = length;
			return (uint32_t)entry->value;
		}
		known = &interned->text[entry->value];
		if (known->length == length && !memcmp(known->text, text, length))
			return (uint32_t)entry->value;
	}
}

void interned_release(struct interned *interned)
{
	map_release(&interned->known);
	free(interned->text);
	text_store_release(&interned->store);
}
