/* SPDX-License-Identifier: MIT */
/*
 * Two hash tables with open addressing, for code objects and for places. Numbers are assigned in
 * the order of creation, and a new entry is added to the journal when it is made. A full table
 * returns 0.
 */
#include "collector/samples/places.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 256u

void places_init(struct places *places, struct journal *journal)
{
	*places = (struct places){ .codes.most = CODES_MAX,
				   .places.most = PLACES_MAX,
				   .journal = journal };
}

void places_release(struct places *places)
{
	free(places->codes.entry);
	free(places->places.entry);
	*places = (struct places){ 0 };
}

static uint32_t places_slot_of(const struct id_table *table, uint64_t key, uint64_t more)
{
	uint64_t hash = (key ^ more * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (uint32_t)(hash >> 32) & (table->slots - 1);
}

/* Returns the entry, or the empty slot for it. */
static struct id_entry *places_entry_find(const struct id_table *table, uint64_t key, uint64_t more)
{
	uint32_t at = places_slot_of(table, key, more);

	while (table->entry[at].id &&
	       (table->entry[at].key != key || table->entry[at].more != more))
		at = (at + 1) & (table->slots - 1);
	return &table->entry[at];
}

static int table_grow(struct id_table *table)
{
	struct id_table larger = *table;

	larger.slots = table->slots ? table->slots * 2 : SLOTS_FIRST;
	larger.entry = calloc(larger.slots, sizeof(*larger.entry));
	if (!larger.entry)
		return -1;
	for (uint32_t i = 0; i < table->slots; i++)
		if (table->entry[i].id)
			*places_entry_find(&larger, table->entry[i].key,
					   table->entry[i].more) = table->entry[i];
	free(table->entry);
	*table = larger;
	return 0;
}

/* Returns the id. 0: it is new, and *ret_new is its slot, or NULL if there is no room. */
static uint32_t table_find(struct id_table *table, uint64_t key, uint64_t more,
			   struct id_entry **ret_new)
{
	struct id_entry *entry;

	*ret_new = NULL;
	if (table->count * 2 >= table->slots && table->count < table->most && table_grow(table))
		return 0;
	entry = places_entry_find(table, key, more);
	if (!entry->id && table->count < table->most)
		*ret_new = entry;
	return entry->id;
}

static uint32_t entry_take(struct id_table *table, struct id_entry *entry, uint64_t key,
			   uint64_t more)
{
	*entry = (struct id_entry){ key, more, ++table->count };
	return entry->id;
}

uint32_t places_code(struct places *places, uint64_t function, uint64_t file, uint32_t line)
{
	uint64_t key = function << 32 | (uint32_t)file;
	struct id_entry *new;
	uint32_t id = table_find(&places->codes, key, line, &new);

	if (id || !new)
		return id;
	id = entry_take(&places->codes, new, key, line);
	JOURNAL_ADD(places->journal, places->journal->string_ns, python_code, .id = id,
		    .function = function, .file = file, .line = line);
	return id;
}

uint32_t places_place(struct places *places, uint32_t from, uint32_t code, uint32_t line)
{
	uint64_t key = (uint64_t)from << 32 | code;
	struct id_entry *new;
	uint32_t id = table_find(&places->places, key, line, &new);

	if (id || !new)
		return id;
	id = entry_take(&places->places, new, key, line);
	JOURNAL_ADD(places->journal, places->journal->string_ns, python_place, .id = id,
		    .from = from, .code = code, .line = line);
	return id;
}
