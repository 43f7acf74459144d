/* SPDX-License-Identifier: MIT */
/* The keys of --by, families.def as data. Read-only; any thread. */
#ifndef REPORT_OPTIONS_KEYS_H
#define REPORT_OPTIONS_KEYS_H

#include "report/table/table.h"

/* BY_alloc_caller and so on; those of a report follow each other. */
enum key_id {
#define KEY(report, key, columns) BY_##report##_##key,
#include "report/families.def"
	KEY_ID_LIMIT,
};

struct key {
	const char *report, *name, *columns;
};
extern const struct key key_list[KEY_ID_LIMIT];

/* A table of the key's report with its columns, without those of the report's other keys. */
void key_init_table(struct table *table, enum key_id key);

/* The first key of the report that has the column, NULL when none has it. */
const char *key_of_column(const char *report, const char *column);

#endif
