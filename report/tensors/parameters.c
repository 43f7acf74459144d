/* SPDX-License-Identifier: MIT */
/* Gradients are sorted by device and size, so that each candidate is looked up. */
#include "report/tensors/parameters.h"

#include <stdlib.h>

#define ON_CPU 0u
#define PARAMETER_ROUNDING 512u /* of a device's blocks */

static int parameters_by_size(const void *a, const void *b)
{
	const struct parameter_block *one = a, *other = b;

	if (one->device != other->device)
		return one->device < other->device ? -1 : 1;
	return (one->bytes > other->bytes) - (one->bytes < other->bytes);
}

static int parameters_by_age(const void *a, const void *b)
{
	const struct parameter_block *one = a, *other = b;

	if (one->is_parameter != other->is_parameter)
		return one->is_parameter ? -1 : 1;
	if (one->is_bare != other->is_bare)
		return one->is_bare ? 1 : -1;
	if (one->since_ns != other->since_ns)
		return one->since_ns < other->since_ns ? -1 : 1;
	return (one->at > other->at) - (one->at < other->at);
}

/* How many gradients are smaller than the block, or on a device before its own. */
static size_t gradients_before(const struct parameter_block *gradient, size_t gradients,
			       const struct parameter_block *block)
{
	size_t low = 0, high = gradients;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (parameters_by_size(&gradient[middle], block) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t parameters_confirm(struct parameter_block *gradient, size_t gradients,
			  struct parameter_block *state, size_t states)
{
	size_t stay = 0, at = 0;

	qsort(gradient, gradients, sizeof(*gradient), parameters_by_size);
	qsort(state, states, sizeof(*state), parameters_by_size);
	for (size_t i = 0; i < gradients; i++) {
		while (at < states && parameters_by_size(&state[at], &gradient[i]) < 0)
			at++;
		if (!gradient[i].is_unsure ||
		    (at < states && !parameters_by_size(&state[at], &gradient[i])))
			gradient[stay++] = gradient[i];
	}
	return stay;
}

/* The first gradient from `at` on that has no parameter yet. */
static size_t gradient_next(struct parameter_block *gradient, size_t gradients, size_t at)
{
	while (at < gradients && gradient[at].is_paired) {
		size_t next = gradient[at].next;

		if (next < gradients && gradient[next].is_paired)
			gradient[at].next = gradient[next].next;
		at = next;
	}
	return at;
}

/* A gradient that may be of the block; `gradients`: there is none. */
static size_t gradient_of(struct parameter_block *gradient, size_t gradients,
			  const struct parameter_block *block, uint64_t spare)
{
	struct parameter_block least = *block;
	size_t at;

	if (spare)
		least.bytes = block->bytes > 2 * spare ? block->bytes - spare : spare + 1;
	at = gradient_next(gradient, gradients, gradients_before(gradient, gradients, &least));
	return at < gradients && gradient[at].device == block->device &&
			       gradient[at].bytes <= block->bytes + spare
		       ? at
		       : gradients;
}

static void parameters_pair(struct parameter_block *gradient, size_t gradients,
			    struct parameter_block *block, uint64_t spare)
{
	size_t at;

	if (block->is_paired || (spare && (block->device == ON_CPU || block->bytes <= spare)))
		return;
	at = gradient_of(gradient, gradients, block, spare);
	if (at == gradients)
		return;
	gradient[at].is_paired = true;
	gradient[at].next = at + 1;
	block->is_parameter = block->is_paired = true;
}

/* Whether `count` blocks of `bytes` together may have the gradient: a device rounds each up. */
static bool gradient_is_sum_of(const struct parameter_block *gradient, uint64_t bytes, size_t count)
{
	uint64_t rest = gradient->device == ON_CPU ? 0 : PARAMETER_ROUNDING - 1;

	return bytes + rest >= gradient->bytes && bytes <= gradient->bytes + rest * count;
}

/* The first candidates in a row, from `at` to before `end`, that the gradient may be the sum of. */
static void parameters_pair_sum(struct parameter_block *gradient, struct parameter_block *candidate,
				size_t at, size_t end)
{
	uint64_t bytes = 0;

	for (size_t first = at; at < end; at++) {
		if (candidate[at].is_paired || candidate[at].device != gradient->device) {
			first = at + 1;
			bytes = 0;
			continue;
		}
		bytes += candidate[at].bytes;
		while (first < at && !gradient_is_sum_of(gradient, bytes, at + 1 - first) &&
		       bytes > gradient->bytes)
			bytes -= candidate[first++].bytes;
		if (!gradient_is_sum_of(gradient, bytes, at + 1 - first))
			continue;
		gradient->is_paired = true;
		for (; first <= at; first++)
			candidate[first].is_parameter = candidate[first].is_paired = true;
		return;
	}
}

void parameters_find(struct parameter_block *gradient, size_t gradients,
		     struct parameter_block *candidate, size_t candidates)
{
	size_t known = 0;

	qsort(gradient, gradients, sizeof(*gradient), parameters_by_size);
	qsort(candidate, candidates, sizeof(*candidate), parameters_by_age);
	for (size_t i = 0; i < gradients; i++)
		gradient[i].is_paired = false;
	for (size_t i = 0; i < candidates; i++)
		candidate[i].is_paired = false;
	while (known < candidates && candidate[known].is_parameter)
		known++;
	for (unsigned int is_new = 0; is_new < 2; is_new++)
		for (unsigned int is_near = 0; is_near < 2; is_near++)
			for (size_t i = is_new ? known : 0; i < (is_new ? candidates : known); i++)
				parameters_pair(gradient, gradients, &candidate[i],
						is_near ? PARAMETER_SPARE : 0);
	for (size_t i = 0; i < gradients; i++)
		for (unsigned int is_new = 0; is_new < 2; is_new++)
			if (gradient[i].is_sum && !gradient[i].is_paired)
				parameters_pair_sum(&gradient[i], candidate, is_new ? known : 0,
						    is_new ? candidates : known);
}
