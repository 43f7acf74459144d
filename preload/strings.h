/* SPDX-License-Identifier: MIT */
/*
 * Strings in records. A record names a string by its hash; the bytes go to the collector once, as
 * RECORD_TEXT. A process-wide direct-mapped cache remembers the hashes sent; one that was evicted is
 * sent again, which costs space and nothing else.
 *
 * The hash may be of something else that stands for the text, so that the text need not be made when
 * it was sent before (torch_inputs.c).
 *
 * A `struct string` is a view: it owns nothing and lives as long as what it points to. Strings longer
 * than RECORD_TEXT_MAX bytes are cut, wide ones at a character. Any thread, signal handlers too; no
 * lock, no allocation. A child of fork() keeps the cache, it has the same collector.
 */
#ifndef PRELOAD_STRINGS_H
#define PRELOAD_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/hidden.h"
#include "preload/recorder.h"

struct string {
	uint64_t hash;     /* 0: the empty string */
	const char *bytes; /* UTF-8 as the program gave it, or NULL when `wide` is the source */
	const wchar_t *wide;
	uint32_t length; /* in bytes of UTF-8 */
};

/* XXH3_64bits, but 0 for the empty string and 1 where the hash would be 0. */
uint64_t string_hash(const char *bytes, size_t length);

/* NULL is the empty string. */
struct string string_of(const char *text);
struct string string_of_bytes(const char *bytes, size_t length);
struct string string_of_wide(const wchar_t *text);

/* UTF-8 of at most `room` bytes; returns how many. For wide strings; code points that do not exist
 * become U+FFFD. */
size_t string_copy(const struct string *string, char *to, size_t room);

#define STRINGS_CACHE_SLOTS 65536u

extern uint64_t strings_sent[STRINGS_CACHE_SLOTS] PRELOAD_HIDDEN;

/* Writes the text into the lane (held, IN_RECORD) and marks it as sent unless a piece was dropped. */
void string_send(const struct string *string, struct recorder_lane *lane);

static inline bool string_is_sent(uint64_t hash)
{
	return hash == __atomic_load_n(&strings_sent[hash % STRINGS_CACHE_SLOTS], __ATOMIC_RELAXED);
}

/* What a record calls the string; its text is in the ring afterwards, if there was room. */
static inline uint64_t string_id(const struct string *string, struct recorder_lane *lane)
{
	if (__builtin_expect(!string_is_sent(string->hash), 0))
		string_send(string, lane);
	return string->hash;
}

/* A new region, a new collector: nothing has been sent. */
void strings_forget(void);

#endif
