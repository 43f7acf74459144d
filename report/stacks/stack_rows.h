/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table that are stacks, or their innermost part: function, line or module. What a report
 * counted by (process, stack) is joined here, across processes and load addresses. A row shows the
 * stack with the greatest weight.
 *
 * Made when everything is read. Must outlive the table that it is attached to.
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
	STACK_BY_PYTHON, /* its innermost Python function */
	STACK_BY_LIMIT,  /* anything else */
};

/* Returns the value for a key of --by. */
enum stack_by stack_by_of(enum key_id key);

/* True if --filter stack~PART was given. */
bool stack_rows_are_filtered(const struct options *options);

/* Columns of a table; COLUMN_ID_LIMIT: it does not have the column. */
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
	uint64_t weight; /* of the stack with the greatest weight */
	uint32_t stack;  /* that stack, named; NAMED_NONE: not yet */
};

/*
 * A call that belongs to a row: `stack` of the process at that time; without a process, a named
 * stack.
 */
struct stack_use {
	const struct source_process *process;
	uint32_t stack;
	uint64_t time_ns, weight;
};

#define STACK_PARTS_MAX 8u
#define NO_PYTHON "(no Python function)" /* for a stack that has none */
#define STACKS_WITHOUT_PYTHON                                                                  \
	"no stack here has a Python function: record with INTERCEPT_STACKS=python or both to " \
	"have them"

struct stack_rows {
	struct named_stacks names;
	enum stack_by by;
	bool has_python; /* by Python function: some stack had one */
	/* by line, if rows are the user's own: enum stack_link; a target is a frame */
	struct row_links links;
	bool picks_own; /* a row is the innermost frame of the user's own code, if there is one */
	struct own own;
	struct stack_columns columns;
	struct map places;  /* from identity to place; not used by stack */
	uint32_t *place_of; /* by node of a stack, else by frame: place + 1; 0: not known yet */
	size_t place_of_room;
	struct stack_place *place;
	size_t place_count, place_room;
	/* stack_rows_stack() names the places' stacks later; by function, line or module */
	bool is_late;
	struct stack_use *use; /* by place, for those whose stack has no name yet */
	size_t use_room;
	const char *part[STACK_PARTS_MAX]; /* from --filter stack~PART: all must be in a stack */
	size_t parts;
	struct text_store late; /* of the row made last, if rows are made while they are written */
	uint32_t *row_stack;    /* by row of the table */
	size_t row_room;
};

#define STACK_LEFT_OUT SIZE_MAX

/*
 * Reads these `options`: --names, --symbols, --raw-stacks, --frames, --own, --format and --filter.
 */
void stack_rows_init(struct stack_rows *rows, struct source *source, const struct options *options,
		     enum stack_by by, struct stack_columns columns);
void stack_rows_release(struct stack_rows *rows);
/*
 * Call before the first place, by function, line or module. Whole stacks are then named only when
 * stack_rows_stack() asks for them, others only as far as their row needs. For reports that show
 * few stacks, and no notes.
 */
void stack_rows_name_late(struct stack_rows *rows);

/* Call before the first place: rows are the user's own code although the report has no --frames. */
void stack_rows_pick_own(struct stack_rows *rows);

/*
 * Returns the place of the call, from 0 in order of appearance; STACK_LEFT_OUT: --filter leaves it
 * out.
 */
size_t stack_rows_place(struct stack_rows *rows, const struct stack_use *use);
/* Returns the place's stack with the greatest weight, named. */
uint32_t stack_rows_stack(struct stack_rows *rows, size_t place);
/* Returns the frame that the place shows. Not by stack. */
const struct named_frame *stack_rows_frame(struct stack_rows *rows, size_t place);
/* Returns the place's text for people; it lives as long as the rows. Not by stack. */
const char *stack_rows_text(struct stack_rows *rows, size_t place);
/* Fills the row added last with the description of the place. */
void stack_rows_put(struct stack_rows *rows, struct table *table, size_t place);
/* A row that is something else (a caller) has that stack. */
void stack_rows_note(struct stack_rows *rows, size_t row, uint32_t stack);
/* The table shows the rows' stacks from now on, with `below` frames below each. */
void stack_rows_attach(struct stack_rows *rows, struct table *table, size_t below);

/* Prints, below a table, how to get more than callers, and which files had no symbols. */
void stack_rows_print_notes(const struct stack_rows *rows, const struct screen *screen);

#endif
