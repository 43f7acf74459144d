/* SPDX-License-Identifier: MIT */
/*
 * See row_links.h. Sums only grow, so that only the target whose sum has just grown can become the
 * greatest.
 */
#include "report/base/row_links.h"

static uint64_t row_links_key_of(uint64_t row, unsigned int kind, uint64_t target)
{
	return map_hash_bytes((const uint64_t[]){ row, kind, target }, 3 * sizeof(row), 0);
}

void row_links_init(struct row_links *links)
{
	map_init(&links->sums);
	map_init(&links->most);
}

void row_links_release(struct row_links *links)
{
	map_release(&links->sums);
	map_release(&links->most);
}

void row_links_add(struct row_links *links, uint64_t row, unsigned int kind, uint64_t target,
		   uint64_t weight)
{
	bool added, is_first;
	struct map_entry *sum = map_put(&links->sums, row_links_key_of(row, kind, target), &added);
	struct map_entry *most = map_put(&links->most, row_links_key_of(row, kind, 0), &is_first);

	sum->value += weight;
	if (is_first ||
	    sum->value > map_find(&links->sums, row_links_key_of(row, kind, most->value))->value)
		most->value = target;
}

bool row_links_most(const struct row_links *links, uint64_t row, unsigned int kind,
		    uint64_t *ret_target)
{
	const struct map_entry *most = map_find(&links->most, row_links_key_of(row, kind, 0));

	if (most)
		*ret_target = most->value;
	return most != NULL;
}
