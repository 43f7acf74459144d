/* SPDX-License-Identifier: MIT */
/* The only file of the library that includes xxhash.h, all of it inline. */
#include "preload/record/strings.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "preload/base/utf8.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* a limit on data (RLIMIT_DATA) above this leaves room for the cache */
#define DATA_PLENTY (64u << 20)
/* slots of the small cache, used when the large one is not mapped; a power of two */
#define STRINGS_FEW 64u

static uint64_t few_slots[STRINGS_FEW];
struct strings_sent strings_sent = { few_slots, STRINGS_FEW - 1 };
struct string_owner strings_owner[STRINGS_OWNERS];

static uint64_t hash_avoid_zero(uint64_t hash)
{
	return hash ? hash : 1;
}

uint64_t string_hash(const char *bytes, size_t length)
{
	return length ? hash_avoid_zero(XXH3_64bits(bytes, length)) : 0;
}

struct string string_of_bytes(const char *bytes, size_t length)
{
	struct string s = { .bytes = bytes, .length = (uint32_t)length };

	if (length > RECORD_TEXT_MAX)
		s.length = RECORD_TEXT_MAX;
	s.hash = string_hash(bytes, s.length);
	return s;
}

struct string string_of(const char *text)
{
	return string_of_bytes(text, text ? strnlen(text, RECORD_TEXT_MAX) : 0);
}

/* --- wide strings --- */

/* Turns a wide string into UTF-8 piece by piece. */
struct utf8 {
	const wchar_t *at;
	char rest[UTF8_MAX]; /* start of a character that did not fit whole */
	unsigned int rest_length;
};

/* Writes the next bytes, at most `room`. Fewer than that only at the end. */
static size_t utf8_next(struct utf8 *utf8, char *to, size_t room)
{
	size_t used = 0;

	while (used < room) {
		unsigned int take;

		if (!utf8->rest_length) {
			if (!*utf8->at)
				break;
			utf8->rest_length = utf8_put(utf8->rest, (uint32_t)*utf8->at++);
		}
		take = utf8->rest_length;
		if (take > room - used)
			take = (unsigned int)(room - used);
		memcpy(to + used, utf8->rest, take);
		memmove(utf8->rest, utf8->rest + take, utf8->rest_length - take);
		utf8->rest_length -= take;
		used += take;
	}
	return used;
}

/* Length in UTF-8, cut after the last whole character below the limit. */
static uint32_t wide_length(const wchar_t *text)
{
	char character[UTF8_MAX];
	uint32_t length = 0;

	for (; *text; text++) {
		unsigned int bytes = utf8_put(character, (uint32_t)*text);

		if (length + bytes > RECORD_TEXT_MAX)
			break;
		length += bytes;
	}
	return length;
}

struct string string_of_wide(const wchar_t *text)
{
	struct string s = { .wide = text };
	struct utf8 utf8 = { .at = text };
	XXH3_state_t state;
	char piece[256];

	if (!text || !*text)
		return s;
	s.length = wide_length(text);
	XXH3_64bits_reset(&state);
	for (uint32_t done = 0; done < s.length;) {
		size_t left = s.length - done;
		size_t n = utf8_next(&utf8, piece, left < sizeof(piece) ? left : sizeof(piece));

		/* another thread is changing the string meanwhile */
		if (!n)
			break;
		XXH3_64bits_update(&state, piece, n);
		done += (uint32_t)n;
	}
	s.hash = hash_avoid_zero(XXH3_64bits_digest(&state));
	return s;
}

size_t string_copy(const struct string *string, char *to, size_t room)
{
	struct utf8 utf8 = { .at = string->wide };
	size_t length = string->length < room ? string->length : room;

	if (string->wide)
		return utf8_next(&utf8, to, length);
	memcpy(to, string->bytes, length);
	return length;
}

/* --- sending --- */

static size_t piece_fill(const struct string *string, struct utf8 *utf8, uint32_t offset,
			 char *piece)
{
	size_t left = string->length - offset;

	if (left > RECORD_TEXT_BYTES)
		left = RECORD_TEXT_BYTES;
	if (string->wide)
		return utf8_next(utf8, piece, left);
	memcpy(piece, string->bytes + offset, left);
	return left;
}

void string_send(const struct string *string, struct recorder_lane *lane)
{
	struct utf8 utf8 = { .at = string->wide };
	uint64_t ticks;

	if (!string->hash)
		return;
	ticks = recorder_now();
	for (uint32_t offset = 0; offset < string->length; offset += RECORD_TEXT_BYTES) {
		uint64_t field[2 + RECORD_TEXT_WORDS] = { string->hash,
							  (uint64_t)string->length << 32 | offset };

		(void)piece_fill(string, &utf8, offset, (char *)&field[2]);
		if (!recorder_put(lane, RECORD_TEXT, ticks, field, 2 + RECORD_TEXT_WORDS))
			return;
	}
	__atomic_store_n(strings_slot(string->hash), string->hash, __ATOMIC_RELAXED);
}

uint64_t string_id_first(struct string_owner *known, uint64_t mark, struct string_view text,
			 struct recorder_lane *lane)
{
	struct string string = string_of_bytes(text.bytes, text.length);
	uint64_t hash = string_id(&string, lane);

	if (string_is_sent(hash)) {
		__atomic_store_n(&known->hash, hash, __ATOMIC_RELAXED);
		__atomic_store_n(&known->mark, mark ^ hash, __ATOMIC_RELAXED);
	}
	return hash;
}

/*
 * Under a low limit the memory is left to the program. Shared mappings, such as the region, do not
 * count towards the limit.
 */
static bool data_is_limited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur < DATA_PLENTY;
}

static void cache_map(void)
{
	uint64_t *slot;

	if (strings_sent.slot != few_slots || data_is_limited())
		return;
	slot = mmap(NULL, STRINGS_CACHE_SLOTS * sizeof(*slot), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slot != MAP_FAILED)
		strings_sent = (struct strings_sent){ slot, STRINGS_CACHE_SLOTS - 1 };
}

void strings_forget(void)
{
	cache_map();
	memset(strings_owner, 0, sizeof(strings_owner));
	for (uint64_t i = 0; i <= strings_sent.mask; i++)
		if (strings_sent.slot[i])
			strings_sent.slot[i] = 0;
}
