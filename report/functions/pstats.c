/* SPDX-License-Identifier: MIT */
/*
 * Writes a dict with marshal's type codes, as versions 2 to 4 of the format have them; all numbers
 * are little-endian.
 */
#include "report/functions/pstats.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/functions/function_place.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

#define DIGIT_BITS 15u /* of marshal's long */

static void pstats_put_word(FILE *out, uint32_t number)
{
	unsigned char bytes[4];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(number >> 8 * i);
	fwrite(bytes, 1, sizeof(bytes), out);
}

static void put_number(FILE *out, uint64_t number)
{
	uint32_t digits = 0;

	if (number <= INT32_MAX) {
		putc('i', out);
		pstats_put_word(out, (uint32_t)number);
		return;
	}
	for (uint64_t rest = number; rest; rest >>= DIGIT_BITS)
		digits++;
	putc('l', out);
	pstats_put_word(out, digits);
	for (; number; number >>= DIGIT_BITS) {
		putc((int)(number & 0xff), out);
		putc((int)(number >> 8 & 0x7f), out);
	}
}

static void put_seconds(FILE *out, uint64_t ns)
{
	double seconds = (double)ns / 1e9;
	uint64_t bits;

	memcpy(&bits, &seconds, sizeof(bits));
	putc('g', out);
	pstats_put_word(out, (uint32_t)bits);
	pstats_put_word(out, (uint32_t)(bits >> 32));
}

static size_t pstats_character_bytes(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Returns the length of the character that begins here; 0: it is no valid UTF-8. */
static size_t character(const unsigned char *text, size_t length)
{
	size_t bytes = pstats_character_bytes(text[0]);

	if (bytes > length)
		return 0;
	for (size_t i = 1; i < bytes; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))
		return 0;
	return bytes;
}

/*
 * Bytes that are no valid UTF-8 become U+FFFD, as in JSON; otherwise marshal would refuse the whole
 * file.
 */
static void pstats_put_text(FILE *out, const char *text, size_t length)
{
	uint32_t written = 0;

	for (size_t i = 0, bytes; i < length; i += bytes) {
		bytes = character((const unsigned char *)text + i, length - i);
		written += bytes ? (uint32_t)bytes : sizeof(REPLACEMENT) - 1;
		bytes += !bytes;
	}
	putc('u', out);
	pstats_put_word(out, written);
	for (size_t i = 0, bytes; i < length; i += bytes) {
		bytes = character((const unsigned char *)text + i, length - i);
		fputs(bytes ? "" : REPLACEMENT, out);
		fwrite(text + i, 1, bytes, out);
		bytes += !bytes;
	}
}

static void put_tuple(FILE *out, uint32_t items)
{
	putc('(', out);
	pstats_put_word(out, items);
}

static void pstats_put_function(FILE *out, const struct source *source, uint32_t function)
{
	struct function_place place = function_place_of(source, function);

	put_tuple(out, 3);
	pstats_put_text(out, place.file, place.file_length);
	put_number(out, place.line);
	pstats_put_text(out, place.name, place.name_length);
}

/*
 * `calls_first`: for a caller, pstats stores all calls in front of the primitive calls; for a
 * function, behind them.
 */
static void pstats_put_counts(FILE *out, const struct call_counts *counts, bool calls_first)
{
	uint64_t primitive = counts->calls - counts->recursive;

	put_number(out, calls_first ? counts->calls : primitive);
	put_number(out, calls_first ? primitive : counts->calls);
	put_seconds(out, counts->self_ns);
	put_seconds(out, counts->total_ns);
}

static int compare_pairs(const void *left, const void *right)
{
	const struct call_pair *a = left, *b = right;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

void pstats_write(FILE *out, const struct calls *calls, const struct source *source)
{
	struct call_pair *pair = memory_zero(calls->pair_count + 1, sizeof(*pair));
	size_t next = 0;

	if (calls->pair_count)
		memcpy(pair, calls->pair, calls->pair_count * sizeof(*pair));
	qsort(pair, calls->pair_count, sizeof(*pair), compare_pairs);
	putc('{', out);
	for (size_t i = 0; i < calls->row_count; i++) {
		pstats_put_function(out, source, calls->row[i].function);
		put_tuple(out, 5);
		pstats_put_counts(out, &calls->row[i].counts, false);
		putc('{', out);
		for (; next < calls->pair_count && pair[next].callee == i; next++) {
			pstats_put_function(out, source, calls->row[pair[next].caller].function);
			put_tuple(out, 4);
			pstats_put_counts(out, &pair[next].counts, true);
		}
		putc('0', out);
	}
	putc('0', out);
	free(pair);
}
