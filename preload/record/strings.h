/* SPDX-License-Identifier: MIT */
/*
 * Strings in records. A record names a string by its hash; the bytes go to the collector once, as
 * RECORD_TEXT. A process-wide direct-mapped cache remembers the hashes that were sent. If a hash
 * was evicted, its text is sent again, which costs only space. The cache is mapped when recording
 * starts, so that a dormant program does not pay for it. It is small if mapping fails or the limit
 * on data is low.
 *
 * The hash may be taken of something that stands for the text, so that the text need not be built
 * if it was sent before (torch_inputs.c).
 *
 * A `struct string` is a view: it owns nothing and lives as long as what it points to. Strings
 * longer than RECORD_TEXT_MAX bytes are cut, wide ones between characters. Any thread, signal
 * handlers too; no lock, no allocation. A forked child keeps the cache, because it has the same
 * collector.
 */
#ifndef PRELOAD_RECORD_STRINGS_H
#define PRELOAD_RECORD_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

struct string {
	uint64_t hash;     /* 0: the empty string */
	const char *bytes; /* UTF-8 as the program gave it, or NULL when `wide` is the source */
	const wchar_t *wide;
	uint32_t length; /* in bytes of UTF-8 */
};

/* XXH3_64bits; 0 is reserved for the empty string, so a hash of 0 becomes 1. */
uint64_t string_hash(const char *bytes, size_t length);

/* NULL gives the empty string. */
struct string string_of(const char *text);
struct string string_of_bytes(const char *bytes, size_t length);
struct string string_of_wide(const wchar_t *text);

/*
 * Writes at most `room` bytes of UTF-8 and returns their number. In wide strings, invalid code
 * points become U+FFFD.
 */
size_t string_copy(const struct string *string, char *to, size_t room);

#define STRINGS_CACHE_SLOTS 65536u

struct strings_sent {
	uint64_t *slot; /* never NULL */
	uint64_t mask;  /* slots - 1 */
};

extern struct strings_sent strings_sent PRELOAD_HIDDEN;

static inline uint64_t *strings_slot(uint64_t hash)
{
	return &strings_sent.slot[hash & strings_sent.mask];
}

/*
 * Writes the text into the lane (held, IN_RECORD) and marks it as sent, unless a piece was
 * dropped.
 */
void string_send(const struct string *string, struct recorder_lane *lane);

static inline bool string_is_sent(uint64_t hash)
{
	return hash == __atomic_load_n(strings_slot(hash), __ATOMIC_RELAXED);
}

/* Returns the string's id in records. Its text is in the ring afterwards if there was room. */
static inline uint64_t string_id(const struct string *string, struct recorder_lane *lane)
{
	if (__builtin_expect(!string_is_sent(string->hash), 0))
		string_send(string, lane);
	return string->hash;
}

/* Objects whose string is looked up by the object's address. */
#define STRINGS_OWNERS 1024u

struct string_owner {
	/* string_mark() ^ hash, so that a mark and a hash of different strings never match */
	uint64_t mark;
	uint64_t hash; /* the text with this hash was sent */
};

extern struct string_owner strings_owner[STRINGS_OWNERS] PRELOAD_HIDDEN;

#define STRING_MARKED_MIN 8u /* bytes */

/* Text that is not hashed yet. */
struct string_view {
	const char *bytes;
	size_t length;
};

/*
 * Identifies the string of a long-lived object, in case another object is later placed at its
 * address. All bytes count up to a length of 24; of longer strings the first, middle and last 8.
 * Needs at least STRING_MARKED_MIN bytes.
 */
static inline uint64_t string_mark(const void *owner, struct string_view text)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t first, middle, last;

	memcpy(&first, text.bytes, sizeof(first));
	memcpy(&middle, text.bytes + text.length / 2 - sizeof(middle) / 2, sizeof(middle));
	memcpy(&last, text.bytes + text.length - sizeof(last), sizeof(last));
	return ((first * odd + middle) * odd + last) * odd + text.length + (uintptr_t)owner;
}

/*
 * As string_id(), for a string of `owner`. If it was the owner's last string, it is not hashed
 * again.
 */
uint64_t string_id_first(struct string_owner *known, uint64_t mark, struct string_view text,
			 struct recorder_lane *lane);

static inline struct string_owner *string_owner_place(const void *owner)
{
	uintptr_t at = (uintptr_t)owner;

	return &strings_owner[(at >> 5 ^ at >> 12) % STRINGS_OWNERS];
}

/*
 * As string_id(), for a string that is used again and again: this table stays in the processor's
 * cache, unlike the large one. Each hash in the table was sent. The mark beside it matches no
 * owner.
 */
static inline uint64_t string_id_again(const struct string *string, struct recorder_lane *lane)
{
	struct string_owner *known = &strings_owner[string->hash % STRINGS_OWNERS];

	if (__atomic_load_n(&known->hash, __ATOMIC_RELAXED) == string->hash)
		return string->hash;
	(void)string_id(string, lane);
	if (string_is_sent(string->hash))
		__atomic_store_n(&known->hash, string->hash, __ATOMIC_RELAXED);
	return string->hash;
}

static inline uint64_t string_id_of(const void *owner, struct string_view text,
				    struct recorder_lane *lane)
{
	struct string_owner *known = string_owner_place(owner);
	uint64_t mark = string_mark(owner, text);
	uint64_t hash = __atomic_load_n(&known->hash, __ATOMIC_RELAXED);

	if (__builtin_expect((__atomic_load_n(&known->mark, __ATOMIC_RELAXED) ^ hash) == mark, 1))
		return hash;
	return string_id_first(known, mark, text, lane);
}

/*
 * For a new region with a new collector: nothing has been sent yet. Call while all gates are
 * shut.
 */
void strings_forget(void);

#endif
