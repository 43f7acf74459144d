/* SPDX-License-Identifier: MIT */
/*
 * A map from process and address to an entry of an array. Entries of scopes that have ended are
 * reused.
 */
#include "report/scopes/async_scopes.h"

#include <stdlib.h>

#include "report/base/memory.h"

void async_scopes_init(struct async_scopes *scopes)
{
	*scopes = (struct async_scopes){ .count = 0 };
	map_init(&scopes->open);
}

void async_scopes_release(struct async_scopes *scopes)
{
	map_release(&scopes->open);
	free(scopes->scope);
	free(scopes->unused);
}

static size_t async_scopes_entry_take(struct async_scopes *scopes)
{
	if (scopes->unused_count)
		return scopes->unused[--scopes->unused_count];
	scopes->scope = memory_room(scopes->scope, scopes->count, &scopes->room,
				    sizeof(*scopes->scope));
	return scopes->count++;
}

void async_scopes_begin(struct async_scopes *scopes, uint64_t address,
			const struct async_scope *scope)
{
	bool added;
	struct map_entry *entry = map_put(
		&scopes->open, map_key_of(&scopes->open, scope->place.process, address), &added);

	if (added)
		entry->value = async_scopes_entry_take(scopes);
	scopes->scope[entry->value] = *scope;
}

static void entry_give_back(struct async_scopes *scopes, struct map_entry *entry)
{
	scopes->unused = memory_room(scopes->unused, scopes->unused_count, &scopes->unused_room,
				     sizeof(*scopes->unused));
	scopes->unused[scopes->unused_count++] = entry->value;
	map_remove(&scopes->open, entry);
}

bool async_scopes_end(struct async_scopes *scopes, uint32_t process, uint64_t address,
		      struct async_scope *ret_scope)
{
	struct map_entry *entry = map_find(&scopes->open,
					   map_key_of(&scopes->open, process, address));

	if (!entry)
		return false;
	*ret_scope = scopes->scope[entry->value];
	entry_give_back(scopes, entry);
	return true;
}

/* Entries move when one is removed, but their keys do not. */
static size_t keys_of(const struct async_scopes *scopes, uint32_t process, uint64_t *keys)
{
	const struct map_entry *entry = NULL;
	size_t count = 0;

	while ((entry = map_next(&scopes->open, entry)))
		if (scopes->scope[entry->value].place.process == process)
			keys[count++] = entry->key;
	return count;
}

void async_scopes_cut(struct async_scopes *scopes, uint32_t process, async_scope_cut *take,
		      void *state)
{
	uint64_t *keys;
	size_t count;

	if (!scopes->open.count)
		return;
	keys = memory_zero(scopes->open.count, sizeof(*keys));
	count = keys_of(scopes, process, keys);
	for (size_t i = 0; i < count; i++) {
		struct map_entry *entry = map_find(&scopes->open, keys[i]);
		struct async_scope scope = scopes->scope[entry->value];

		entry_give_back(scopes, entry);
		take(state, &scope);
	}
	free(keys);
}
