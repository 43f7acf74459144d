/* SPDX-License-Identifier: MIT */
/*
 * How the rows of a report are grouped: the one mechanism behind --by. A key is a number that an
 * event has, by where its thread is or what it is; rows of the same number are one row.
 *
 * A kind of key is a line KEY_KIND(name) in its family's family.def and a struct key_kind
 * key_kind_<name>. Any report takes it by a line KEY(report, name, "columns") of its own: the
 * first columns are those that the kind fills, in its order. A report's key without a kind of that
 * name is the report's own business.
 */
#ifndef REPORT_CORE_KEY_H
#define REPORT_CORE_KEY_H

#include "report/base/groups.h"
#include "report/core/analysis.h"
#include "report/options/keys.h"

#define KEY_COLUMNS_MAX 4u
#define KEY_LEFT_OUT UINT64_MAX

struct key_kind {
	const char *name;
	/* Wants the analyses that it asks; what it returns is handed to the others. */
	const void *(*start)(struct run *run);
	/* Of an event that has a thread. */
	uint64_t (*of)(const void *state, const struct source_event *event);
	/* Fills the columns of the row added last. */
	void (*put)(const void *state, uint64_t key, struct table *table,
		    const enum column_id *column);

	/* Each of these may be NULL. */
	/* Once all is read: keys that mean the same become one of them; KEY_LEFT_OUT: --filter leaves it out. */
	uint64_t (*settle)(const void *state, uint64_t key);
	/* Keys at the event from the innermost outwards, where they nest; returns how many of at most `room`. */
	unsigned int (*around)(const void *state, const struct source_event *event,
			       uint64_t *ret_keys, unsigned int room);
	/* As put() shows a key other than 0; the text is the source's. */
	const char *(*text)(const void *state, uint64_t key, size_t *ret_length);
};

#define KEY_KIND(name) extern const struct key_kind key_kind_##name;
#include "report/families.def"

/* What an analysis keeps of the key that it was asked for. All zeros: none. */
struct run_key {
	const struct key_kind *kind; /* NULL: the report's own */
	const void *state;
	enum column_id column[KEY_COLUMNS_MAX];
};

/* For start(): a key of a report. */
struct run_key run_key(struct run *run, enum key_id id);
/* The kind of that key, NULL when it is the report's own. */
const struct key_kind *key_kind_of(enum key_id id);

static inline uint64_t key_of(const struct run_key *key, const struct source_event *event)
{
	return key->kind ? key->kind->of(key->state, event) : 0;
}

/* Rows whose keys are the same by this are one. Before key_put(). */
static inline uint64_t key_settle(const struct run_key *key, uint64_t value)
{
	return key->kind && key->kind->settle ? key->kind->settle(key->state, value) : value;
}

/*
 * Groups whose word is a key: those whose keys mean the same become the first of them, those that --filter leaves out have
 * no call any more.
 */
void key_settle_groups(const struct run_key *key, struct groups *groups, unsigned int word);

static inline void key_put(const struct run_key *key, uint64_t value, struct table *table)
{
	if (key->kind)
		key->kind->put(key->state, value, table, key->column);
}

#endif
