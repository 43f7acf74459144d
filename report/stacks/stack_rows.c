/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table that are stacks, functions, lines or modules. Uses of (process, stack) are named
 * and joined by what they show.
 */
#include "report/stacks/stack_rows.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/vast.h"

#define FILTER_STACK "stack~"

enum stack_by stack_by_of(enum key_id key)
{
	static const char *const names[STACK_BY_LIMIT] = { "stack", "function", "line", "module",
							   "python" };
	unsigned int by = 0;

	while (by < STACK_BY_LIMIT && strcmp(key_list[key].name, names[by]) != 0)
		by++;
	return (enum stack_by)by;
}

bool stack_rows_are_filtered(const struct options *options)
{
	for (size_t i = 0; i < options->filter_count; i++)
		if (!strncmp(options->filter[i], FILTER_STACK, strlen(FILTER_STACK)))
			return true;
	return false;
}

static void stack_rows_take_parts(struct stack_rows *rows, const struct options *options)
{
	for (size_t i = 0; i < options->filter_count && rows->parts < STACK_PARTS_MAX; i++)
		if (!strncmp(options->filter[i], FILTER_STACK, strlen(FILTER_STACK)))
			rows->part[rows->parts++] = options->filter[i] + strlen(FILTER_STACK);
}

void stack_rows_init(struct stack_rows *rows, struct source *source, const struct options *options,
		     enum stack_by by, struct stack_columns columns)
{
	static const struct options defaults;

	options = options ? options : &defaults;
	*rows = (struct stack_rows){ .by = by, .columns = columns };
	named_stacks_init(&rows->names, source,
			  (enum symbol_form)options->of_report[REPORT_OPTION_names].choice);
	rows->names.symbols.is_off = options->of_report[REPORT_OPTION_symbols].choice ==
				     SYMBOLS_OFF;
	rows->names.is_raw = options->raw_stacks;
	rows->names.for_people = options->format != FORMAT_CSV && options->format != FORMAT_JSON;
	map_init(&rows->places);
	row_links_init(&rows->links);
	stack_rows_take_parts(rows, options);
	own_init(&rows->own, source, options);
	if (!(report_infos[options->report].takes & TAKES_frames) || options->raw_stacks ||
	    rows->own.is_off)
		return;
	if (by == STACK_BY_LINE || (by == STACK_BY_STACK && columns.function < COLUMN_ID_LIMIT))
		stack_rows_pick_own(rows);
	else if (by == STACK_BY_FUNCTION)
		rows->names.own = &rows->own; /* whose wrappers of the allocator are passed over */
}

void stack_rows_pick_own(struct stack_rows *rows)
{
	rows->picks_own = true;
	rows->names.own = &rows->own;
}

void stack_rows_release(struct stack_rows *rows)
{
	named_stacks_release(&rows->names);
	own_release(&rows->own);
	map_release(&rows->places);
	row_links_release(&rows->links);
	vast_release(rows->place, rows->place_room, sizeof(*rows->place));
	vast_release(rows->place_of, rows->place_of_room, sizeof(*rows->place_of));
	text_store_release(&rows->late);
	free(rows->row_stack);
}

static const char *python_of(struct stack_rows *rows, uint32_t stack)
{
	const struct named_frame *frame = named_stack_python(&rows->names, stack);
	const char *line = frame ? named_frame_line(frame, &rows->names.texts) : NULL;

	if (!frame)
		return NO_PYTHON;
	rows->has_python = true;
	if (line)
		return text_store_format(&rows->names.texts, "%s %s", line, frame->name);
	return frame->file
		       ? text_store_format(&rows->names.texts, "%s %s", frame->file, frame->name)
		       : frame->name;
}

/* If the function is unknown, its module is shown, else the address. */
static const char *text_of_frame(struct stack_rows *rows, const struct named_frame *frame)
{
	const char *line;

	if (rows->by == STACK_BY_MODULE)
		return frame->module ? frame->module : frame->name;
	line = rows->by == STACK_BY_LINE ? named_frame_line(frame, &rows->names.texts) : NULL;
	if (line)
		return line;
	if (frame->function || !frame->module)
		return named_shown(&rows->names, frame);
	return text_store_format(&rows->names.texts, "[%s]", frame->module);
}

