/* SPDX-License-Identifier: MIT */
/*
 * Open addressing by the hash itself. It is as good as random if the program is honest, and may be
 * anything if not, so a probe is bounded by NAMES_PROBES.
 */
#include "collector/core/names.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/region/record.h"

#define NAMES_SLOTS_FIRST 1024u
#define NAMES_PROBES 4096u

static const char names_overflow_text[] = "<too many names>";

int names_init(struct names *names, struct journal *journal)
{
	*names = (struct names){ .journal = journal, .slots = NAMES_SLOTS_FIRST };
	names->entry = calloc(names->slots, sizeof(*names->entry));
	return names->entry ? 0 : -1;
}

void names_release(struct names *names)
{
	free(names->entry);
	names->entry = NULL;
	texts_release(&names->texts);
}

void names_listen(struct names *names,
		  void (*take)(void *state, uint32_t id, const char *text, size_t length),
		  void *state)
{
	if (names->listeners < NAMES_LISTENERS)
		names->listener[names->listeners++] = (struct names_listener){ take, state };
}

/* The slot of a hash or the empty one where it belongs; NULL if neither is within the limit. */
static struct names_entry *names_slot_find(struct names_entry *entry, uint32_t slots, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (slots - 1);

	for (uint32_t i = 0; i < NAMES_PROBES; i++) {
		if (entry[at].hash == hash || !entry[at].hash)
			return &entry[at];
		at = (at + 1) & (slots - 1);
	}
	return NULL;
}

/* Returns false if there is no memory: the table stays and gets fuller. */
static bool names_grow(struct names *names)
{
	uint32_t slots = names->slots * 2;
	struct names_entry *entry = calloc(slots, sizeof(*entry));

	if (!entry)
		return false;
	for (uint32_t i = 0; i < names->slots; i++) {
		struct names_entry *to;

		if (!names->entry[i].hash)
			continue;
		to = names_slot_find(entry, slots, names->entry[i].hash);
		if (!to) {
			free(entry);
			return false;
		}
		*to = names->entry[i];
	}
	free(names->entry);
	names->entry = entry;
	names->slots = slots;
	return true;
}

static void name_define(struct names *names, uint32_t id, const char *text, size_t length)
{
	journal_add_string(names->journal, id, text, length);
	for (unsigned int i = 0; i < names->listeners; i++)
		names->listener[i].take(names->listener[i].state, id, text, length);
	texts_keep(&names->texts, id, text, length);
}

/* Half of the journal is left to what is new. Without room, the next use defines the name. */
static __attribute__((noinline)) void names_define_again(struct names *names, uint64_t id)
{
	const struct journal *journal = names->journal;
	size_t length;
	const char *text = texts_find(&names->texts, id, &length);

	if (!text || journal->count >= JOURNAL_EVENTS_MAX / 2 ||
	    journal->text_bytes + length > JOURNAL_TEXT_MAX / 2)
		return;
	texts_use(&names->texts, id);
	journal_add_string(names->journal, id, text, length);
}

void names_use(struct names *names, uint64_t id)
{
	if (texts_is_stale(&names->texts, id))
		names_define_again(names, id);
}

static uint32_t names_overflow(struct names *names)
{
	if (!names->overflow) {
		names->overflow = ++names->count;
		name_define(names, names->overflow, names_overflow_text,
			    sizeof(names_overflow_text) - 1);
	} else {
		names_use(names, names->overflow);
	}
	return names->overflow;
}

/* NULL: no room for another. */
static struct names_entry *names_entry_of(struct names *names, uint64_t hash)
{
	struct names_entry *entry = names_slot_find(names->entry, names->slots, hash);

	if (entry && entry->hash)
		return entry;
	if (names->count >= NAMES_MAX)
		return NULL;
	if (!entry || names->count + 1 > names->slots / 2) {
		if (!names_grow(names) && names->count + 1 >= names->slots)
			return NULL;
		entry = names_slot_find(names->entry, names->slots, hash);
		if (!entry)
			return NULL;
	}
	*entry = (struct names_entry){ .hash = hash, .id = ++names->count };
	return entry;
}

uint64_t names_id(struct names *names, uint64_t hash)
{
	struct names_entry *entry;

	if (!hash)
		return 0;
	entry = names_entry_of(names, hash);
	if (!entry)
		return names_overflow(names);
	names_use(names, entry->id);
	return entry->id;
}

uint64_t names_id_text(struct names *names, const char *text, size_t length)
{
	struct names_entry *entry;
	uint64_t hash;

	if (!length)
		return 0;
	hash = XXH3_64bits(text, length);
	entry = names_entry_of(names, hash ? hash : 1);
	if (!entry)
		return names_overflow(names);
	if (!entry->defined) {
		entry->defined = 1;
		name_define(names, entry->id, text, length);
	} else {
		names_use(names, entry->id);
	}
	return entry->id;
}

void names_drop_text(struct names *names, struct names_text *text)
{
	if (text->bytes)
		names->pending_bytes -= text->total;
	free(text->bytes);
	*text = (struct names_text){ 0 };
}

/* Starts a new text in `text`, if that text is wanted and there is room. */
static void text_begin(struct names *names, struct names_text *text, uint64_t hash, uint32_t total)
{
	struct names_entry *entry;

	names_drop_text(names, text);
	entry = names_entry_of(names, hash);
	if (!entry || entry->defined || names->pending_bytes + total > NAMES_PENDING_BYTES)
		return;
	text->bytes = malloc(total);
	if (!text->bytes)
		return;
	text->hash = hash;
	text->total = total;
	names->pending_bytes += total;
}

static void text_complete(struct names *names, struct names_text *text)
{
	struct names_entry *entry = names_entry_of(names, text->hash);

	if (entry && !entry->defined) {
		entry->defined = 1;
		name_define(names, entry->id, text->bytes, text->total);
	}
	names_drop_text(names, text);
}

bool names_take_piece(struct names *names, struct names_text *text, const uint64_t *words)
{
	uint64_t hash = words[0];
	uint32_t total = (uint32_t)(words[1] >> 32);
	uint32_t offset = (uint32_t)words[1];
	uint32_t piece;

	if (!hash || !total || total > RECORD_TEXT_MAX || offset >= total)
		return false;
	if (offset == 0)
		text_begin(names, text, hash, total);
	if (!text->bytes || text->hash != hash || text->total != total || text->have != offset)
		return true;
	piece = total - offset < RECORD_TEXT_BYTES ? total - offset : RECORD_TEXT_BYTES;
	memcpy(text->bytes + offset, words + 2, piece);
	text->have = offset + piece;
	if (text->have == total)
		text_complete(names, text);
	return true;
}
