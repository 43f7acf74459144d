/* SPDX-License-Identifier: MIT */
/*
 * Domains and registered strings, and the names of categories and threads. The text of a handle is
 * kept here because it may be registered long before recording starts.
 */
#include "preload/nvtx.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/log.h"

#define CHUNK_BYTES (1u << 20) /* of text; more than the longest name */
#define CHUNKS 64u             /* 64 MiB of names are a leak of the program's */
#define MAP_SLOTS 8192u
#define MAP_PROBES 16u

/* --- memory --- */

static _Atomic(char *) chunk_list[CHUNKS];
static _Atomic uint64_t chunk_used; /* bytes given out, over all chunks */

static char *chunk_get(size_t index)
{
	char *chunk = atomic_load(&chunk_list[index]);
	char *fresh;

	if (chunk)
		return chunk;
	fresh = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&chunk_list[index], &chunk, fresh))
		return fresh;
	munmap(fresh, CHUNK_BYTES);
	return chunk;
}

static void *chunk_alloc(size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	for (;;) {
		uint64_t at = atomic_fetch_add(&chunk_used, bytes);
		char *chunk;

		if (at / CHUNK_BYTES >= CHUNKS) {
			atomic_fetch_sub(&chunk_used, bytes);
			return NULL;
		}
		/* what does not fit into the rest of a chunk goes into the next */
		if (at % CHUNK_BYTES + bytes > CHUNK_BYTES)
			continue;
		chunk = chunk_get(at / CHUNK_BYTES);
		return chunk ? chunk + at % CHUNK_BYTES : NULL;
	}
}

static bool chunk_owns(const void *handle)
{
	for (size_t i = 0; i < CHUNKS; i++) {
		const char *chunk = atomic_load_explicit(&chunk_list[i], memory_order_relaxed);

		if (!chunk)
			return false;
		if ((uintptr_t)handle - (uintptr_t)chunk < CHUNK_BYTES)
			return true;
	}
	return false;
}

/* --- two maps: text to name, and another tool's handle to name --- */

struct map {
	struct {
		_Atomic uint64_t key; /* 0: free; set once */
		_Atomic(const struct nvtx_name *) name;
	} slot[MAP_SLOTS];
};

static struct map by_hash, by_handle;

static uint64_t map_start(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u >> 32;
}

static const struct nvtx_name *map_find(struct map *map, uint64_t key)
{
	uint64_t at = map_start(key);

	for (unsigned int i = 0; i < MAP_PROBES; i++, at++)
		if (atomic_load_explicit(&map->slot[at % MAP_SLOTS].key, memory_order_acquire) ==
		    key)
			return atomic_load_explicit(&map->slot[at % MAP_SLOTS].name,
						    memory_order_acquire);
	return NULL;
}

/* A full neighbourhood: then it is not in the map, which costs a second copy of the text. */
static void map_put(struct map *map, uint64_t key, const struct nvtx_name *name)
{
	uint64_t at = map_start(key);

	for (unsigned int i = 0; i < MAP_PROBES; i++, at++) {
		uint64_t seen = 0;

		if (!atomic_compare_exchange_strong(&map->slot[at % MAP_SLOTS].key, &seen, key) &&
		    seen != key)
			continue;
		atomic_store_explicit(&map->slot[at % MAP_SLOTS].name, name, memory_order_release);
		return;
	}
}

/* --- names --- */

static void say_that_names_are_full(void)
{
	static _Atomic bool said;

	if (!atomic_exchange(&said, true))
		log_line("no memory for more NVTX domains and registered strings; later ones have "
			 "no name");
}

const struct nvtx_name *nvtx_name_make(const struct string *text)
{
	const struct nvtx_name *known;
	struct nvtx_name *name;

	if (!text->hash)
		return NULL;
	known = map_find(&by_hash, text->hash);
	if (known)
		return known;
	name = chunk_alloc(sizeof(*name) + text->length);
	if (!name) {
		say_that_names_are_full();
		return NULL;
	}
	name->hash = text->hash;
	name->length = (uint32_t)string_copy(text, name->text, text->length);
	map_put(&by_hash, name->hash, name);
	return name;
}

const struct nvtx_name *nvtx_name_of(const void *handle)
{
	if (!handle)
		return NULL;
	return chunk_owns(handle) ? handle : map_find(&by_handle, (uint64_t)(uintptr_t)handle);
}

void nvtx_name_link(const void *foreign, const struct nvtx_name *name)
{
	map_put(&by_handle, (uint64_t)(uintptr_t)foreign, name);
}

struct string nvtx_name_string(const void *handle)
{
	const struct nvtx_name *name = nvtx_name_of(handle);

	if (!name)
		return (struct string){ .hash = 0 };
	return (struct string){ .hash = name->hash, .bytes = name->text, .length = name->length };
}

/* --- categories and threads --- */

void nvtx_name_category(const void *domain, uint32_t category, const struct string *name)
{
	struct recorder_lane *lane;

	if (nvtx_self.inside)
		return;
	lane = recorder_enter(RECORDER_NVTX, RECORDER_IN_RECORD);
	if (lane) {
		struct string domain_name = nvtx_name_string(domain);
		uint64_t domain_id = string_id(&domain_name, lane);
		const uint64_t field[3] = { domain_id, category, string_id(name, lane) };

		(void)recorder_put(lane, EVT_nvtx_category, recorder_now(), field, 3);
		recorder_leave(lane);
	}
}

void nvtx_name_thread(uint32_t tid, const struct string *name)
{
	struct recorder_lane *lane;

	if (nvtx_self.inside)
		return;
	lane = recorder_enter(RECORDER_NVTX, RECORDER_IN_RECORD);
	if (lane) {
		const uint64_t field[2] = { tid, string_id(name, lane) };

		(void)recorder_put(lane, EVT_nvtx_thread_name, recorder_now(), field, 2);
		recorder_leave(lane);
	}
}

/* Of all resources only threads have a place in the tables. */
void nvtx_name_resource(const struct nvtx_resource *resource)
{
	struct string name = { .hash = 0 };

	if (!resource || resource->size < sizeof(*resource) ||
	    resource->identifier_type != NVTX_RESOURCE_THREAD_NATIVE)
		return;
	if (resource->message_type == NVTX_MESSAGE_TEXT)
		name = string_of(resource->message);
	else if (resource->message_type == NVTX_MESSAGE_WIDE)
		name = string_of_wide(resource->message);
	else if (resource->message_type == NVTX_MESSAGE_REGISTERED)
		name = nvtx_name_string(resource->message);
	nvtx_name_thread((uint32_t)resource->identifier, &name);
}