/* It is a function, and only its name distinguishes it from others. */
static bool is_by_name(const struct stack_rows *rows, const struct named_frame *frame)
{
	return frame->exact && (rows->by == STACK_BY_FUNCTION ||
				(rows->by == STACK_BY_LINE && !(frame->file && frame->line)));
}

/* The part of the stack whose innermost frame the row shows. */
static uint32_t picked_of(const struct stack_rows *rows, uint32_t stack)
{
	uint32_t users = rows->picks_own ? named_stack_users(&rows->names, stack) : NAMED_NONE;

	return users != NAMED_NONE ? users : named_stack_unwrapped(&rows->names, stack);
}

static const char *stack_rows_text_of(struct stack_rows *rows, uint32_t stack)
{
	if (rows->by == STACK_BY_PYTHON)
		return python_of(rows, stack);
	return text_of_frame(rows, named_frame_of(&rows->names, picked_of(rows, stack)));
}

/*
 * Stacks with one key are one place. By Python function, the key is that frame. If there is none,
 * it is the innermost frame, which is then no Python frame.
 */
static uint32_t stack_rows_key_of(const struct stack_rows *rows, uint32_t stack)
{
	const struct named_frame *python;

	if (rows->by == STACK_BY_STACK)
		return stack;
	python = rows->by == STACK_BY_PYTHON ? named_stack_python(&rows->names, stack) : NULL;
	return python ? (uint32_t)(python - rows->names.frame)
		      : rows->names.nodes.node[picked_of(rows, stack)].frame;
}

static uint64_t stack_rows_identity_of(struct stack_rows *rows, uint32_t key, uint32_t stack)
{
	const struct named_frame *frame = &rows->names.frame[key];
	const char *text;

	if (rows->by != STACK_BY_PYTHON && is_by_name(rows, frame))
		return named_function(frame);
	text = rows->by == STACK_BY_PYTHON ? python_of(rows, stack) : text_of_frame(rows, frame);
	return map_hash_bytes(text, strlen(text), 0);
}

/*
 * Returns the place of the key from stack_rows_key_of(); `place_count` if it is new, and the caller
 * must add it. By Python function, `stack` is a stack with that key.
 */
static size_t place_number(struct stack_rows *rows, uint32_t key, uint32_t stack)
{
	size_t number = rows->place_count;
	uint32_t *known;

	rows->place_of = vast_room(rows->place_of, key, &rows->place_of_room,
				   sizeof(*rows->place_of));
	known = &rows->place_of[key];
	if (*known)
		return *known - 1;
	if (rows->by != STACK_BY_STACK) {
		bool added;
		struct map_entry *entry = map_put(&rows->places,
						  stack_rows_identity_of(rows, key, stack), &added);

		if (added)
			entry->value = number;
		number = (size_t)entry->value;
	}
	*known = (uint32_t)number + 1;
	return number;
}

/* The use, of that named stack, belongs to the place. */
static size_t place_add(struct stack_rows *rows, size_t number, const struct stack_use *use,
			uint32_t stack)
{
	struct stack_place *place;
	bool added = number == rows->place_count;

	if (added)
		rows->place = vast_room(rows->place, rows->place_count++, &rows->place_room,
					sizeof(*rows->place));
	place = &rows->place[number];
	if (!added && use->weight <= place->weight)
		return number;
	*place = (struct stack_place){ use->weight, stack };
	return number;
}

/* --- what a line of the user's is linked to --- */

enum stack_link {
	STACK_LINK_CALLER,  /* the next frame outwards that is the user's, of another line */
	STACK_LINK_LIBRARY, /* the innermost frame, where that is not the user's own line */
};

static bool stack_rows_is_same_line(const struct named_frame *one, const struct named_frame *other)
{
	return one == other || (one->file && other->file && one->line == other->line &&
				!strcmp(one->file, other->file));
}

/*
 * NAMED_NONE: none of the user's calls it. Allocators' wrappers are passed over on the inside only.
 */
