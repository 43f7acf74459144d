/* SPDX-License-Identifier: MIT */
/*
 * The keys stack, function, line, module and python: the caller, for any event with a stack. While
 * events are read, a key is a number for (process, stack). Its meaning is known when all modules
 * are, and then keys with the same meaning become one.
 */
#include "report/stacks/stack_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/units.h"
#include "report/core/report_kind.h"
#include "report/stacks/helped_stacks.h"

#define NO_STACK "(no stack)"

struct stack_keys_options {
	enum stack_by by;
	bool own_only;
};

static void stack_keys_keys_start(void *state, struct run *run, const void *options)
{
	const struct stack_keys_options *asked = options;
	struct stack_keys *keys = state;

	keys->by = asked->by;
	keys->run = run;
	keys->helped = asked->own_only ? NULL : helped_stacks_want(run);
	map_init(&keys->known);
	run_reads_stacks(run);
}

/* Addresses may have another meaning from here on. */
static void keys_remap(void *state, const struct source_process *process)
{
	struct stack_keys *keys = state;

	keys->generation = memory_room(keys->generation, process->index, &keys->generation_room,
				       sizeof(*keys->generation));
	keys->generation[process->index]++;
}

static void keys_release(void *state)
{
	struct stack_keys *keys = state;

	map_release(&keys->known);
	free(keys->use);
	free(keys->events);
	free(keys->first);
	free(keys->generation);
	if (keys->is_named)
		stack_rows_release(&keys->rows);
}

static const struct analysis_kind analysis_stack_keys = {
	.name = "stacks of events",
	.state_bytes = sizeof(struct stack_keys),
	.options_bytes = sizeof(struct stack_keys_options),
	.start = stack_keys_keys_start,
	.remap = keys_remap,
	.release = keys_release,
};

struct stack_keys *stack_keys_want(struct run *run, enum stack_by by)
{
	return run_want(run, &analysis_stack_keys, &(struct stack_keys_options){ .by = by });
}

struct stack_keys *stack_keys_want_own(struct run *run, enum stack_by by)
{
	return run_want(run, &analysis_stack_keys,
			&(struct stack_keys_options){ .by = by, .own_only = true });
}

/*
 * True if the event counts towards the share of events with stacks. Frees never have a stack. An
 * analysis may ask twice about one event, for the call and for its work on the GPU; no thread makes
 * two calls at one time.
 */
static bool keys_count_event(struct stack_keys *keys, const struct source_event *event)
{
	uint32_t id = event->event.id;

	if (id == EVT_tensor_free || (event->event.time_ns == keys->last_ns &&
				      event->thread == keys->last_thread && id == keys->last_id))
		return false;
	keys->last_ns = event->event.time_ns;
	keys->last_thread = event->thread;
	keys->last_id = id;
	return true;
}

static void keys_note_family(struct stack_keys *keys, enum evt_family family)
{
	if (!keys->count && !keys->missing)
		keys->family = family;
	else if (keys->family != family)
		keys->family = EVT_FAMILY_system;
}

uint64_t stack_keys_of(struct stack_keys *keys, const struct source_event *event)
{
	uint32_t process = event->process->index;
	uint32_t stack = keys->helped ? helped_stacks_of(keys->helped, event) : event->stack;
	uint64_t words[3] = { process, stack,
			      process < keys->generation_room ? keys->generation[process] : 0 };
	struct map_entry *entry;
	bool added, counts = keys_count_event(keys, event);

	if (counts)
		keys_note_family(keys, evt_descriptors[event->event.id].family);
	keys->waited += counts && stack != event->stack;
	if (stack == STACK_NONE) {
		keys->missing += counts;
		keys->misses_native |= evt_descriptors[event->event.id].family != EVT_FAMILY_torch;
		return 0;
	}
	entry = map_put(&keys->known, map_hash_bytes(words, sizeof(words), 0), &added);
	if (added) {
		keys->use = memory_room(keys->use, keys->count, &keys->room, sizeof(*keys->use));
		keys->events = memory_room(keys->events, keys->count, &keys->events_room,
					   sizeof(*keys->events));
		keys->use[keys->count++] = (struct stack_use){
			.process = event->process,
			.stack = stack,
			.time_ns = event->event.time_ns,
		};
		entry->value = keys->count;
	}
	keys->events[entry->value - 1] += counts;
	return entry->value;
}

