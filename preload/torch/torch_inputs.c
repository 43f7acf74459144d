/* SPDX-License-Identifier: MIT */
/*
 * The words of a description are hashed, with a salt for its kind. If the collector does not have
 * that hash, the text is made and sent before the event.
 */
#include "preload/torch/torch_inputs.h"

#include <string.h>

#include "preload/base/symbols.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"
#include "preload/torch/torch_collective.h"
#include "preload/torch/torch_shapes.h"

/* Operators whose integers say what their shapes do not, and the first integer's input. */
static const struct {
	const char *name;
	unsigned int inputs, first;
} with_integers[] = {
	{ "aten::conv2d", 7, 3 },
	{ "aten::convolution", 9, 3 },
	{ "aten::convolution_backward", 11, 4 },
};
#define CONVOLUTION "aten::conv"

typedef void text_maker(const struct torch_shapes *shapes, struct torch_text *text);

/*
 * The hash is not of the text itself. The salt keeps descriptions of different kinds, and texts,
 * apart.
 */
#define SALT_SHAPES 0x9e3779b97f4a7c15u
#define SALT_TYPES 0xc2b2ae3d27d4eb4fu
#define SALT_INTEGERS 0x165667b19e3779f9u

__attribute__((noinline, cold)) static void text_send(const struct torch_shapes *shapes,
						      text_maker *make, uint64_t hash,
						      struct recorder_lane *lane)
{
	struct torch_text text;
	struct string string = { .hash = hash, .bytes = text.bytes };

	make(shapes, &text);
	string.length = text.length;
	string_send(&string, lane);
}

static inline uint64_t torch_inputs_name_of(const struct torch_shapes *shapes, text_maker *make,
					    uint64_t hash, struct recorder_lane *lane)
{
	hash += !hash;
	if (__builtin_expect(!string_is_sent(hash), 0))
		text_send(shapes, make, hash, lane);
	return hash;
}

static uint64_t hash_of_words(const struct torch_shapes *shapes)
{
	return string_hash((const char *)shapes->word, shapes->words * sizeof(shapes->word[0]));
}

static uint64_t name_of_integers(const char *operator_name, const struct torch_value *inputs,
				 size_t count, struct recorder_lane *lane)
{
	struct torch_shapes integers;

	if (strncmp(operator_name, CONVOLUTION, strlen(CONVOLUTION)) != 0)
		return 0;
	for (size_t i = 0; i < sizeof(with_integers) / sizeof(with_integers[0]); i++) {
		unsigned int first = with_integers[i].first;

		if (count != with_integers[i].inputs ||
		    strcmp(operator_name, with_integers[i].name) != 0)
			continue;
		torch_shapes_describe_integers(&integers, inputs + first, count - first);
		return torch_inputs_name_of(&integers, torch_shapes_integers_text,
					    hash_of_words(&integers) ^ SALT_INTEGERS, lane);
	}
	return 0;
}

/* --- operators of torch.distributed --- */

#define DISTRIBUTED "c10d::"

static uint64_t class_of_groups; /* the first word of a c10d::ProcessGroup */

void torch_inputs_prepare(void)
{
	const uint64_t *table = symbols_find_loaded("_ZTVN4c10d12ProcessGroupE");

	class_of_groups = table ? (uintptr_t)(table + 2) : 0;
}

static void collective_record(uint64_t name_id, const struct torch_value *inputs, size_t count,
			      uint64_t ticks, struct recorder_lane *lane)
{
	const uint64_t field[4] = {
		name_id,
		(uint64_t)torch_collective_bytes(&inputs[0]),
		count > 1 ? (uint64_t)torch_collective_bytes(&inputs[1]) : 0,
		torch_collective_ranks(inputs, count, class_of_groups,
				       region_rank_number(settings.rank),
				       region_rank_world(settings.rank)),
	};

	(void)recorder_put(lane, EVT_torch_collective, ticks, field, 4);
}

void torch_inputs_record(const char *name, uint64_t id, const struct torch_value *inputs,
			 size_t count, uint64_t ticks, struct recorder_lane *lane)
{
	struct torch_shapes shapes;
	uint64_t types, field[3];

	torch_shapes_describe(&shapes, inputs, count);
	types = string_hash((const char *)shapes.type, shapes.types);
	field[0] = torch_inputs_name_of(&shapes, torch_shapes_text,
					hash_of_words(&shapes) ^ SALT_SHAPES, lane);
	field[1] = torch_inputs_name_of(&shapes, torch_shapes_types_text, types ^ SALT_TYPES, lane);
	field[2] = name_of_integers(name, inputs, count, lane);
	(void)recorder_put(lane, EVT_torch_inputs, ticks, field, 3);
	if (strncmp(name, DISTRIBUTED, strlen(DISTRIBUTED)) == 0)
		collective_record(id, inputs, count, ticks, lane);
}
