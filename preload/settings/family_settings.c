/* SPDX-License-Identifier: MIT */
/*
 * Sets of families are words with one bit per family; the compiler makes them from the list. No
 * malloc, no locale, no stdio.
 */
#include "preload/settings/family_settings.h"

#include <string.h>

#include "preload/base/parse.h"

#define MIN_NS_MAX 1000000000000ull

_Static_assert(SETTINGS_FAMILIES <= 32, "a family is a bit of settings.trace");

static const char *const family_names[] = {
#define FAMILY(name, by_default, needs, doc, none, why) #name,
#define FAMILY_PAIR(one, two, by_default, needs, doc, none, why) #one "-" #two,
#define FAMILY_DETAIL(name, by_default, needs, doc) #name,
#include "collector/format/families.def"
};

static const unsigned int families_with_stacks = 0u
#define FAMILY_STACKS(name, what) | 1u << SETTINGS_FAMILY_##name
#include "collector/format/families.def"
	;

static const unsigned int families_with_calls = 0u
#define FAMILY_CALLS(name) | 1u << SETTINGS_FAMILY_##name
#include "collector/format/families.def"
	;

const char family_trace_default[] = ""
#define FAMILY_IF_0(name)
#define FAMILY_IF_1(name) "," #name
#define FAMILY(name, by_default, needs, doc, none, why) FAMILY_IF_##by_default(name)
#define FAMILY_DETAIL(name, by_default, needs, doc) FAMILY_IF_##by_default(name)
#include "collector/format/families.def"
	;

const char family_trace_allowed[] =
	"names with commas between; +name adds to the default, -name removes"
#define FAMILY(name, by_default, needs, doc, none, why) "; " #name ": " doc
#define FAMILY_PAIR(one, two, by_default, needs, doc, none, why) "; " #one "-" #two ": " doc
#define FAMILY_DETAIL(name, by_default, needs, doc) "; " #name ": " doc
#include "collector/format/families.def"
	;

const char family_stacks_allowed[] = "large, caller, native, python, both or off; FAMILY:MODE with "
				     "commas between for single families, "
				     "as in alloc:python,cuda:both; families with stacks are"
#define FAMILY_STACKS(name, what) " " #name
#include "collector/format/families.def"
	;

/* --- INTERCEPT_TRACE --- */

static void trace_write_text(void)
{
	size_t used = 0;

	for (size_t i = 0; i < SETTINGS_FAMILIES; i++) {
		size_t length = strlen(family_names[i]);

		if (!(settings.trace & 1u << i) || used + length + 2 > sizeof(settings.trace_text))
			continue;
		if (used)
			settings.trace_text[used++] = ',';
		memcpy(settings.trace_text + used, family_names[i], length);
		used += length;
	}
	settings.trace_text[used] = 0;
}

/* Applies one name without its sign. Returns 0, or -1 if no family has that name. */
static int trace_apply(const char *name, size_t length, bool remove, unsigned int *families)
{
	for (size_t i = 0; i < SETTINGS_FAMILIES; i++) {
		if (!text_is(name, length, family_names[i]))
			continue;
		if (remove)
			*families &= ~(1u << i);
		else
			*families |= 1u << i;
		return 0;
	}
	return -1;
}

