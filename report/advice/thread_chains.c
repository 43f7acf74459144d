/* SPDX-License-Identifier: MIT */
/* Each thread, in the order of their begins, goes to the first chain whose last one has ended. */
#include "report/advice/thread_chains.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

static int compare_starts(const void *a, const void *b)
{
	const struct source_thread *left = *(const struct source_thread *const *)a;
	const struct source_thread *right = *(const struct source_thread *const *)b;

	if (left->start_ns != right->start_ns)
		return left->start_ns < right->start_ns ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

/* Compares names without their digits. */
static bool names_are_alike(const struct source_thread *a, const struct source_thread *b)
{
	const char *one, *other;
	size_t one_length, other_length, i = 0, j = 0;

	thread_name(a, &one, &one_length);
	thread_name(b, &other, &other_length);
	for (;; i++, j++) {
		while (i < one_length && isdigit((unsigned char)one[i]))
			i++;
		while (j < other_length && isdigit((unsigned char)other[j]))
			j++;
		if (i == one_length || j == other_length)
			return i == one_length && j == other_length;
		if (one[i] != other[j])
			return false;
	}
}

static bool may_follow(const struct source_thread *last, const struct source_thread *next)
{
	return last->process == next->process && last->end_ns <= next->start_ns &&
	       last->tid != last->process->pid && next->tid != next->process->pid &&
	       names_are_alike(last, next);
}

void thread_chains_make(struct thread_chains *chains, const struct source_thread *const *thread,
			size_t count)
{
	const struct source_thread **order = memory_zero(count + 1, sizeof(*order));
	const struct source_thread **last = memory_zero(count + 1, sizeof(*last));
	size_t known = 0, chain_count = 0;

	chains->of = memory_zero(count + 1, sizeof(*chains->of));
	for (size_t i = 0; i < count; i++)
		if (thread[i])
			order[known++] = thread[i];
	qsort(order, known, sizeof(struct source_thread *), compare_starts);
	for (size_t i = 0; i < known; i++) {
		uint32_t first = order[i]->index;
		size_t at = 0;

		while (at < chain_count && !may_follow(last[at], order[i]))
			at++;
		if (at < chain_count)
			first = chains->of[last[at]->index].first;
		else
			chain_count++;
		last[at] = order[i];
		chains->of[order[i]->index].first = first;
		chains->of[first].count++;
	}
	free(order);
	free(last);
}

void thread_chains_release(struct thread_chains *chains)
{
	free(chains->of);
	*chains = (struct thread_chains){ NULL };
}
