/* SPDX-License-Identifier: MIT */
/*
 * A stack is cut if its outermost frame is. Callers have lower numbers than what they call, so one
 * pass in order is enough.
 */
#include "report/stacks/stack_share.h"

#include <stdio.h>

#include "collector/format/frame_flags.h"
#include "report/base/memory.h"
#include "report/base/units.h"

/* Callers come before what they call. */
bool *stacks_find_cut(const struct stacks *stacks)
{
	bool *is_cut = memory_zero(stacks->count, sizeof(*is_cut));

	for (uint32_t i = 1; i < stacks->count; i++) {
		const struct stack_frame *frame = stacks_frame(stacks, i);

		is_cut[i] = frame->parent == STACK_NONE ? (frame->flags & FRAME_IS_TRUNCATED) != 0
							: is_cut[frame->parent];
	}
	return is_cut;
}

void stack_share_add(struct stack_share *share, const bool *is_cut, uint32_t stack, uint64_t count)
{
	share->all += count;
	if (stack == STACK_NONE)
		return;
	share->stacked += count;
	if (is_cut[stack])
		share->cut += count;
}

/* Not 100.0 % if something is missing, and not 0.0 % if something is there. */
static double stack_share_percent_of(uint64_t part, uint64_t all)
{
	double percent = 100.0 * (double)part / (double)all;

	if (part < all && percent > 99.9)
		return 99.9;
	return part && percent < 0.1 ? 0.1 : percent;
}

bool stack_share_write(const struct stack_share *share, const char *what, char *text)
{
	char stacked[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES], cut[UNIT_TEXT_BYTES];

	if (!share->stacked)
		return false;
	unit_format_percent(stacked, stack_share_percent_of(share->stacked, share->all));
	unit_format_count(all, share->all);
	unit_format_percent(cut, stack_share_percent_of(share->cut, share->stacked));
	if (share->cut)
		snprintf(text, STACK_SHARE_BYTES,
			 "stacks: %s of %s %s have one; %s of these are cut (no unwind information "
			 "there, or INTERCEPT_STACKS_DEPTH)",
			 stacked, all, what, cut);
	else
		snprintf(text, STACK_SHARE_BYTES, "stacks: %s of %s %s have one, none is cut",
			 stacked, all, what);
	return true;
}
