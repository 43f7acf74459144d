/* SPDX-License-Identifier: MIT */
/* One buffer for all texts; forgetting copies what is left into a new one. */
#include "collector/core/texts.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES_FIRST 1024u
#define BYTES_FIRST (64u << 10)
#define TURNS_KEPT 8u /* names that were not used in so many turns are forgotten first */

void texts_release(struct texts *texts)
{
	free(texts->entry);
	free(texts->bytes);
	*texts = (struct texts){ 0 };
}

static bool texts_reserve_entry(struct texts *texts, uint32_t id)
{
	uint32_t room = texts->room ? texts->room : ENTRIES_FIRST;
	struct texts_entry *entry;

	if (id < texts->room)
		return true;
	while (room <= id)
		room *= 2;
	entry = realloc(texts->entry, room * sizeof(*entry));
	if (!entry)
		return false;
	memset(entry + texts->room, 0, (room - texts->room) * sizeof(*entry));
	texts->entry = entry;
	texts->room = room;
	return true;
}

/* Forgets the texts of names that were used last before `turn`. */
static void texts_forget(struct texts *texts, uint32_t turn)
{
	char *bytes = malloc(texts->bytes_room);
	size_t used = 0;

	if (!bytes)
		return;
	for (uint32_t id = 0; id < texts->room; id++) {
		struct texts_entry *entry = &texts->entry[id];

		if (entry->turn < turn)
			entry->length = 0;
		if (!entry->length)
			continue;
		memcpy(bytes + used, texts->bytes + entry->at, entry->length);
		entry->at = (uint32_t)used;
		used += entry->length;
	}
	free(texts->bytes);
	texts->bytes = bytes;
	texts->used = used;
}

static bool texts_reserve_bytes(struct texts *texts, size_t length)
{
	size_t room = texts->bytes_room ? texts->bytes_room : BYTES_FIRST;
	char *bytes;

	while (room < texts->used + length && room < TEXTS_BYTES_MAX)
		room *= 2;
	if (room == texts->bytes_room)
		return texts->used + length <= room;
	bytes = realloc(texts->bytes, room);
	if (!bytes)
		return false;
	texts->bytes = bytes;
	texts->bytes_room = room;
	return texts->used + length <= room;
}

static bool texts_make_room(struct texts *texts, size_t length)
{
	if (texts_reserve_bytes(texts, length))
		return true;
	if (!texts->turn || texts->full_turn == texts->turn)
		return false;
	if (texts->turn > TURNS_KEPT)
		texts_forget(texts, texts->turn - TURNS_KEPT);
	if (texts->used + length > texts->bytes_room / 2)
		texts_forget(texts, texts->turn);
	if (texts->used + length > texts->bytes_room / 2)
		texts->full_turn = texts->turn;
	return texts->used + length <= texts->bytes_room;
}

void texts_keep(struct texts *texts, uint32_t id, const char *text, size_t length)
{
	struct texts_entry *entry;

	if (!length || length > TEXTS_BYTES_MAX / 4 || !texts_reserve_entry(texts, id))
		return;
	entry = &texts->entry[id];
	entry->turn = texts->turn;
	if (!texts_make_room(texts, length))
		return;
	memcpy(texts->bytes + texts->used, text, length);
	*entry = (struct texts_entry){ (uint32_t)texts->used, (uint32_t)length, texts->turn };
	texts->used += length;
}