static unsigned int with_needs(unsigned int families)
{
#define FAMILY(name, by_default, needs, doc, none, why) \
	families |= (families >> SETTINGS_FAMILY_##name & 1u) << SETTINGS_FAMILY_##needs;
#define FAMILY_DETAIL(name, by_default, needs, doc) \
	families |= (families >> SETTINGS_FAMILY_##name & 1u) << SETTINGS_FAMILY_##needs;
#include "collector/format/families.def"
	return families;
}

bool family_trace_take(const char *value)
{
	unsigned int families = *value == '+' || *value == '-' ? settings.trace : 0;

	while (*value) {
		size_t length = strcspn(value, ",");
		bool sign = *value == '+' || *value == '-';

		if (length &&
		    trace_apply(value + sign, length - sign, *value == '-', &families) < 0)
			return false;
		value += length;
		value += *value == ',';
	}
	settings.trace = with_needs(families);
	trace_write_text();
	return true;
}

/* --- stacks --- */

/* An item of a list, which may begin with a family's name and a colon. */
struct family_item {
	const char *name; /* NULL: the item is for all families */
	size_t name_length;
	const char *value;
	size_t value_length;
};

static struct family_item family_item_of(const char *item, size_t length)
{
	const char *colon = memchr(item, ':', length);

	if (!colon)
		return (struct family_item){ .value = item, .value_length = length };
	return (struct family_item){ item, (size_t)(colon - item), colon + 1,
				     length - (size_t)(colon - item) - 1 };
}

/* Returns the families of the set that the item is for. A name may select none of them. */
static unsigned int family_item_families(const struct family_item *item, unsigned int set)
{
	for (size_t i = 0; item->name && i < SETTINGS_FAMILIES; i++)
		if (text_is(item->name, item->name_length, family_names[i]))
			return set & 1u << i;
	return item->name ? 0 : set;
}

bool family_stacks_take(const char *item, size_t length)
{
	static const char *const words[] = { "large", "caller", "native", "off", "python", "both" };
	struct family_item parts = family_item_of(item, length);
	unsigned int families = family_item_families(&parts, families_with_stacks), mode = 0;

	while (mode < sizeof(words) / sizeof(words[0]) &&
	       !text_is(parts.value, parts.value_length, words[mode]))
		mode++;
	if (mode == sizeof(words) / sizeof(words[0]))
		return false;
	for (unsigned int i = 0; i < SETTINGS_FAMILIES; i++)
		if (families >> i & 1)
			settings.stacks[i] = (enum settings_stacks)mode;
	return families != 0;
}

bool family_min_time_take(const char *item, size_t length)
{
	struct family_item parts = family_item_of(item, length);
	unsigned int families = family_item_families(&parts, families_with_calls);
	char time[24] = "";
	uint64_t ns;

	if (parts.value_length >= sizeof(time))
		return false;
	memcpy(time, parts.value, parts.value_length);
	if (!parse_time(time, &ns) || ns > MIN_NS_MAX)
		return false;
	for (unsigned int i = 0; i < SETTINGS_FAMILIES; i++)
		if (families >> i & 1)
			settings.stacks_min_ns[i] = ns;
	return families != 0;
}

bool family_has_stacks(enum settings_family family)
{
	return settings.stacks[family] != SETTINGS_STACKS_LARGE &&
	       settings.stacks[family] != SETTINGS_STACKS_CALLER &&
	       settings.stacks[family] != SETTINGS_STACKS_OFF;
}

bool family_calls_have_stacks(void)
{
	bool any = false;

	for (unsigned int i = 0; i < SETTINGS_FAMILIES; i++)
		any |= families_with_calls >> i & 1 && family_has_stacks((enum settings_family)i);
	return any;
}

bool family_calls_have_min_time(void)
{
	bool any = false;

	for (unsigned int i = 0; i < SETTINGS_FAMILIES; i++)
		any |= settings.stacks_min_ns[i] != 0;
	return any;
}

static void family_stacks_python(enum settings_family family)
{
	if (settings.trace >> family & 1 && settings.stacks[family] == SETTINGS_STACKS_LARGE)
		settings.stacks[family] = SETTINGS_STACKS_PYTHON;
}

void family_stacks_unasked(void)
{
	family_stacks_python(SETTINGS_FAMILY_osrt);
	if (settings.io_min_ns)
		family_stacks_python(SETTINGS_FAMILY_io);
}

/* --- answers to the recorder and the collector --- */

uint64_t settings_io_word(void)
{
	return settings.trace >> SETTINGS_FAMILY_io & 1 ? settings.io_min_ns + 1 : 0;
}

uint64_t settings_sampled_stacks(void)
{
	return family_has_stacks(SETTINGS_FAMILY_alloc) ? settings.stacks_every_bytes : 0;
}

unsigned int settings_large_stacks(void)
{
	unsigned int families = 0;

#define FAMILY_LARGE(name)                                                      \
	if (settings.stacks[SETTINGS_FAMILY_##name] == SETTINGS_STACKS_LARGE && \
	    settings.trace >> SETTINGS_FAMILY_##name & 1)                       \
		families |= 1u << EVT_FAMILY_##name;
#include "collector/format/families.def"
	return families;
}

unsigned int settings_gpu_word(void)
{
	if (!(settings.trace & 1u << SETTINGS_FAMILY_gpu))
		return 0;
	return settings.gpu_sums ? 2 : 1;
}

unsigned int settings_native_hz(void)
{
	return settings.trace & 1u << SETTINGS_FAMILY_native_samples ? settings.sample_hz : 0;
}

uint64_t settings_budget_word(void)
{
	const struct budget *budget = &settings.budget;
	uint64_t word = budget->share ? budget->share | SETTINGS_BUDGET_SHARE
				      : budget->parts_per_million;

	if (!budget_is_on(budget))
		return 0;
	return word | (budget->first_is_set ? SETTINGS_BUDGET_FIRST : 0) |
	       budget->first_ns / 1000000 << SETTINGS_BUDGET_MS_SHIFT;
}

bool settings_want_python(void)
{
	unsigned int families = 0u
#define FAMILY_OF_PYTHON(name) | 1u << SETTINGS_FAMILY_##name
#include "collector/format/families.def"
		;

	return settings.trace & families || settings.request[0];
}

void settings_family_words(uint64_t word[EVT_FAMILY_LIMIT])
{
	memset(word, 0, EVT_FAMILY_LIMIT * sizeof(*word));
#define FAMILY(name, by_default, needs, doc, none, why) \
	word[EVT_FAMILY_##name] = settings.trace >> SETTINGS_FAMILY_##name & 1u;
#include "collector/format/families.def"
#define FAMILY_WORD(name, value) word[EVT_FAMILY_##name] = (value);
#include "collector/format/families.def"
}
