/* SPDX-License-Identifier: MIT */
/*
 * The first steps are left out: they are warm-up for the report, too. If two threads end steps at
 * once, one of them may see the other's step; then one step more or less is recorded with types.
 */
#include "preload/torch/torch_typing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/steps/steps.h"
#include "preload/torch/torch_callbacks.h"

#define TYPED_FIRST 3u
#define TYPED_FACTOR 3u

static _Atomic uint64_t typing_from; /* the first recorded step, + 1; 0: none so far */

static bool typing_is_wanted(uint64_t index)
{
	uint64_t typed = TYPED_FIRST;

	while (typed < index)
		typed *= TYPED_FACTOR;
	return typed == index;
}

static void typing_edge(uint64_t step, bool is_recorded)
{
	uint64_t from = 0;

	if (!is_recorded)
		return;
	if (!atomic_compare_exchange_strong(&typing_from, &from, step + 1) && step + 1 >= from)
		torch_callbacks_type(typing_is_wanted(step + 1 - from));
}

void torch_typing_start(void)
{
	steps_on_edge(typing_edge);
}
