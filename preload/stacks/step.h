/* SPDX-License-Identifier: MIT */
/*
 * One frame outwards, by its rule. Memory is read where the pages between the stack pointer and the place are known to
 * be readable: what an .eh_frame says may be wrong. Words that were read are handed back, for whoever wants to know
 * later whether the same step would lead to the same place.
 */
#ifndef PRELOAD_STACKS_STEP_H
#define PRELOAD_STACKS_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/frame_flags.h"
#include "collector/region/record.h"
#include "preload/stacks/memory.h"
#include "preload/stacks/rules.h"
#include "preload/stacks/thread.h"

#define STEP_EXACT ((uint64_t)FRAME_IS_EXACT << RECORD_FRAME_SHIFT)
#define STEP_ADDRESS ((1ull << RECORD_FRAME_SHIFT) - 1)
#define STEP_SPAN_PAGES 2048u /* looked at for one word */
#define STEP_REACH_PAGES 64u  /* and for the first */

struct step_place {
	uint64_t word; /* address, STEP_EXACT */
	uint64_t rsp, rbp;
};

struct step_span {
	uintptr_t low, high;
};

enum step_end {
	STEP_GOES_ON,
	STEP_OUTERMOST,
	STEP_CUT, /* nobody knows who called */
};

/* The same stack goes deeper, or less deep, than it was looked at before; false: too far away, or a hole between. */
bool step_span_reach(struct step_span *span, uintptr_t at);
bool step_span_grow(struct step_span *span, uintptr_t at);

/* The rare way has copies, so that what the caller hands in can stay in registers. */
static inline __attribute__((always_inline)) bool step_can_read(struct step_span *span,
								uintptr_t at)
{
	struct step_span grown = *span;
	bool can;

	if (__builtin_expect(at % 8 != 0, 0))
		return false;
	if (__builtin_expect(at - span->low < span->high - span->low, 1))
		return true;
	can = step_span_grow(&grown, at);
	*span = grown;
	return can;
}

static inline __attribute__((always_inline)) bool step_read(struct step_span *span, uintptr_t at,
							    struct stack_read *ret_read)
{
	if (!step_can_read(span, at))
		return false;
	*ret_read = (struct stack_read){ (const uint64_t *)at, *(const uint64_t *)at };
	return true;
}

static inline uint64_t step_rule(const struct step_place *p)
{
	return rule_at(p->word & STEP_ADDRESS, p->word & STEP_EXACT ? RULES_EXACT : 0);
}

/* Out of the frame of a signal's return: the registers of who was interrupted. */
enum step_end step_signal(struct step_span *span, struct step_place *p, struct stack_fresh *f);
enum step_end step_rare(struct step_span *span, struct step_place *p, struct stack_fresh *f);

/* The CFA is known: the return address lies below it. */
static inline __attribute__((always_inline)) enum step_end step_to(struct step_span *span,
								   struct step_place *p,
								   struct stack_fresh *f,
								   uint64_t cfa)
{
	if (__builtin_expect(cfa < p->rsp + 8 || !step_read(span, cfa - 8, &f->ret), 0))
		return STEP_CUT;
	if (rule_rbp(f->rule) != RULE_RBP_SAME) {
		uint64_t base = cfa;

		if (__builtin_expect(rule_rbp(f->rule) != RULE_RBP_BY_CFA, 0))
			base = rule_rbp(f->rule) == RULE_RBP_BY_RBP ? p->rbp : p->rsp;
		if (!step_read(span, base + (uint64_t)rule_rbp_offset(f->rule), &f->saved))
			return STEP_CUT;
		p->rbp = f->saved.value;
	}
	if (__builtin_expect(f->ret.value - 1 >= (1ull << 47) - 1, 0))
		return f->ret.value ? STEP_CUT : STEP_OUTERMOST;
	p->word = f->ret.value;
	p->rsp = cfa;
	return STEP_GOES_ON;
}

static inline __attribute__((always_inline)) enum step_end step_rarely(struct step_span *span,
								       struct step_place *p,
								       struct stack_fresh *f)
{
	struct step_span grown = *span;
	struct step_place next = *p;
	enum step_end end = step_rare(&grown, &next, f);

	*span = grown;
	*p = next;
	return end;
}

/* `f` has the rule of the frame at `p`, and no reads yet. */
static inline __attribute__((always_inline)) enum step_end step_out(struct step_span *span,
								    struct step_place *p,
								    struct stack_fresh *f)
{
	enum rule_kind kind = rule_kind(f->rule);

	if (__builtin_expect(kind == RULE_RSP, 1))
		return step_to(span, p, f, p->rsp + (uint64_t)rule_offset(f->rule));
	if (kind == RULE_RBP)
		return step_to(span, p, f, p->rbp + (uint64_t)rule_offset(f->rule));
	return step_rarely(span, p, f);
}

#endif
