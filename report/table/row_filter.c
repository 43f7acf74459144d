/* SPDX-License-Identifier: MIT */
/* The conditions of --filter: parsing, and comparing cells. */
#include "report/table/row_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/symbol.h"
#include "report/base/text.h"

static const struct {
	const char *text;
	enum row_filter_sign meaning;
} signs[] = {
	/* longer ones first */
	{ "!=", ROW_FILTER_DIFFERENT }, { "<=", ROW_FILTER_AT_MOST }, { ">=", ROW_FILTER_AT_LEAST },
	{ "==", ROW_FILTER_EQUAL },     { "=", ROW_FILTER_EQUAL },    { "<", ROW_FILTER_LESS },
	{ ">", ROW_FILTER_MORE },       { "~", ROW_FILTER_CONTAINS },
};

static int row_filter_parse_operator(struct row_filter *condition, const char *at,
				     size_t *ret_length)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!strncmp(at, signs[i].text, strlen(signs[i].text))) {
			condition->sign = signs[i].meaning;
			*ret_length = strlen(signs[i].text);
			return 0;
		}
	}
	return -1;
}

static int row_filter_parse_column(struct row_filter *condition, const char *name, size_t length,
				   const struct column *const *columns, size_t count)
{
	int column = columns_find(columns, count, name, length);

	if (column < 0)
		return -1;
	condition->column = (size_t)column;
	condition->is_text = column_is_text(columns[column]);
	condition->is_symbol = columns[column]->unit == UNIT_SYMBOL;
	return 0;
}

/*
 * A number without a unit, for a column whose heading says that it is in seconds: a user who types
 * the heading means seconds, one who types the name (mean_ns) means ns.
 */
static bool row_filter_is_in_seconds(const struct row_filter *condition,
				     const struct column *column, const char *name, size_t length)
{
	char last = condition->length ? condition->text[condition->length - 1] : '\0';

	return column->unit == UNIT_SECONDS && (last == '.' || (last >= '0' && last <= '9')) &&
	       (length < 2 || strncmp(name + length - 2, "ns", 2) != 0);
}

static int row_filter_parse_value(struct row_filter *condition, const struct column *column,
				  const char *value, char *message, size_t message_bytes)
{
	condition->text = value;
	condition->length = strlen(value);
	if (condition->is_text) {
		if (condition->sign == ROW_FILTER_EQUAL ||
		    condition->sign == ROW_FILTER_DIFFERENT ||
		    condition->sign == ROW_FILTER_CONTAINS)
			return 0;
		snprintf(message, message_bytes, "'%s' is text: compare it by = != or ~",
			 column->name);
		return -1;
	}
	if (condition->sign != ROW_FILTER_CONTAINS &&
	    !unit_parse(value, condition->length, column->unit, &condition->number))
		return 0;
	if (condition->sign == ROW_FILTER_CONTAINS)
		snprintf(message, message_bytes,
			 "'%s' is a number: compare it by = != < > <= >=", column->name);
	else
		snprintf(message, message_bytes, "value '%s' for '%s' is not %s", value,
			 column->name, unit_allowed(column->unit));
	return -1;
}

int row_filter_parse(struct row_filter *condition, const char *expression,
		     const struct column *const *columns, size_t count, char *message,
		     size_t message_bytes)
{
	size_t name = strcspn(expression, "!<>=~"), sign = 0, start = name;
	char wrong[64];
	const char *near;

	while (start && expression[start - 1] == ' ')
		start--;
	if (!expression[name] || row_filter_parse_operator(condition, expression + name, &sign)) {
		snprintf(message, message_bytes,
			 "'%s' is not COLUMN OPERATOR VALUE, as in bytes_allocated>10MiB",
			 expression);
		return -1;
	}
	if (row_filter_parse_column(condition, expression, start, columns, count)) {
		snprintf(wrong, sizeof(wrong), "%.*s", (int)start, expression);
		near = columns_suggest(columns, count, wrong);
		snprintf(message, message_bytes, "no column '%s'%s%s%s", wrong,
			 near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
		return -1;
	}
	name += sign;
	while (expression[name] == ' ')
		name++;
	if (row_filter_parse_value(condition, columns[condition->column], expression + name,
				   message, message_bytes))
		return -1;
	if (row_filter_is_in_seconds(condition, columns[condition->column], expression, start))
		condition->number *= 1e9;
	return 0;
}

/* True if the text equals, or contains, the wanted one. */
static bool row_filter_finds(const struct row_filter *condition, const char *text, size_t length)
{
	if (condition->sign == ROW_FILTER_CONTAINS)
		return !condition->length ||
		       memmem(text, length, condition->text, condition->length);
	return text_matches(text, length, condition->text, condition->length);
}

/* The short form of a C++ name in a narrow table counts like the whole name. */
static bool row_filter_finds_short(const struct row_filter *condition, const struct cell *cell)
{
	char *shown = memory_grow(NULL, (size_t)cell->length + 1, 1);
	size_t length = symbol_compact(shown, cell->text, cell->length);
	bool finds = row_filter_finds(condition, shown, length);

	free(shown);
	return finds;
}

static bool row_filter_holds_text(const struct row_filter *condition, const struct cell *cell)
{
	bool finds = row_filter_finds(condition, cell->text, cell->length) ||
		     (condition->is_symbol && row_filter_finds_short(condition, cell));

	return finds == (condition->sign != ROW_FILTER_DIFFERENT);
}

static bool row_filter_holds_number(const struct row_filter *condition, double value)
{
	switch (condition->sign) {
	case ROW_FILTER_EQUAL:
		return value == condition->number;
	case ROW_FILTER_DIFFERENT:
		return value != condition->number;
	case ROW_FILTER_LESS:
		return value < condition->number;
	case ROW_FILTER_MORE:
		return value > condition->number;
	case ROW_FILTER_AT_MOST:
		return value <= condition->number;
	default:
		return value >= condition->number;
	}
}

static bool row_filter_holds(const struct row_filter *condition, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_TEXT:
		return condition->is_text && row_filter_holds_text(condition, cell);
	case CELL_NUMBER:
		return row_filter_holds_number(condition, (double)cell->number);
	case CELL_SIGNED:
		return row_filter_holds_number(condition, (double)(int64_t)cell->number);
	case CELL_REAL:
		return row_filter_holds_number(condition, cell->real);
	default:
		return condition->sign == ROW_FILTER_DIFFERENT;
	}
}

bool conditions_hold(const struct row_filter *condition, size_t count, const struct cell *row)
{
	for (size_t i = 0; i < count; i++)
		if (!row_filter_holds(&condition[i], &row[condition[i].column]))
			return false;
	return true;
}
