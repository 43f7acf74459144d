/* SPDX-License-Identifier: MIT */
/*
 * events.def as tables: descriptors and names. Only expansions; the compiler checks here what the
 * list must obey.
 */
#include "collector/format/events.h"

/*
 * An id that is given twice, or given again after it was retired, would declare an enumerator
 * twice.
 */
enum {
#define EVENT(id, name, family, doc) ID_##id##_IS_USED_ONCE,
#define EVENT_RETIRED(id) ID_##id##_IS_USED_ONCE,
#include "collector/format/events.def"
};

#define EVENT(id, name, family, doc) _Static_assert(id >= 1 && id < EVT_ID_LIMIT, "id of " #name);
#include "collector/format/events.def"

/* The same for numbers in blocks, and for blocks. */
enum {
#define EVENT_IN_BLOCK(n, name, family, doc) NUMBER_##n##_OF_##family##_IS_USED_ONCE,
#include "collector/format/events.def"
#define FAMILY_BLOCK(name, block) BLOCK_##block##_IS_USED_ONCE,
#include "collector/format/families.def"
};

#define EVENT_IN_BLOCK(n, name, family, doc) \
	_Static_assert((n) >= 0 && (n) < EVT_BLOCK_NUMBERS, "number of " #name);
#include "collector/format/events.def"

#define FAMILY_BLOCK(name, block)                                                     \
	_Static_assert((block) >= 1 && (block) <= EVT_NUMBER_MAX / EVT_BLOCK_NUMBERS, \
		       "block of " #name);
#include "collector/format/families.def"

/* One byte per field, so the size is the number of fields. */
#define EVENT(id, name, family, doc) struct fields_of_##name {
#define FIELD(codec, name, doc) char name;
#define END(name) \
	}         \
	;
#include "collector/format/events.def"

#define EVENT(id, name, family, doc) \
	_Static_assert(sizeof(struct fields_of_##name) <= EVT_FIELDS_MAX, "fields of " #name);
#include "collector/format/events.def"

/* A text and a caller must be the last field: a flexible array may only be at the end. */
#define ORDER_uint(name) char name;
#define ORDER_span(name) char name;
#define ORDER_sint(name) char name;
#define ORDER_addr(name) char name;
#define ORDER_name(name) char name;
#define ORDER_born(name) char name;
#define ORDER_dies(name) char name;
#define ORDER_size(name) char name;
#define ORDER_block(name) char name;
#define ORDER_delta(name) char name;
#define ORDER_serial(name) char name;
#define ORDER_text(name) char name[];
#define ORDER_caller(name) char name[];

#define EVENT(id, name, family, doc) \
	struct order_of_##name {     \
		char first;
#define FIELD(codec, name, doc) ORDER_##codec(name)
#define END(name) \
	}         \
	;
#include "collector/format/events.def"

#define IS_SPAN_uint false
#define IS_SPAN_span true
#define IS_SPAN_sint false
#define IS_SPAN_addr false
#define IS_SPAN_name false
#define IS_SPAN_born false
#define IS_SPAN_dies false
#define IS_SPAN_size false
#define IS_SPAN_block false
#define IS_SPAN_delta false
#define IS_SPAN_serial false
#define IS_SPAN_text false
#define IS_SPAN_caller false

const struct evt_descriptor evt_descriptors[EVT_ID_LIMIT] = {
#define EVENT(id_, name_, family_, doc_)                           \
	[id_] = { .name = #name_,                                  \
		  .family = EVT_FAMILY_##family_,                  \
		  .doc = doc_,                                     \
		  .field_count = sizeof(struct fields_of_##name_), \
		  .field = {
#define FIELD(codec_, name_, doc_) \
	{ .name = #name_, .codec = EVT_CODEC_##codec_, .is_span = IS_SPAN_##codec_, .doc = doc_ },
#define END(name_) \
	}          \
	}          \
	,
#include "collector/format/events.def"
};

unsigned int evt_duration_field(uint32_t id)
{
	const struct evt_descriptor *known = &evt_descriptors[id];
	unsigned int field = 0;

	while (field < known->field_count && !known->field[field].is_span)
		field++;
	return field < known->field_count ? field : EVT_FIELDS_MAX;
}

const uint16_t evt_numbers[EVT_ID_LIMIT] = {
#define EVENT(id, name, family, doc) [id] = id,
#define EVENT_IN_BLOCK(n, name, family, doc) \
	[EVT_##name] = EVT_BLOCK_##family * EVT_BLOCK_NUMBERS + (n),
#include "collector/format/events.def"
};

const uint32_t evt_known_limit = EVT_ID_BLOCKS + EVT_BLOCK_ORDER_LIMIT;

uint32_t evt_id_of_number(uint64_t number)
{
	if (number < EVT_ID_BLOCKS)
		return (uint32_t)number;
	for (uint32_t id = EVT_ID_BLOCKS; id < evt_known_limit; id++)
		if (evt_numbers[id] == number)
			return id;
	return 0;
}

const struct evt_role evt_roles[EVT_ID_LIMIT] = {
#define EVENT(id, name, family, doc) [id] = {
#define OPENS(scope) .opens = EVT_SCOPE_KIND_##scope,
#define CLOSES(scope) .closes = EVT_SCOPE_KIND_##scope,
#define SCOPE_FIELD(event, part, field) \
	.part = 1 + offsetof(struct evt_##event, field) / sizeof(uint64_t),
#define DETAILS(scope) .details = EVT_SCOPE_KIND_##scope,
#define DEFERRED() .is_deferred = true,
#define TIMELESS() .is_timeless = true,
#define HOLDS(keys) .holds = 1 + (keys),
#define END(name) \
	}         \
	,
#include "collector/format/events.def"
};

const struct evt_scope_descriptor evt_scopes[EVT_SCOPE_KIND_LIMIT] = {
#define SCOPE(name_, owner_, is_range_, word_, doc) \
	[EVT_SCOPE_KIND_##name_] = {                \
		.name = #name_,                     \
		.word = word_,                      \
		.owner = EVT_OWNER_##owner_,        \
		.is_range = is_range_,              \
	},
#include "collector/format/scopes.def"
};

const char *const evt_family_names[EVT_FAMILY_LIMIT] = {
#define FAMILY(name, by_default, needs, doc, none, why) #name,
#define FAMILY_PAIR(one, two, by_default, needs, doc, none, why) #one "-" #two,
#define FAMILY_ALWAYS(name, none, why) #name,
#include "collector/format/families.def"
};

const char *const evt_lost_reasons[EVT_LOST_LIMIT_COUNT] = {
	[0] = "unknown",
	[EVT_LOST_FULL] = "ring full",
	[EVT_LOST_NO_RING] = "no ring",
	[EVT_LOST_NESTED] = "nested signal handlers",
	[EVT_LOST_SCRIBBLED] = "ring overwritten",
	[EVT_LOST_DISK] = "write failed",
	[EVT_LOST_EARLY] = "before recording",
	[EVT_LOST_NO_PROCESS] = "too many processes",
	[EVT_LOST_LIMIT] = "file limit",
	[EVT_LOST_STALLED] = "collector stalled",
	[EVT_LOST_REFUSED] = "too large to encode",
	[EVT_LOST_STACK] = "stack not known",
	[EVT_LOST_STACK_ID] = "stack defined twice",
	[EVT_LOST_NO_STACK] = "stack not recorded",
	[EVT_LOST_MODULES] = "too many libraries",
	[EVT_LOST_SAMPLED] = "too many sampled blocks",
};
