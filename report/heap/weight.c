/* SPDX-License-Identifier: MIT */
/* What a block of a sample stands for: see weight.h. */
#include "report/heap/weight.h"

#include <math.h>

#include "report/heap/estimate.h"

#define BYTES_MAX 9.2e18 /* a damaged file may say anything */

struct weight weight_of(uint64_t size, uint64_t every)
{
	double drawn, p, bytes;

	if (!every)
		return (struct weight){ ESTIMATE_ONE, size, 0 };
	drawn = (double)(size ? size : 1) / (double)every;
	p = -expm1(-drawn);
	bytes = (double)size / p;
	return (struct weight){ .blocks = (uint64_t)(ESTIMATE_ONE / p + 0.5),
				.bytes = bytes < BYTES_MAX ? (uint64_t)(bytes + 0.5) : size,
				.variance = bytes * bytes * (1 - p) };
}

void weight_count(uint64_t *counter, uint16_t *fraction, uint64_t blocks)
{
	uint64_t sum = *fraction + blocks;

	*counter += sum / ESTIMATE_ONE;
	*fraction = (uint16_t)(sum % ESTIMATE_ONE);
}

void weight_discount(uint64_t *counter, uint16_t *fraction, uint64_t blocks)
{
	uint64_t whole = blocks > *fraction ? (blocks - *fraction + ESTIMATE_ONE - 1) / ESTIMATE_ONE
					    : 0;

	*counter -= whole;
	*fraction = (uint16_t)(*fraction + whole * ESTIMATE_ONE - blocks);
}

uint64_t weight_error(double variance)
{
	double error = variance > 0 ? sqrt(variance) : 0;

	return error < BYTES_MAX ? (uint64_t)(error + 0.5) : (uint64_t)BYTES_MAX;
}
