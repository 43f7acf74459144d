/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table that are stacks, or what is innermost in them: its function, line or module. What a report counted by
 * (process, stack) is put together here, whatever process and load address it comes from. A row shows the stack
 * that weighs most in it.
 *
 * Made once all is read. Must outlive the table that it is attached to.
 */
#ifndef REPORT_STACKS_STACK_ROWS_H
#define REPORT_STACKS_STACK_ROWS_H

#include "report/base/row_links.h"
#include "report/options/options.h"
#include "report/options/keys.h"
#include "report/stacks/named_stacks.h"
#include "report/table/export.h"
#include "report/table/table.h"

enum stack_by {
	STACK_BY_STACK,
	STACK_BY_FUNCTION,
	STACK_BY_LINE,
	STACK_BY_MODULE,
	STACK_BY_PYTHON, /* its innermost function of Python */
	STACK_BY_LIMIT,  /* something else */
};

/* Of a key of --by, by its name. */
enum stack_by stack_by_of(enum key_id key);

/* --filter stack~PART was given. */
bool stack_rows_are_filtered(const struct options *options);

/* Of a table; COLUMN_ID_LIMIT: it has none. */
struct stack_columns {
	enum column_id stack, function, line, module, python, called_from, library;
};
#define STACK_COLUMNS_NONE                                                          \
	((struct stack_columns){ COLUMN_ID_LIMIT, COLUMN_ID_LIMIT, COLUMN_ID_LIMIT, \
				 COLUMN_ID_LIMIT, COLUMN_ID_LIMIT, COLUMN_ID_LIMIT, \
				 COLUMN_ID_LIMIT })
#define STACK_COLUMNS_OF(report)                                                          \
	((struct stack_columns){ COLUMN_##report##_stack, COLUMN_##report##_function,     \
				 COLUMN_##report##_line, COLUMN_##report##_module,        \
				 COLUMN_##report##_python, COLUMN_##report##_called_from, \
				 COLUMN_##report##_library })

struct stack_place {
	uint64_t weight; /* of the stack that weighs most */
	uint32_t stack;  /* that one, named; NAMED_NONE: not yet */
};

/* A call that a row is made of: `stack` of the process at the time; without a process a named stack. */
struct stack_use {
	const struct source_process *process;
	uint32_t stack;
	uint64_t time_ns, weight;
};

#define STACK_PARTS_MAX 8u
#define NO_PYTHON "(no Python function)" /* of a stack that has none */
#define STACKS_WITHOUT_PYTHON                                                                  \
	"no stack here has a Python function: record with INTERCEPT_STACKS=python or both to " \
	"have them"

struct stack_rows {
	struct named_stacks names;
	enum stack_by by;
	bool has_python; /* by Python function: a stack had one */
	struct row_links
		links; /* by line, where rows are the user's own: enum stack_link, a target is a frame */
	bool picks_own; /* a row is the innermost frame of the user's own code, where there is one */
	struct own own;
	struct stack_columns columns;
	struct map places;  /* identity to place; not of stacks */
	uint32_t *place_of; /* by node of a stack, else by frame: place + 1; 0: not known yet */
	size_t place_of_room;
	struct stack_place *place;
	size_t place_count, place_room;
	bool is_late; /* places' stacks are named by stack_rows_stack(); by function, line or module */
	struct stack_use *use; /* by place, of those whose stack has no name yet */
	size_t use_room;
	const char *part[STACK_PARTS_MAX]; /* of --filter stack~PART: all must be in a stack */
	size_t parts;
	struct text_store
		late; /* of the row that was made last, where rows are made as they are written */
	uint32_t *row_stack; /* by row of the table */
	size_t row_room;
};

#define STACK_LEFT_OUT SIZE_MAX

/* `options`: --names, --symbols, --raw-stacks, --frames, --own, --format and --filter are looked at. */
void stack_rows_init(struct stack_rows *rows, struct source *source, const struct options *options,
		     enum stack_by by, struct stack_columns columns);
void stack_rows_release(struct stack_rows *rows);
/*
 * Before the first place, by function, line or module: whole stacks are named where stack_rows_stack() asks for them, others only
 * as far as their row needs. For who shows few of them, and no notes.
 */
void stack_rows_name_late(struct stack_rows *rows);

/* Before the first place: rows are the user's own code although the report does not take --frames. */
void stack_rows_pick_own(struct stack_rows *rows);

/* The place that the call belongs to, from 0 in order of appearance; STACK_LEFT_OUT: --filter leaves it out. */
size_t stack_rows_place(struct stack_rows *rows, const struct stack_use *use);
/* The place's stack that weighs most, named. */
uint32_t stack_rows_stack(struct stack_rows *rows, size_t place);
/* The frame that the place shows. Not of stacks. */
const struct named_frame *stack_rows_frame(struct stack_rows *rows, size_t place);
/* What the place is, for people; as long as the rows. Not of stacks. */
const char *stack_rows_text(struct stack_rows *rows, size_t place);
/* Fills the row added last with what the place is. */
void stack_rows_put(struct stack_rows *rows, struct table *table, size_t place);
/* A row that is something else (a caller) has that stack. */
void stack_rows_note(struct stack_rows *rows, size_t row, uint32_t stack);
/* The table shows the rows' stacks from now on, `below` frames below each. */
void stack_rows_attach(struct stack_rows *rows, struct table *table, size_t below);

/* Below a table: how to have more than callers, and files that symbols could not be had from. */
void stack_rows_print_notes(const struct stack_rows *rows, const struct screen *screen);

#endif
