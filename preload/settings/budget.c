/* SPDX-License-Identifier: MIT */
/*
 * Steps are drawn in blocks: four steps that follow each other, each block by the hash of its
 * number. Neighbouring blocks join, so windows have random lengths, and each period has the same
 * chance at each of its positions. Opening a window costs some microseconds, which four steps
 * share.
 */
#include "preload/settings/budget.h"

#include <string.h>

#include "preload/base/parse.h"

#define STEPS_OF_BLOCK 4u
#define ONE_IN_MAX 1000000u
#define FIRST_MAX 1000000000u
#define FIRST_NS_MIN 1000000ull          /* it is passed on in milliseconds */
#define FIRST_NS_MAX 1000000000000000ull /* 11 days */
#define PER_CENT 10000u                  /* parts per million */
#define PER_CENT_MAX 50u
#define VALUE_BYTES 16u

/* Parses "2%", "0.5%" or "0.05%" of `length` bytes. */
static bool budget_take_percent(const char *text, size_t length, struct budget *budget)
{
	char whole[VALUE_BYTES];
	const char *point = memchr(text, '.', length);
	size_t digits = point ? (size_t)(point - text) : length - 1;
	unsigned int parts, scale = PER_CENT / 10;

	if (!digits || digits >= sizeof(whole))
		return false;
	memcpy(whole, text, digits);
	whole[digits] = 0;
	if (!parse_number(whole, PER_CENT_MAX, &parts))
		return false;
	parts *= PER_CENT;
	if (point && point + 1 == text + length - 1)
		return false;
	for (const char *at = point ? point + 1 : text + length - 1; *at != '%'; at++) {
		if (*at < '0' || *at > '9' || scale < PER_CENT / 100)
			return false;
		parts += (unsigned int)(*at - '0') * scale;
		scale /= 10;
	}
	budget->parts_per_million = parts;
	return parts && parts <= PER_CENT_MAX * PER_CENT;
}

/* Parses "1/8" of `length` bytes. */
static bool budget_take_share(const char *text, size_t length, struct budget *budget)
{
	char digits[VALUE_BYTES];
	unsigned int one_in;

	if (length < 3 || length - 2 >= sizeof(digits) || strncmp(text, "1/", 2) != 0)
		return false;
	memcpy(digits, text + 2, length - 2);
	digits[length - 2] = 0;
	if (!parse_number(digits, ONE_IN_MAX, &one_in) || one_in < 2)
		return false;
	budget->share = (uint32_t)((1ull << 32) / one_in);
	return true;
}

/* Parses "100" (steps) or "20s". */
static bool budget_take_first(const char *text, struct budget *budget)
{
	uint64_t ns;

	if (parse_number(text, FIRST_MAX, &budget->first)) {
		budget->first_is_set = true;
		budget->first_ns = 0; /* whatever the time: no windows of it */
		return true;
	}
	if (!parse_time(text, &ns) || ns < FIRST_NS_MIN || ns > FIRST_NS_MAX)
		return false;
	budget->first_ns = ns;
	return true;
}

bool budget_parse(const char *text, struct budget *ret_budget)
{
	static const char first[] = ",first=";
	struct budget budget = { .first = BUDGET_FIRST_STEPS, .first_ns = BUDGET_FIRST_NS };
	size_t length = strcspn(text, ",");
	bool taken;

	if (strcmp(text, "off") == 0) {
		*ret_budget = (struct budget){ 0 };
		return true;
	}
	if (!length)
		return false;
	taken = text[length - 1] == '%' ? budget_take_percent(text, length, &budget)
					: budget_take_share(text, length, &budget);
	if (!taken)
		return false;
	if (text[length]) {
		if (strncmp(text + length, first, sizeof(first) - 1) != 0 ||
		    !budget_take_first(text + length + sizeof(first) - 1, &budget))
			return false;
	}
	*ret_budget = budget;
	return true;
}

uint32_t budget_hash(uint64_t number)
{
	number += 0x9e3779b97f4a7c15ull;
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ull;
	number = (number ^ number >> 27) * 0x94d049bb133111ebull;
	return (uint32_t)((number ^ number >> 31) >> 32);
}

bool budget_draws(const struct budget *budget, uint32_t share, uint64_t step)
{
	return step < budget->first || !share || budget_hash(step / STEPS_OF_BLOCK) < share;
}