static uint32_t caller_of_line(const struct stack_rows *rows, uint32_t stack)
{
	const struct named_frame *line = named_frame_of(&rows->names, stack);

	for (stack = named_parent(&rows->names, stack); stack != NAMED_NONE;
	     stack = named_parent(&rows->names, stack)) {
		const struct named_frame *frame = named_frame_of(&rows->names, stack);

		if (frame->begins_process)
			return NAMED_NONE;
		if (frame->is_users && !stack_rows_is_same_line(line, frame))
			break;
	}
	return stack;
}

static void links_add(struct stack_rows *rows, size_t place, uint32_t stack, uint64_t weight)
{
	uint32_t users, caller;

	if (rows->by != STACK_BY_LINE || !rows->picks_own || !weight)
		return;
	users = named_stack_users(&rows->names, stack);
	if (users == NAMED_NONE)
		return;
	caller = caller_of_line(rows, users);
	if (users != stack)
		row_links_add(&rows->links, place, STACK_LINK_LIBRARY,
			      rows->names.nodes.node[stack].frame, weight);
	if (caller != NAMED_NONE)
		row_links_add(&rows->links, place, STACK_LINK_CALLER,
			      rows->names.nodes.node[caller].frame, weight);
}

size_t stack_rows_place(struct stack_rows *rows, const struct stack_use *use)
{
	uint32_t stack = use->stack;
	size_t place;

	if (use->process)
		stack = named_stack_of(&rows->names, use->process, stack, use->time_ns);
	for (size_t i = 0; i < rows->parts; i++)
		if (!named_stack_has(&rows->names, stack, rows->part[i]))
			return STACK_LEFT_OUT;
	place = place_add(rows, place_number(rows, stack_rows_key_of(rows, stack), stack), use,
			  stack);
	links_add(rows, place, stack, use->weight);
	return place;
}

uint32_t stack_rows_stack(struct stack_rows *rows, size_t number)
{
	return rows->place[number].stack;
}

const struct named_frame *stack_rows_frame(struct stack_rows *rows, size_t place)
{
	return named_frame_of(&rows->names, picked_of(rows, stack_rows_stack(rows, place)));
}

const char *stack_rows_text(struct stack_rows *rows, size_t place)
{
	return stack_rows_text_of(rows, stack_rows_stack(rows, place));
}

static void stack_rows_put_text(struct table *table, enum column_id column, const char *text)
{
	if (text && column < COLUMN_ID_LIMIT)
		table_set_text(table, column, text, strlen(text));
}

void stack_rows_note(struct stack_rows *rows, size_t row, uint32_t stack)
{
	rows->row_stack = memory_room(rows->row_stack, row, &rows->row_room,
				      sizeof(*rows->row_stack));
	rows->row_stack[row] = stack;
}

static void make_text(void *state, struct table *table, size_t row)
{
	struct stack_rows *rows = state;
	uint32_t stack = row < rows->row_room ? rows->row_stack[row] : NAMED_NONE;
	bool is_by_row = table->late.is_by_row && table->late.state == rows;
	const char *text;

	/* for people a single frame would only repeat the row; programs get it all the same */
	if (stack == NAMED_NONE || rows->columns.stack >= COLUMN_ID_LIMIT ||
	    (rows->names.for_people && rows->columns.function < COLUMN_ID_LIMIT &&
	     named_parent(&rows->names, stack) == NAMED_NONE))
		return;
	if (is_by_row)
		text_store_release(&rows->late);
	if (rows->names.for_people) /* the library's frames inside of it: --stack N, --frames all */
		stack = picked_of(rows, stack);
	text = named_stack_text(&rows->names, stack, is_by_row ? &rows->late : &rows->names.texts);
	table_fill_text(table, row, rows->columns.stack, text, strlen(text));
}

/* A stack's text has kilobytes, and few of a million rows are shown. */
static void put_late_text(struct stack_rows *rows, struct table *table, size_t row)
{
	if (rows->columns.stack >= COLUMN_ID_LIMIT)
		return;
	if (!table->late.make)
		table->late = (struct table_late){ .make = make_text,
						   .state = rows,
						   .column = &rows->columns.stack,
						   .column_count = 1 };
	if (table->late.state != rows)
		make_text(rows, table, row);
}

