/* SPDX-License-Identifier: MIT */
/* Counts and times calls by a key. Groups are in an array; a map finds them by the key's hash. */
#include "report/base/groups.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

void groups_init(struct groups *groups)
{
	*groups = (struct groups){ 0 };
	map_init(&groups->index);
}

void group_release(struct group *group)
{
	timing_release(&group->time);
	free(group->sum);
}

void groups_release(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		group_release(&groups->group[i]);
	free(groups->group);
	map_release(&groups->index);
}

static struct group *groups_look_up(struct groups *groups, const uint64_t key[GROUP_WORDS])
{
	uint64_t hash = map_hash_bytes(key, GROUP_WORDS * sizeof(*key), 0);
	bool added;
	struct map_entry *entry = map_put(&groups->index, hash, &added);

	if (added)
		entry->value = groups->count;
	groups->latest = entry->value;
	if (!added)
		return &groups->group[entry->value];
	groups->group = memory_room(groups->group, groups->count, &groups->room,
				    sizeof(*groups->group));
	memcpy(groups->group[groups->count].key, key, GROUP_WORDS * sizeof(*key));
	return &groups->group[groups->count++];
}

/* memcmp() is not called, because keys are short and this is done for every call. */
static inline bool key_is(const uint64_t key[GROUP_WORDS], const uint64_t other[GROUP_WORDS])
{
	uint64_t differs = 0;

	for (unsigned int i = 0; i < GROUP_WORDS; i++)
		differs |= key[i] ^ other[i];
	return !differs;
}

static inline struct group *groups_at(struct groups *groups, const uint64_t key[GROUP_WORDS])
{
	if (groups->count && key_is(groups->group[groups->latest].key, key))
		return &groups->group[groups->latest];
	return groups_look_up(groups, key);
}

size_t groups_place(struct groups *groups, const uint64_t key[GROUP_WORDS])
{
	return (size_t)(groups_at(groups, key) - groups->group);
}

struct group *groups_add(struct groups *groups, const uint64_t key[GROUP_WORDS],
			 const struct group_call *call)
{
	struct group *group = groups_at(groups, key);

	timing_add(&group->time, call->duration_ns);
	if (call->failed) {
		group->errors++;
		return group;
	}
	group->bytes += call->bytes;
	if (call->bytes > group->max_bytes)
		group->max_bytes = call->bytes;
	return group;
}

struct group *groups_add_sums(struct groups *groups, const uint64_t key[GROUP_WORDS],
			      const struct timing_sums *sums, uint64_t bytes, uint64_t max_bytes)
{
	struct group *group = groups_at(groups, key);

	if (!timing_add_sums(&group->time, sums))
		return group;
	group->bytes += bytes;
	if (max_bytes > group->max_bytes)
		group->max_bytes = max_bytes;
	return group;
}

double *group_sums(struct group *group)
{
	if (!group->sum)
		group->sum = memory_zero(GROUP_SUMS, sizeof(*group->sum));
	return group->sum;
}

static void sums_move(struct group *into, struct group *from)
{
	if (!from->sum)
		return;
	for (unsigned int i = 0; i < GROUP_SUMS; i++)
		group_sums(into)[i] += from->sum[i];
	free(from->sum);
	from->sum = NULL;
}

void group_move(struct group *into, struct group *from)
{
	timing_merge(&into->time, &from->time);
	into->errors += from->errors;
	into->bytes += from->bytes;
	into->deferred_ns += from->deferred_ns;
	sums_move(into, from);
	if (from->max_bytes > into->max_bytes)
		into->max_bytes = from->max_bytes;
	timing_release(&from->time);
	from->errors = from->bytes = from->max_bytes = from->deferred_ns = 0;
}

struct group groups_total(const struct groups *groups)
{
	struct group total = { .errors = 0 };

	for (size_t i = 0; i < groups->count; i++) {
		total.time.count += groups->group[i].time.count;
		total.time.total_ns += groups->group[i].time.total_ns;
		if (groups->group[i].time.max_ns > total.time.max_ns)
			total.time.max_ns = groups->group[i].time.max_ns;
		total.errors += groups->group[i].errors;
		total.bytes += groups->group[i].bytes;
		total.deferred_ns += groups->group[i].deferred_ns;
	}
	return total;
}
