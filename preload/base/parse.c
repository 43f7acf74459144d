/* SPDX-License-Identifier: MIT */
/*
 * Accepts decimal digits, with checks for overflow, and then at most one unit: ns to s for times, k
 * to t (powers of 1024) for sizes.
 */
#include "preload/base/parse.h"

#include <stddef.h>
#include <string.h>

int parse_word(const char *value, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(value, words[i]) == 0)
			return i;
	return -1;
}

static const char *parse_digits(const char *text, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (unsigned int)(*at - '0'), &value))
			return NULL;
	if (at == text)
		return NULL;
	*ret_value = value;
	return at;
}

bool parse_number(const char *text, unsigned int max, unsigned int *ret_value)
{
	uint64_t value;
	const char *end = parse_digits(text, &value);

	if (!end || *end || value > max)
		return false;
	*ret_value = (unsigned int)value;
	return true;
}

bool parse_time(const char *text, uint64_t *ret_ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };
	static const uint64_t unit_ns[] = { 1, 1000, 1000000, 1000000000 };
	uint64_t value;
	const char *end = parse_digits(text, &value);
	int unit = end ? parse_word(end, units) : -1;

	if (!end || (unit < 0 && (*end || value)))
		return false;
	return !__builtin_mul_overflow(value, unit < 0 ? 1 : unit_ns[unit], ret_ns);
}

bool parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "kmgt";
	uint64_t value;
	const char *end = parse_digits(text, &value);
	const char *unit;

	if (!end)
		return false;
	unit = *end ? strchr(units, *end | 0x20) : NULL;
	if (unit) {
		unsigned int shift = 10u * (unsigned int)(unit - units + 1);

		if (value > UINT64_MAX >> shift)
			return false;
		value <<= shift;
		end++;
		if (*end == 'i')
			end++;
	}
	if (*end == 'B')
		end++;
	if (*end)
		return false;
	*ret_bytes = value;
	return true;
}