/* FILE:LINE of the frame, with its function if that is asked for. */
static void stack_rows_put_link(struct stack_rows *rows, struct table *table, size_t place,
				enum stack_link kind, enum column_id column)
{
	const struct named_frame *frame;
	const char *line, *name;
	uint64_t number;

	if (column >= COLUMN_ID_LIMIT || !row_links_most(&rows->links, place, kind, &number))
		return;
	frame = &rows->names.frame[number];
	line = named_frame_line(frame, &rows->names.texts);
	name = named_shown(&rows->names, frame);
	if (line && kind == STACK_LINK_LIBRARY)
		line = text_store_format(&rows->names.texts, "%s %s", line, name);
	stack_rows_put_text(table, column, line ? line : name);
}

void stack_rows_put(struct stack_rows *rows, struct table *table, size_t place)
{
	uint32_t stack = stack_rows_stack(rows, place);
	const struct named_frame *frame = named_frame_of(&rows->names, picked_of(rows, stack));
	struct stack_columns key = STACK_COLUMNS_NONE;

	stack_rows_note(rows, table->row_count - 1, stack);
	if (rows->by == STACK_BY_STACK) {
		stack_rows_put_text(table, rows->columns.function,
				    named_shown(&rows->names, frame));
		stack_rows_put_text(table, rows->columns.line,
				    named_frame_line(frame, &rows->names.texts));
		stack_rows_put_text(table, rows->columns.module, frame->module);
		put_late_text(rows, table, table->row_count - 1);
		return;
	}
	key.function = rows->by == STACK_BY_FUNCTION ? rows->columns.function : key.function;
	key.line = rows->by == STACK_BY_LINE ? rows->columns.line : key.line;
	key.module = rows->by == STACK_BY_MODULE ? rows->columns.module : key.module;
	key.python = rows->by == STACK_BY_PYTHON ? rows->columns.python : key.python;
	stack_rows_put_text(table, key.python, stack_rows_text_of(rows, stack));
	stack_rows_put_text(table, key.function, stack_rows_text_of(rows, stack));
	stack_rows_put_text(table, key.line, stack_rows_text_of(rows, stack));
	stack_rows_put_text(table, key.module, stack_rows_text_of(rows, stack));
	stack_rows_put_link(rows, table, place, STACK_LINK_CALLER, rows->columns.called_from);
	stack_rows_put_link(rows, table, place, STACK_LINK_LIBRARY, rows->columns.library);
}

static size_t frames_of_row(void *state, size_t row, struct table_frame *frame, size_t room)
{
	struct stack_rows *rows = state;

	if (row >= rows->row_room || rows->row_stack[row] == NAMED_NONE)
		return 0;
	return named_stack_frames(&rows->names, rows->row_stack[row], frame, room);
}

void stack_rows_attach(struct stack_rows *rows, struct table *table, size_t below)
{
	table->stacks = (struct table_stacks){ .frames = frames_of_row,
					       .state = rows,
					       .column = rows->columns.stack,
					       .innermost = rows->columns.function,
					       .below = below };
}

void stack_rows_print_notes(const struct stack_rows *rows, const struct screen *screen)
{
	struct symbols_missing missing;

	if (rows->by == STACK_BY_PYTHON && rows->place_count && !rows->has_python)
		screen_print_prose(screen, "%s", STACKS_WITHOUT_PYTHON);
	else if (rows->names.nodes.count > 1 && !rows->names.is_deep)
		screen_print_prose(screen, "stacks are one frame here, the caller: record with "
					   "INTERCEPT_STACKS=native, python or both to have all of "
					   "it");
	if (symbols_missing(&rows->names.symbols, &missing)[0])
		screen_print_prose(screen, "no functions of files that are not those recorded: %s",
				   missing.text);
	if (symbols_bare(&rows->names.symbols, &missing)[0])
		screen_print_prose(screen, "%s", missing.text);
	if (symbols_nameless(&rows->names.symbols, &missing)[0])
		screen_print_prose(screen, "%s", missing.text);
}