const struct stack_use *stack_keys_use(const struct stack_keys *keys, uint64_t key)
{
	return &keys->use[key - 1];
}

/* Gives each key its place, and each place its first key. */
static void keys_name(struct stack_keys *keys)
{
	uint64_t *of_place = memory_zero(keys->count + 1, sizeof(*of_place));

	keys->is_named = true;
	stack_rows_init(&keys->rows, run_source(keys->run), run_options(keys->run), keys->by,
			STACK_COLUMNS_NONE);
	keys->first = memory_zero(keys->count + 1, sizeof(*keys->first));
	for (size_t i = 0; i < keys->count; i++) {
		struct stack_use use = keys->use[i];
		size_t place;

		use.weight = keys->events[i];
		place = stack_rows_place(&keys->rows, &use);

		if (place == STACK_LEFT_OUT) {
			keys->first[i] = KEY_LEFT_OUT;
			continue;
		}
		if (!of_place[place])
			of_place[place] = i + 1;
		keys->first[i] = of_place[place];
	}
	free(of_place);
}

void stack_key_take(const struct run_key *key, uint64_t value, uint64_t weight,
		    void (*take)(void *context, const struct stack_use *use), void *context)
{
	const struct stack_keys *keys = *(struct stack_keys *const *)key->state;
	struct stack_use use;

	if (!weight || !value || value > keys->count)
		return;
	use = keys->use[value - 1];
	use.weight = weight;
	take(context, &use);
}

void stack_key_take_calls(const struct run_key *key, const struct groups *groups, size_t word,
			  enum stack_value value, take_stack_use *take, void *context)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];

		stack_key_take(key, group->key[word],
			       value == STACK_CALLS ? group->time.count : group->time.total_ns,
			       take, context);
	}
}

/* --- the kinds --- */

static uint64_t of(const void *state, const struct source_event *event)
{
	return stack_keys_of(*(struct stack_keys *const *)state, event);
}

static uint64_t stack_keys_settle(const void *state, uint64_t key)
{
	struct stack_keys *keys = *(struct stack_keys *const *)state;

	if (!keys->is_named)
		keys_name(keys);
	if (!key || key > keys->count)
		return keys->rows.parts ? KEY_LEFT_OUT : 0;
	return keys->first[key - 1];
}

static const char *events_named(enum evt_family family)
{
	static const char *const names[EVT_FAMILY_LIMIT] = {
#define FAMILY_STACKS(name, what) [EVT_FAMILY_##name] = what,
#include "collector/format/families.def"
	};

	return names[family] ? names[family] : "events";
}

/* How many of the events have a stack. */
static struct stack_share stack_keys_share_of(const struct stack_keys *keys)
{
	bool *is_cut = stacks_find_cut(source_stacks(run_source(keys->run)));
	struct stack_share share = { .all = keys->missing };

	for (size_t i = 0; i < keys->count; i++)
		stack_share_add(&share, is_cut, keys->use[i].stack, keys->events[i]);
	free(is_cut);
	return share;
}

static const char *share(struct stack_keys *keys)
{
	struct stack_share share = stack_keys_share_of(keys);
	char waited[UNIT_TEXT_BYTES];
	size_t used;

	if (!stack_share_write(&share, events_named(keys->family), keys->share))
		return NULL;
	used = strlen(keys->share);
	if (keys->waited) {
		unit_format_count(waited, keys->waited);
		used += (size_t)snprintf(keys->share + used, sizeof(keys->share) - used,
					 "; that of %s is of the thread that waits for them in "
					 "backward(), or of the operator around them",
					 waited);
	}
	if (keys->missing)
		snprintf(keys->share + used, sizeof(keys->share) - used,
			 "; what has none was recorded without (INTERCEPT_STACKS, "
			 "INTERCEPT_STACKS_MIN_TIME), or its thread ran no Python");
	return keys->share;
}

