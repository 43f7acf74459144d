/* SPDX-License-Identifier: MIT */
/* A number and a unit: small letters are times, capital ones sizes. */
#include "preload/settings/keep_last.h"

#include <string.h>

#include "preload/base/parse.h"

#define NS_PER_S 1000000000ull
#define NUMBER_MAX 1000000u /* of a unit */
#define BYTES_MIN (1ull << 20)

/* Returns what `text` is times `unit`; 0: it is no number from 1, or too large. */
static uint64_t keep_last_amount(const char *text, size_t length, uint64_t unit)
{
	uint64_t number = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || number >= NUMBER_MAX)
			return 0;
		number = number * 10 + (uint64_t)(text[i] - '0');
	}
	return number * unit;
}

bool keep_last_parse(const char *text, struct keep_last *ret_keep)
{
	static const struct {
		const char *word;
		uint64_t unit;
	} units[] = { { "s", NS_PER_S },         { "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S },
		      { "d", 86400 * NS_PER_S }, { "step", 0 },          { "steps", 0 } };
	size_t digits = strspn(text, "0123456789");
	uint64_t bytes;

	*ret_keep = (struct keep_last){ 0 };
	if (strcmp(text, "all") == 0)
		return true;
	for (size_t i = 0; digits && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text + digits, units[i].word) != 0)
			continue;
		if (units[i].unit)
			ret_keep->ns = keep_last_amount(text, digits, units[i].unit);
		else
			ret_keep->steps = keep_last_amount(text, digits, 1);
		return keep_last_is_on(ret_keep);
	}
	if (!digits || !text[digits] || !strchr("KMG", text[digits]) || !parse_size(text, &bytes) ||
	    bytes < BYTES_MIN)
		return false;
	ret_keep->bytes = bytes;
	return true;
}
