/* SPDX-License-Identifier: MIT */
/* Examines each name once and keeps the result by its index. */
#include "report/torch/operator_names.h"

#include <stdlib.h>
#include <string.h>

#include "report/torch/flops.h"
#include "report/base/memory.h"

#define STEP_PREFIX "ProfilerStep#"

struct operator_name {
	uint32_t stands_for;
	uint8_t is_known, is_hidden;
	uint8_t flops_kind; /* enum flops_kind */
};

void operator_names_init(struct operator_names *names)
{
	*names = (struct operator_names){ .name = NULL };
	map_init(&names->flops);
	map_init(&names->conv_flops);
}

void operator_names_release(struct operator_names *names)
{
	free(names->name);
	map_release(&names->flops);
	map_release(&names->conv_flops);
}

static bool operator_names_text_is(struct operator_text text, const char *word)
{
	return text.length == strlen(word) && !memcmp(text.text, word, text.length);
}

/* The rules of _filter_name() in torch/autograd/profiler_util.py. */
bool operator_is_hidden(struct operator_text text)
{
	static const char *const hidden[] = {
		"profiler::_record_function_enter",
		"profiler::_record_function_enter_new",
		"profiler::_record_function_exit",
		"aten::is_leaf",
		"aten::output_nr",
		"aten::_version",
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (operator_names_text_is(text, hidden[i]))
			return true;
	return false;
}

static bool text_is_step(struct operator_text text)
{
	return text.length >= strlen(STEP_PREFIX) &&
	       !memcmp(text.text, STEP_PREFIX, strlen(STEP_PREFIX));
}

struct operator_text operator_text_shown(struct operator_text text)
{
	if (text.text && text_is_step(text))
		return (struct operator_text){ OPERATOR_STEP, strlen(OPERATOR_STEP) };
	return text;
}

static void operator_names_learn(struct operator_names *names, uint32_t index,
				 struct operator_text text)
{
	struct operator_name *name = &names->name[index];

	name->is_known = true;
	name->is_hidden = operator_is_hidden(text);
	name->flops_kind = flops_kind_of(text.text, text.length);
	if (!text_is_step(text))
		return;
	if (!names->has_step)
		names->step = index;
	names->has_step = true;
	name->stands_for = names->step;
}

uint32_t operator_name_of(struct operator_names *names, uint32_t index, struct operator_text text,
			  bool *ret_hidden)
{
	struct operator_name *name;

	if (index >= names->room)
		names->name = memory_room(names->name, index, &names->room, sizeof(*names->name));
	name = &names->name[index];
	if (!name->is_known) {
		name->stands_for = index;
		if (text.text)
			operator_names_learn(names, index, text);
	}
	*ret_hidden = name->is_hidden;
	return name->stands_for;
}

uint64_t operator_flops_of(struct operator_names *names, uint32_t index,
			   const struct operator_inputs *inputs)
{
	enum flops_kind kind = index < names->room ? names->name[index].flops_kind : FLOPS_NONE;
	struct map_entry *entry;
	bool added;

	if (kind == FLOPS_NONE || !inputs->shapes_text.text || !inputs->integers_text.text)
		return 0;
	if (kind == FLOPS_CONV2D)
		entry = map_put(&names->conv_flops,
				((uint64_t)inputs->shapes << 32 | inputs->integers) + 1, &added);
	else
		entry = map_put(&names->flops, (uint64_t)kind << 32 | inputs->shapes, &added);
	if (added)
		entry->value = flops_of_inputs(
			kind, &(struct flops_inputs){
				      inputs->shapes_text.text, inputs->shapes_text.length,
				      inputs->integers_text.text, inputs->integers_text.length });
	return entry->value;
}
