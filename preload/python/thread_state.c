/* SPDX-License-Identifier: MIT */
/*
 * Fixed offsets for 3.11 and 3.12. For 3.13 and 3.14, a word of the debug offsets at the start of
 * _PyRuntime. Any other version gives 0.
 */
#include "preload/python/thread_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/base/symbols.h"

/* PyThreadState.datastack_chunk, compiled from the headers of 3.11.7 and 3.12.1 */
#define CHUNK_AT_11 296u
#define CHUNK_AT_12 232u
#define CHUNK_WORD_13 26u /* word of _Py_DebugOffsets, at the start of _PyRuntime */
#define CHUNK_WORD_14 29u
#define CHUNK_AT_MAX 1024u

unsigned int python_minor(void)
{
	const char *(*version)(void) = (const char *(*)(void))symbols_find_loaded("Py_GetVersion");
	const char *text = version ? version() : "";

	return strncmp(text, "3.", 2) == 0 ? (unsigned int)strtoul(text + 2, NULL, 10) : 0;
}

size_t python_chunk_at(unsigned int minor)
{
	const uint64_t *runtime = symbols_find_loaded("_PyRuntime");
	uint64_t at;

	if (minor == 11 || minor == 12)
		return minor == 11 ? CHUNK_AT_11 : CHUNK_AT_12;
	if ((minor != 13 && minor != 14) || !runtime || memcmp(runtime, "xdebugpy", 8) != 0)
		return 0;
	at = runtime[minor == 13 ? CHUNK_WORD_13 : CHUNK_WORD_14];
	return at && at % sizeof(at) == 0 && at < CHUNK_AT_MAX ? (size_t)at : 0;
}
