/* SPDX-License-Identifier: MIT */
/*
 * A table of answers, filled from its start: the address of a type, with its lowest bit set if the
 * type is one of generators. Two threads that ask for a type at once may both enter it.
 */
#include "preload/record/foreign_generators.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/base/own_memory.h"

#define TYPES 32u
#define ALIGNMENT 8u
#define IS_GENERATOR 1u
#define NAME_BYTES 48u
#define NAME_STEP 8u /* bytes of a name that are read at once: no page is beyond its end */
/* From an object's type to a type's name: the type is an object with a size. */
#define NAME_AFTER_TYPE 16u
#define MODULE "_cython_" /* and Cython's version */

static _Atomic uint64_t types[TYPES];

/* Reads a text that may be none. It is cut after NAME_BYTES. */
static bool foreign_name_read(uint64_t address, char *name)
{
	unsigned int bytes;

	memset(name, 0, NAME_BYTES);
	for (unsigned int i = 0; i + NAME_STEP < NAME_BYTES; i += bytes) {
		bytes = NAME_STEP - (unsigned int)((address + i) % NAME_STEP);
		if (!own_memory_read(address + i, name + i, bytes))
			return false;
		if (memchr(name + i, 0, bytes))
			break;
	}
	return true;
}

static bool foreign_is_generator(uint64_t type, unsigned int type_at)
{
	char name[NAME_BYTES];
	const char *last;
	uint64_t at;

	if (!own_memory_read(type + type_at + NAME_AFTER_TYPE, &at, sizeof(at)) ||
	    !foreign_name_read(at, name) || strncmp(name, MODULE, strlen(MODULE)) != 0)
		return false;
	last = strrchr(name, '.');
	return last && (!strcmp(last, ".generator") || !strcmp(last, ".async_generator"));
}

bool foreign_generators_have(uint64_t type, unsigned int type_at)
{
	unsigned int i;
	uint64_t known;
	bool is_one;
	int saved;

	if (!type || type % ALIGNMENT)
		return false;
	for (i = 0; i < TYPES; i++) {
		known = atomic_load_explicit(&types[i], memory_order_relaxed);
		if (!known)
			break;
		if ((known & ~(uint64_t)IS_GENERATOR) == type)
			return known & IS_GENERATOR;
	}
	if (i == TYPES)
		return false;
	saved = errno;
	is_one = foreign_is_generator(type, type_at);
	errno = saved;
	for (known = 0; i < TYPES && !atomic_compare_exchange_strong(
					     &types[i], &known, type | (is_one ? IS_GENERATOR : 0));
	     i++)
		known = 0;
	return is_one;
}
