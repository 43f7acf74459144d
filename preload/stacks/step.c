/* SPDX-License-Identifier: MIT */
/*
 * The rare rules (loads, signal frames, the end of a stack), and the span of readable pages. The
 * span grows page by page, and each page is probed first. Usual rules are inlined from the header.
 */
#include "preload/stacks/step.h"

#include <stddef.h>

#include "collector/arch/arch.h"

/*
 * Grows upwards only, without gaps. What lies beyond a hole is another stack or none, and may be
 * unmapped while this stack is in use.
 */
bool step_span_grow(struct step_span *span, uintptr_t at)
{
	if (at < span->low || (at - span->high) / MEMORY_PAGE >= STEP_SPAN_PAGES)
		return false;
	while (span->high <= at) {
		if (!memory_page_is_readable(span->high))
			return false;
		span->high += MEMORY_PAGE;
	}
	return true;
}

bool step_span_reach(struct step_span *span, uintptr_t at)
{
	uintptr_t low = span->low;

	if (span->high == low)
		return false;
	if (at >= span->high)
		return (at - span->high) / MEMORY_PAGE < STEP_REACH_PAGES &&
		       step_span_grow(span, at);
	if ((low - at) / MEMORY_PAGE >= STEP_REACH_PAGES)
		return false;
	while (low > at) {
		low -= MEMORY_PAGE;
		if (!memory_page_is_readable(low))
			return false;
	}
	span->low = low;
	return true;
}

/*
 * Moves the span to another stack if necessary. A stack that has overflowed begins where nothing
 * can be read, so the span begins at the first readable page. Nothing below it is read, because the
 * rule of an interrupted frame is never RULE_IS_USUAL.
 */
static bool span_move(struct step_span *span, uintptr_t rsp)
{
	uintptr_t page = memory_page(rsp), end = page + STEP_REACH_PAGES * MEMORY_PAGE;

	if (rsp - span->low < span->high - span->low)
		return true;
	while (page < end && !memory_page_is_readable(page))
		page += MEMORY_PAGE;
	if (page >= end)
		return false;
	*span = (struct step_span){ page, page + MEMORY_PAGE };
	return true;
}

static bool step_read(struct step_span *span, uintptr_t at, struct stack_read *ret_read)
{
	if (at % 8 || (at - span->low >= span->high - span->low && !step_span_grow(span, at)))
		return false;
	*ret_read = (struct stack_read){ (const uint64_t *)at, *(const uint64_t *)at };
	return true;
}

/* Leaves the frame of a signal's return: reads the registers of the interrupted code. */
static enum step_end step_signal(struct step_span *span, struct step_place *p,
				 struct stack_fresh *f)
{
	if (!step_read(span, p->rsp + ARCH_SIGNAL_PC, &f->ret) ||
	    !step_read(span, p->rsp + ARCH_SIGNAL_FP, &f->saved) ||
	    !step_read(span, p->rsp + ARCH_SIGNAL_SP, &f->load))
		return STEP_CUT;
	if (f->load.value % 8 || f->ret.value - 1 >= (1ull << ARCH_ADDRESS_BITS) - 1 ||
	    !span_move(span, f->load.value))
		return STEP_CUT;
	*p = (struct step_place){ f->ret.value | STEP_EXACT, f->load.value, f->saved.value };
	return STEP_GOES_ON;
}

/* The CFA is known, and the return address is just below it, or in the pair of the rule. */
static enum step_end step_to(struct step_span *span, struct step_place *p, struct stack_fresh *f,
			     uint64_t cfa)
{
	uint64_t base = cfa, ret = cfa - 8, word;

	if (ARCH_HAS_PAIRS)
		ret = cfa + (uint64_t)rule_rbp_offset(f->rule) + 8;
	if (cfa < p->rsp + 8 || ret < p->rsp || !step_read(span, ret, &f->ret))
		return STEP_CUT;
	if (rule_rbp(f->rule) != RULE_RBP_SAME) {
		if (rule_rbp(f->rule) != RULE_RBP_BY_CFA)
			base = rule_rbp(f->rule) == RULE_RBP_BY_RBP ? p->rbp : p->rsp;
		if (!step_read(span, base + (uint64_t)rule_rbp_offset(f->rule), &f->saved))
			return STEP_CUT;
		p->rbp = f->saved.value;
	}
	word = arch_return_address(f->ret.value);
	if (word - 1 >= (1ull << ARCH_ADDRESS_BITS) - 1)
		return word ? STEP_CUT : STEP_OUTERMOST;
	p->word = word;
	p->rsp = cfa;
	return STEP_GOES_ON;
}

enum step_end step_rare(struct step_span *span, struct step_place *p, struct stack_fresh *f)
{
	uint64_t rule = rule_in_full(f->rule);
	enum rule_kind kind = rule_kind(rule);
	uint64_t base = kind == RULE_RBP || kind == RULE_RBP_LOAD ? p->rbp : p->rsp;
	uint64_t at = base + (uint64_t)rule_offset(rule);

	f->rule = rule;
	f->load.at = f->saved.at = f->ret.at = NULL;
	switch (kind) {
	case RULE_RSP:
	case RULE_RBP:
		return step_to(span, p, f, at);
	case RULE_RSP_LOAD:
	case RULE_RBP_LOAD:
		if (!step_read(span, at, &f->load))
			return STEP_CUT;
		return step_to(span, p, f, f->load.value + (uint64_t)rule_after(f->rule));
	case RULE_SIGNAL:
		return step_signal(span, p, f);
	case RULE_END:
		return STEP_OUTERMOST;
	default:
		return STEP_CUT;
	}
}
