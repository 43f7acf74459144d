/* SPDX-License-Identifier: MIT */
/*
 * Collects every address that an event has, as a return address or in a stack, and finds the
 * function and line of each with the code of report/symbols. Answers are grouped by file, one frame
 * for each group.
 */
#include "report/raw/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/codec.h"
#include "collector/format/file.h"
#include "collector/format/frame_flags.h"
#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/session/stacks.h"
#include "report/symbols/answers.h"

#define PARENTS_LIMIT 64u /* the same limit as in source_modules.c */

/* A return address: where something was called from. */
struct asked {
	const struct source_process *process;
	uint64_t address;
	uint64_t before; /* bytes from the call to the address */
};

/* The answers about one file, or about the memory of one process. Each group becomes one frame. */
struct group {
	const struct source_module *module; /* NULL: the memory of the process */
	const struct source_process *process;
	struct answers answers;
};

struct symbolizing {
	struct map seen; /* hash of an address that was asked for */
	/* hash of process and stack, for stacks whose frames were all asked for */
	struct map stacks;
	struct asked *asked;
	size_t asked_count, asked_room;
	struct map groups; /* hash of path and build-id, or of the process: its last group */
	struct group *group;
	size_t group_count, group_room;
	struct places places;
	struct places_missed missed;
	struct symbolized *result;
};

static void ask(struct symbolizing *symbolizing, const struct source_process *process,
		uint64_t address, uint64_t before)
{
	uint64_t words[] = { (uintptr_t)process, address, before };
	bool added;

	map_put(&symbolizing->seen, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added || !process || !address)
		return;
	symbolizing->asked = memory_room(symbolizing->asked, symbolizing->asked_count,
					 &symbolizing->asked_room, sizeof(*symbolizing->asked));
	symbolizing->asked[symbolizing->asked_count++] = (struct asked){ process, address, before };
}

/* Asks for every frame of the stack. If a frame was asked for before, so were all its callers. */
static void ask_stack(struct symbolizing *symbolizing, const struct source *source,
		      const struct source_process *process, uint32_t stack)
{
	const struct stacks *stacks = source_stacks(source);

	while (process && stack != STACK_NONE) {
		const struct stack_frame *frame = stacks_frame(stacks, stack);
		uint64_t words[] = { (uintptr_t)process, stack };
		bool added;

		map_put(&symbolizing->stacks, map_hash_bytes(words, sizeof(words), 0), &added);
		if (!added)
			return;
		ask(symbolizing, process, frame->address, frame->flags & FRAME_IS_EXACT ? 0 : 1);
		stack = frame->parent;
	}
}

/* Returns the index of the event's field that is a return address; -1: there is none. */
static int caller_field(unsigned int id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];

	for (unsigned int i = 0; event->name && i < event->field_count; i++)
		if (event->field[i].codec == EVT_CODEC_caller)
			return (int)i;
	return -1;
}

static int read_addresses(struct symbolizing *symbolizing, struct source *source)
{
	struct frame_wants wants = { .stacks = true };
	int field[EVT_ID_LIMIT], error;
	struct source_event event;

	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		field[id] = caller_field(id);
		wants.event[id] = true; /* every event may have a stack */
		wants.fields[id] = field[id] >= 0 ? 1u << field[id] : 0;
	}
	source_want(source, &wants);
	while (!(error = source_next(source, &event))) {
		ask_stack(symbolizing, source, event.process, event.stack);
		if (field[event.event.id] >= 0)
			ask(symbolizing, event.process, event.event.value[field[event.event.id]],
			    1);
	}
	return error == EVT_END ? EVT_OK : error;
}

static struct group *symbolize_group_of(struct symbolizing *symbolizing,
					const struct source_process *process,
					const struct source_module *module)
{
	uint64_t words[] = { module ? (uintptr_t)module->path : 0,
			     module ? (uintptr_t)module->build_id : (uintptr_t)process };
	struct map_entry *entry;
	bool added;

	entry = map_put(&symbolizing->groups, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added && symbolizing->group[entry->value].answers.count < SYMBOLIZE_ADDRESSES)
		return &symbolizing->group[entry->value];
	entry->value = symbolizing->group_count;
	symbolizing->group = memory_room(symbolizing->group, symbolizing->group_count,
					 &symbolizing->group_room, sizeof(*symbolizing->group));
	symbolizing->group[symbolizing->group_count].module = module;
	symbolizing->group[symbolizing->group_count].process = process;
	answers_init(&symbolizing->group[symbolizing->group_count].answers);
	return &symbolizing->group[symbolizing->group_count++];
}

