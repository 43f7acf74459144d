/* SPDX-License-Identifier: MIT */
/* The columns of all reports as data: expansion of the list, and lookup by name. */
#include "report/table/columns.h"

#include <ctype.h>
#include <string.h>

#include "report/base/text.h"

const struct column column_list[COLUMN_ID_LIMIT] = {
#define COLUMN(report, name, header, unit, priority, order, doc)                    \
	[COLUMN_##report##_##name] = { #report,     #name,    header,               \
				       UNIT_##unit, priority, COLUMN_ORDER_##order, \
				       doc },
#include "report/families.def"
};

size_t columns_of(const char *report, const struct column *ret_columns[COLUMNS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < COLUMN_ID_LIMIT && count < COLUMNS_MAX; i++)
		if (!strcmp(column_list[i].report, report))
			ret_columns[count++] = &column_list[i];
	return count;
}

/* Compares letters, ignoring case, spaces and underscores. */
static bool name_is_like(const char *known, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (name[i] == ' ' || name[i] == '_')
			continue;
		while (*known == ' ' || *known == '_')
			known++;
		if (tolower((unsigned char)*known++) != tolower((unsigned char)name[i]))
			return false;
	}
	return !*known;
}

/* Returns the column that an alias stands for, NULL if it is none. */
static const char *columns_resolve(const struct column *const *columns, size_t count,
				   const char *name, size_t length)
{
	static const struct {
		const char *report, *alias, *column;
	} aliases[] = {
#define ALIAS(report, alias, column) { #report, #alias, #column },
#include "report/families.def"
	};

	for (size_t i = 0; count && i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strlen(aliases[i].alias) == length && !memcmp(aliases[i].alias, name, length) &&
		    !strcmp(aliases[i].report, columns[0]->report))
			return aliases[i].column;
	return NULL;
}

int columns_find(const struct column *const *columns, size_t count, const char *name, size_t length)
{
	const char *resolved = columns_resolve(columns, count, name, length);

	if (resolved) {
		name = resolved;
		length = strlen(resolved);
	}
	for (size_t i = 0; i < count; i++)
		if (strlen(columns[i]->name) == length && !memcmp(columns[i]->name, name, length))
			return (int)i;
	for (size_t i = 0; i < count && length; i++)
		if (name_is_like(columns[i]->name, name, length) ||
		    name_is_like(columns[i]->header, name, length))
			return (int)i;
	return -1;
}

const char *columns_suggest(const struct column *const *columns, size_t count, const char *name)
{
	struct text_nearest nearest;

	text_nearest_init(&nearest, name);
	for (size_t i = 0; i < count; i++)
		text_nearest_try(&nearest, columns[i]->name);
	for (size_t i = 0; i < count && !nearest.best; i++)
		text_nearest_try(&nearest, columns[i]->header);
	return nearest.best;
}

bool column_is_text(const struct column *column)
{
	return column->unit == UNIT_TEXT || column->unit == UNIT_SYMBOL ||
	       column->unit == UNIT_CODE || column->unit == UNIT_COMMAND ||
	       column->unit == UNIT_STACK;
}
