/* SPDX-License-Identifier: MIT */
/*
 * Texts are appended to chunks of 1 MiB by one atomic counter and found again by their hash in a
 * pointer_map.
 */
#include "preload/record/names.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "preload/base/pointer_map.h"
#include "preload/record/limitation.h"

#define CHUNK_BYTES (1u << 20) /* bytes of text; longer than the longest name */
#define CHUNKS 64u             /* 64 MiB of names can only be a leak in the program */

static struct pointer_map by_hash;

/* --- memory --- */

static _Atomic(char *) chunk_list[CHUNKS];
static _Atomic uint64_t chunk_used; /* bytes handed out, over all chunks */

static char *chunk_get(size_t index)
{
	char *chunk = atomic_load(&chunk_list[index]);
	int saved = errno;
	char *fresh;

	if (chunk)
		return chunk;
	fresh = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
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
		/* a text that does not fit into the rest of a chunk goes into the next one */
		if (at % CHUNK_BYTES + bytes > CHUNK_BYTES)
			continue;
		chunk = chunk_get(at / CHUNK_BYTES);
		return chunk ? chunk + at % CHUNK_BYTES : NULL;
	}
}

bool name_owns(const void *address)
{
	for (size_t i = 0; i < CHUNKS; i++) {
		const char *chunk = atomic_load_explicit(&chunk_list[i], memory_order_relaxed);

		if (!chunk)
			return false;
		if ((uintptr_t)address - (uintptr_t)chunk < CHUNK_BYTES)
			return true;
	}
	return false;
}

/* --- names --- */

static void say_that_names_are_full(void)
{
	static _Atomic bool said;

	if (!atomic_exchange(&said, true))
		limitation_say(LIMITATION_names_memory, NULL);
}

const struct name *name_make(const struct string *text)
{
	const struct name *known;
	struct name *name;

	if (!text->hash)
		return NULL;
	known = pointer_map_find(&by_hash, text->hash);
	if (known)
		return known;
	name = chunk_alloc(sizeof(*name) + text->length);
	if (!name) {
		say_that_names_are_full();
		return NULL;
	}
	name->hash = text->hash;
	name->length = (uint32_t)string_copy(text, name->text, text->length);
	(void)pointer_map_put(&by_hash, name->hash, name);
	return name;
}
