/* SPDX-License-Identifier: MIT */
/*
 * Finds kinds of keys by name. A table lists the keys of reports that have the name of a kind but
 * another meaning.
 */
#include "report/core/key.h"

#include <string.h>

static const struct {
	const char *name;
	const struct key_kind *kind;
} kinds[] = {
#define KEY_KIND(name) { #name, &key_kind_##name },
#include "report/families.def"
};

/* Keys with another meaning than the kind of that name. */
static const enum key_id own[] = {
#define OWN_KEY(report, key) BY_##report##_##key,
#include "report/families.def"
};

/* Keys of a kind of another name. */
static const struct {
	enum key_id id;
	const struct key_kind *kind;
} renamed[] = {
#define KEY_OF_KIND(report, key, kind) { BY_##report##_##key, &key_kind_##kind },
#include "report/families.def"
};

const struct key_kind *key_kind_of(enum key_id id)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (renamed[i].id == id)
			return renamed[i].kind;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i] == id)
			return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, key_list[id].name))
			return kinds[i].kind;
	return NULL;
}

static enum column_id key_column_of(const char *report, const char *name, size_t length)
{
	unsigned int i = 0;

	while (i < COLUMN_ID_LIMIT && (strcmp(column_list[i].report, report) != 0 ||
				       strlen(column_list[i].name) != length ||
				       memcmp(column_list[i].name, name, length) != 0))
		i++;
	return (enum column_id)i;
}

struct run_key run_key(struct run *run, enum key_id id)
{
	struct run_key key = { .kind = key_kind_of(id) };
	const char *at = key_list[id].columns;

	if (!key.kind)
		return key;
	key.state = key.kind->start(run);
	for (unsigned int i = 0; i < KEY_COLUMNS_MAX && *at; i++) {
		size_t length = strcspn(at, " ");

		key.column[i] = key_column_of(key_list[id].report, at, length);
		at += length + strspn(at + length, " ");
	}
	return key;
}

void key_settle_groups(const struct run_key *key, struct groups *groups, unsigned int word)
{
	struct map rows;
	bool added;

	if (!key->kind || !key->kind->settle)
		return;
	map_init(&rows);
	for (size_t i = 0; i < groups->count; i++) {
		struct group *group = &groups->group[i], nowhere = { .errors = 0 };
		struct map_entry *row;

		group->key[word] = key_settle(key, group->key[word]);
		if (group->key[word] == KEY_LEFT_OUT) {
			group_move(&nowhere, group);
			group_release(&nowhere);
			continue;
		}
		row = map_put(&rows, map_hash_bytes(group->key, sizeof(group->key), 0), &added);
		if (added)
			row->value = i;
		else
			group_move(&groups->group[row->value], group);
	}
	map_release(&rows);
}
