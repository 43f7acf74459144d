/* SPDX-License-Identifier: MIT */
/*
 * Sorts all processes' ranks and removes duplicates. One pass then writes rows of consecutive
 * ranks, and the gaps between them as missing.
 */
#include "report/session/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"

/* Appends `from` to `to`, both inclusive; "..." if there is no more room. */
static void ranks_text_add(char text[RANKS_BYTES], uint64_t from, uint64_t to)
{
	size_t used = strlen(text);
	const char *comma = used ? ", " : "";

	if (used >= 3 && !strcmp(text + used - 3, "..."))
		return;
	if (used + 60 > RANKS_BYTES)
		snprintf(text + used, RANKS_BYTES - used, "%s...", comma);
	else if (from == to)
		snprintf(text + used, RANKS_BYTES - used, "%s%" PRIu64, comma, from);
	else
		snprintf(text + used, RANKS_BYTES - used, "%s%" PRIu64 " %s %" PRIu64, comma, from,
			 to == from + 1 ? "and" : "to", to);
}

void ranks_write_list(char text[RANKS_BYTES], const uint64_t *rank, size_t count)
{
	text[0] = '\0';
	for (size_t i = 0, last; i < count; i = last + 1) {
		for (last = i; last + 1 < count && rank[last + 1] == rank[last] + 1;)
			last++;
		if (last == i + 1 && count > 2)
			last = i; /* "0, 1, 3", not "0 and 1, 3" */
		ranks_text_add(text, rank[i], rank[last]);
	}
}

/* `rank` is sorted and without duplicates. */
static void ranks_write(struct ranks *ranks, const uint64_t *rank)
{
	uint64_t next = 0; /* the first rank that was not examined */

	ranks_write_list(ranks->there, rank, ranks->count);
	for (size_t i = 0; i < ranks->count;) {
		size_t last = i;

		while (last + 1 < ranks->count && rank[last + 1] == rank[last] + 1)
			last++;
		if (rank[i] > next && ranks->world_size)
			ranks_text_add(ranks->missing, next, rank[i] - 1);
		next = rank[last] + 1;
		i = last + 1;
	}
	if (ranks->world_size > next)
		ranks_text_add(ranks->missing, next, ranks->world_size - 1);
}

uint64_t *ranks_list(const struct source *source, struct ranks *ret_ranks)
{
	struct source_process *const *process;
	size_t processes = source_processes(source, &process), count = 0;
	uint64_t *rank = memory_zero(processes + 1, sizeof(*rank));

	*ret_ranks = (struct ranks){ .count = 0 };
	for (size_t i = 0; i < processes; i++) {
		uint64_t own = source_rank(source, process[i]);

		if (own == UINT64_MAX)
			continue;
		rank[count++] = own;
		ret_ranks->is_torch |= process[i]->rank_is_torch;
		if (process[i]->world_size > ret_ranks->world_size)
			ret_ranks->world_size = process[i]->world_size;
	}
	numbers_sort(rank, count);
	for (size_t i = 0; i < count; i++) {
		/* workers have the rank of the process that forked them */
		if (!ret_ranks->count || rank[ret_ranks->count - 1] != rank[i])
			rank[ret_ranks->count++] = rank[i];
	}
	return rank;
}

bool ranks_describe(const struct source *source, struct ranks *ret_ranks)
{
	uint64_t *rank = ranks_list(source, ret_ranks);

	ranks_write(ret_ranks, rank);
	free(rank);
	return ret_ranks->count > 0;
}