static bool symbolize_answer(struct symbolizing *symbolizing, const struct asked *asked,
			     const struct source_module *module)
{
	uint64_t address = asked->address - asked->before - (module ? module->bias : 0);
	struct object_place place;

	places_find(&symbolizing->places, asked->process, module, address, &symbolizing->missed,
		    &place);
	if (!place.frames)
		return false;
	if (module && places_is_memory(module)) {
		address += module->bias;
		module = NULL;
	}
	answers_add(&symbolize_group_of(symbolizing, asked->process, module)->answers, address,
		    &place);
	symbolizing->result->split += place.is_split;
	return true;
}

/*
 * Answers for every module that ever was at the address. A report chooses the one of its time
 * itself.
 */
static void answer_everywhere(struct symbolizing *symbolizing, const struct asked *asked)
{
	const struct source_process *process = asked->process;
	bool is_known = false;

	for (unsigned int depth = 0; process && depth < PARENTS_LIMIT; depth++) {
		for (size_t i = 0; i < process->module_count; i++) {
			const struct source_module *module = process->module[i];

			if (asked->address - module->start < module->bytes)
				is_known |= symbolize_answer(symbolizing, asked, module);
		}
		process = process->parent;
	}
	if (!is_known)
		is_known = symbolize_answer(symbolizing, asked, NULL);
	symbolizing->result->addresses++;
	symbolizing->result->named += is_known;
}

static void symbolize_add_frame(struct symbolizing *symbolizing, const struct group *group)
{
	struct symbolized *result = symbolizing->result;
	const struct answers_subject subject = {
		.process = group->module ? 0 : group->process->number,
		.path = group->module ? source_name_text(group->module->path) : "",
		.build_id = group->module ? source_name_text(group->module->build_id) : "",
		.link = "",
		.basis = "",
	};
	struct symbol_frame frame;
	uint8_t *bytes, *at;
	size_t length;

	bytes = answers_write(&group->answers, &subject, &length);
	if (!bytes) {
		result->left_out += group->answers.count;
		return;
	}
	frame.length = FILE_SKIPPABLE_HEAD + length;
	frame.bytes = memory_zero(frame.length, 1);
	at = put_u32(frame.bytes, FILE_MAGIC_SYMBOLS);
	at = put_u32(at, (uint32_t)length);
	memcpy(at, bytes, length);
	free(bytes);
	result->frame = memory_room(result->frame, result->count, &result->room,
				    sizeof(*result->frame));
	result->frame[result->count++] = frame;
}

int symbolize(struct symbolized *symbolized, struct source *source)
{
	struct symbolizing symbolizing = { .result = symbolized };
	int error;

	*symbolized = (struct symbolized){ .frame = NULL };
	map_init(&symbolizing.seen);
	map_init(&symbolizing.stacks);
	map_init(&symbolizing.groups);
	places_init(&symbolizing.places);
	places_missed_init(&symbolizing.missed);
	error = read_addresses(&symbolizing, source);
	for (size_t i = 0; i < symbolizing.asked_count; i++)
		answer_everywhere(&symbolizing, &symbolizing.asked[i]);
	places_missing(&symbolizing.places, &symbolizing.missed, symbolized->missing,
		       sizeof(symbolized->missing));
	for (size_t i = 0; i < symbolizing.group_count; i++) {
		symbolize_add_frame(&symbolizing, &symbolizing.group[i]);
		answers_release(&symbolizing.group[i].answers);
	}
	places_release(&symbolizing.places);
	places_missed_release(&symbolizing.missed);
	map_release(&symbolizing.seen);
	map_release(&symbolizing.stacks);
	map_release(&symbolizing.groups);
	free(symbolizing.asked);
	free(symbolizing.group);
	return error;
}

void symbolized_release(struct symbolized *symbolized)
{
	for (size_t i = 0; i < symbolized->count; i++)
		free(symbolized->frame[i].bytes);
	free(symbolized->frame);
}
