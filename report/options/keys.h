/* SPDX-License-Identifier: MIT */
/* The keys of --by, from families.def, as data. Read-only; any thread may use them. */
#ifndef REPORT_OPTIONS_KEYS_H
#define REPORT_OPTIONS_KEYS_H

#include "report/table/table.h"

/* BY_alloc_caller and so on; the keys of one report are adjacent. */
enum key_id {
#define KEY(report, key, columns) BY_##report##_##key,
#include "report/families.def"
	KEY_ID_LIMIT,
};

struct key {
	const char *report, *name, *columns;
};
extern const struct key key_list[KEY_ID_LIMIT];

/*
 * Initializes a table of the key's report with its columns, without those of the report's other
 * keys.
 */
void key_init_table(struct table *table, enum key_id key);

/* Returns the first key of the report that has the column; NULL: none has it. */
const char *key_of_column(const char *report, const char *column);

#endif