static struct stack_keys *keys_of_rows(void *rows)
{
	return (struct stack_keys *)((char *)rows - offsetof(struct stack_keys, rows));
}

static void stack_keys_total(void *state, struct facts *facts)
{
	const struct stack_keys *keys = keys_of_rows(state);
	struct stack_share share = stack_keys_share_of(keys);

	facts_number(facts, "stack_events", UNIT_COUNT, share.all);
	facts_number(facts, "stacked_events", UNIT_COUNT, share.stacked);
	facts_number(facts, "cut_stacks", UNIT_COUNT, share.cut);
	if (keys->waited)
		facts_number(facts, "joined_stacks", UNIT_COUNT, keys->waited);
}

static const char *note(void *state)
{
	struct stack_keys *keys = keys_of_rows(state);

	if (keys->by == STACK_BY_PYTHON && !keys->rows.has_python)
		return STACKS_WITHOUT_PYTHON;
	if (keys->count)
		return share(keys);
	if (!keys->missing)
		return NULL;
	if (!keys->misses_native)
		return "operators have no stack here: INTERCEPT_STACKS=python in the program's "
		       "environment records their lines of Python";
	return "what has no stack was recorded without: INTERCEPT_STACKS=native, python or both in "
	       "the program's environment records them";
}

/* A report's columns behind the line may be others. */
static enum column_id named(enum column_id column, const char *name)
{
	return column < COLUMN_ID_LIMIT && !strcmp(column_list[column].name, name)
		       ? column
		       : COLUMN_ID_LIMIT;
}

static void stack_keys_put(const void *state, uint64_t key, struct table *table,
			   const enum column_id *column)
{
	struct stack_keys *keys = *(struct stack_keys *const *)state;
	const struct options *options = run_options(keys->run);
	size_t row = table->row_count - 1;

	if (!table->stacks.frames) {
		keys->rows.columns = STACK_COLUMNS_NONE;
		switch (keys->by) {
		case STACK_BY_FUNCTION:
			keys->rows.columns.function = column[0];
			break;
		case STACK_BY_LINE:
			keys->rows.columns.line = column[0];
			keys->rows.columns.called_from = named(column[1], "called_from");
			keys->rows.columns.library = named(column[2], "library");
			break;
		case STACK_BY_MODULE:
			keys->rows.columns.module = column[0];
			break;
		case STACK_BY_PYTHON:
			keys->rows.columns.python = column[0];
			break;
		default:
			keys->rows.columns.stack = column[0];
			break;
		}
		stack_rows_attach(&keys->rows, table, options ? options->stack_frames : 0);
		table->stacks.note = note;
		table->stacks.total = stack_keys_total;
	}
	if (!key) {
		stack_rows_note(&keys->rows, row, NAMED_NONE);
		table_set_text(table, column[0], NO_STACK, strlen(NO_STACK));
		return;
	}
	stack_rows_put(&keys->rows, table,
		       stack_rows_place(&keys->rows, stack_keys_use(keys, key)));
}

/* Its analysis is the state that the kind's functions get. */
#define STACK_KEY(kind, stack_by)                                         \
	static const void *start_##kind(struct run *run)                  \
	{                                                                 \
		struct stack_keys *keys = stack_keys_want(run, stack_by); \
                                                                          \
		keys->self = keys;                                        \
		return &keys->self;                                       \
	}                                                                 \
	const struct key_kind key_kind_##kind = {                         \
		.name = #kind,                                            \
		.start = start_##kind,                                    \
		.of = of,                                                 \
		.settle = stack_keys_settle,                              \
		.put = stack_keys_put,                                    \
	}

STACK_KEY(stack, STACK_BY_STACK);
STACK_KEY(function, STACK_BY_FUNCTION);
STACK_KEY(caller_function, STACK_BY_FUNCTION);
STACK_KEY(line, STACK_BY_LINE);
STACK_KEY(module, STACK_BY_MODULE);
STACK_KEY(python, STACK_BY_PYTHON);
