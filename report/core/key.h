/* SPDX-License-Identifier: MIT */
/*
 * How the rows of a report are grouped: the one mechanism behind --by. A key is a number that an
 * event has, by its thread's state or by what it is; events with the same number are in one row.
 *
 * A kind of key is a line KEY_KIND(name) in its family's family.def and a struct key_kind
 * key_kind_<name>. A report offers it with a line KEY(report, name, "columns") of its own: the kind
 * fills the first columns, in its order. If a report has a key and there is no kind of that name,
 * the report fills the key itself.
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
	/* Wants the analyses that it needs; its result is passed to the functions below. */
	const void *(*start)(struct run *run);
	/* Returns the key of an event that has a thread. */
	uint64_t (*of)(const void *state, const struct source_event *event);
	/* Fills the columns in the row added last. */
	void (*put)(const void *state, uint64_t key, struct table *table,
		    const enum column_id *column);

	/* Backward functions, and what is in them, have the key of their forward operator. */
	bool joins_backward;
	/* Each of these may be NULL. */
	/*
	 * Called once all is read. Maps keys that mean the same to one of them; KEY_LEFT_OUT:
	 * --filter excludes the key.
	 */
	uint64_t (*settle)(const void *state, uint64_t key);
	/*
	 * For keys that nest: the keys at the event, from the innermost outwards. Returns how many,
	 * at most `room`.
	 */
	unsigned int (*around)(const void *state, const struct source_event *event,
			       uint64_t *ret_keys, unsigned int room);
	/* Returns the text that put() shows for a key other than 0; it belongs to the source. */
	const char *(*text)(const void *state, uint64_t key, size_t *ret_length);
};

#define KEY_KIND(name) extern const struct key_kind key_kind_##name;
#include "report/families.def"

/* The key that an analysis was asked for. All zeros: none. */
struct run_key {
	const struct key_kind *kind; /* NULL: the report fills the key itself */
	const void *state;
	enum column_id column[KEY_COLUMNS_MAX];
};

/* For start(): prepares a key of a report. */
struct run_key run_key(struct run *run, enum key_id id);
/* Returns the kind of that key, or NULL if the report fills it itself. */
const struct key_kind *key_kind_of(enum key_id id);

static inline uint64_t key_of(const struct run_key *key, const struct source_event *event)
{
	return key->kind ? key->kind->of(key->state, event) : 0;
}

/* Returns the key under which rows that mean the same are one. To be called before key_put(). */
static inline uint64_t key_settle(const struct run_key *key, uint64_t value)
{
	return key->kind && key->kind->settle ? key->kind->settle(key->state, value) : value;
}

/*
 * For groups one of whose words is a key: groups whose keys mean the same become the first of them,
 * and groups that --filter excludes have no calls any more.
 */
void key_settle_groups(const struct run_key *key, struct groups *groups, unsigned int word);

static inline void key_put(const struct run_key *key, uint64_t value, struct table *table)
{
	if (key->kind)
		key->kind->put(key->state, value, table, key->column);
}

#endif
