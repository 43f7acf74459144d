/* SPDX-License-Identifier: MIT */
/* The keys of --by, from families.def, as an array. */
#include "report/options/keys.h"

#include <string.h>

const struct key key_list[KEY_ID_LIMIT] = {
#define KEY(report, key, columns) [BY_##report##_##key] = { #report, #key, columns },
#include "report/families.def"
};

static bool key_has(const struct key *key, const char *column)
{
	size_t length = strlen(column);

	for (const char *at = key->columns; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == length && !memcmp(at, column, length))
			return true;
		at += word;
	}
	return false;
}

void key_init_table(struct table *table, enum key_id id)
{
	const char *report = key_list[id].report, *left_out[COLUMNS_MAX + 1];
	const struct column *column[COLUMNS_MAX];
	size_t count = columns_of(report, column), left = 0;

	for (size_t i = 0; i < count; i++) {
		bool of_another = false;

		for (size_t k = 0; k < KEY_ID_LIMIT; k++)
			of_another |= !strcmp(key_list[k].report, report) &&
				      key_has(&key_list[k], column[i]->name);
		if (of_another && !key_has(&key_list[id], column[i]->name))
			left_out[left++] = column[i]->name;
	}
	left_out[left] = NULL;
	table_init(table, report, left_out);
}

const char *key_of_column(const char *report, const char *column)
{
	for (size_t k = 0; k < KEY_ID_LIMIT; k++)
		if (!strcmp(key_list[k].report, report) && key_has(&key_list[k], column))
			return key_list[k].name;
	return NULL;
}
