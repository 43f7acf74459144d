/* SPDX-License-Identifier: MIT */
/*
 * Chunks double up to CHUNK_BYTES_MAX. The lookup is open addressing with a load factor of at most
 * a half.
 */
#include "report/base/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "collector/format/error.h"

#define CHUNK_BYTES_MIN 4096u
#define CHUNK_BYTES_MAX (1u << 20)
#define ARRAY_FIRST 16u
#define LOOKUP_FIRST 64u

struct store_chunk {
	struct store_chunk *next;
	size_t used, bytes;
	_Alignas(8) unsigned char memory[];
};

static struct store_chunk *store_grow(struct store *store, size_t wanted)
{
	size_t bytes = store->chunk ? store->chunk->bytes * 2 : CHUNK_BYTES_MIN;
	struct store_chunk *chunk;

	if (bytes > CHUNK_BYTES_MAX)
		bytes = CHUNK_BYTES_MAX;
	if (bytes < wanted)
		bytes = wanted;
	chunk = malloc(sizeof(*chunk) + bytes);
	if (!chunk)
		return NULL;
	*chunk = (struct store_chunk){ .next = store->chunk, .bytes = bytes };
	store->chunk = chunk;
	return chunk;
}

void *store_take(struct store *store, size_t bytes)
{
	struct store_chunk *chunk = store->chunk;
	void *memory;

	bytes = (bytes + 7) & ~(size_t)7;
	if (!chunk || chunk->bytes - chunk->used < bytes)
		chunk = store_grow(store, bytes);
	if (!chunk)
		return NULL;
	memory = memset(chunk->memory + chunk->used, 0, bytes);
	chunk->used += bytes;
	return memory;
}

void store_release(struct store *store)
{
	while (store->chunk) {
		struct store_chunk *next = store->chunk->next;

		free(store->chunk);
		store->chunk = next;
	}
}

int array_reserve(void *array_pointer, size_t count, size_t *room, size_t element_bytes)
{
	size_t wanted = count ? count * 2 : ARRAY_FIRST;
	/* the array may be of any type */
	void *__attribute__((may_alias)) *array = array_pointer;
	void *grown;

	if (count < *room)
		return EVT_OK;
	grown = reallocarray(*array, wanted, element_bytes);
	if (!grown)
		return EVT_NO_MEMORY;
	*array = grown;
	*room = wanted;
	return EVT_OK;
}

void lookup_release(struct lookup *lookup)
{
	free(lookup->slot);
	*lookup = (struct lookup){ 0 };
}

static struct lookup_slot *lookup_slot_of(const struct lookup *lookup, uint64_t key)
{
	uint64_t hash = (key ^ lookup->secret) * 0x9e3779b97f4a7c15ull;
	size_t at = (size_t)(hash ^ hash >> 32);

	for (;; at++) {
		struct lookup_slot *slot = &lookup->slot[at & (lookup->slots - 1)];

		if (!slot->value || slot->key == key)
			return slot;
	}
}

void *lookup_find(const struct lookup *lookup, uint64_t key)
{
	return lookup->count ? lookup_slot_of(lookup, key)->value : NULL;
}

static int lookup_grow(struct lookup *lookup)
{
	struct lookup grown = { .slots = lookup->slots ? lookup->slots * 2 : LOOKUP_FIRST };

	grown.slot = calloc(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return EVT_NO_MEMORY;
	grown.secret = lookup->secret;
	if (!grown.secret && getrandom(&grown.secret, sizeof(grown.secret), GRND_NONBLOCK) < 0)
		grown.secret = (uintptr_t)grown.slot;
	for (size_t i = 0; i < lookup->slots; i++) {
		if (lookup->slot[i].value)
			*lookup_slot_of(&grown, lookup->slot[i].key) = lookup->slot[i];
	}
	grown.count = lookup->count;
	free(lookup->slot);
	*lookup = grown;
	return EVT_OK;
}

int lookup_put(struct lookup *lookup, uint64_t key, void *value)
{
	struct lookup_slot *slot;
	int error = EVT_OK;

	if ((lookup->count + 1) * 2 > lookup->slots)
		error = lookup_grow(lookup);
	if (error)
		return error;
	slot = lookup_slot_of(lookup, key);
	lookup->count += !slot->value;
	*slot = (struct lookup_slot){ key, value };
	return EVT_OK;
}
