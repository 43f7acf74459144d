/* SPDX-License-Identifier: MIT */
/*
 * One step from a frame to its caller, by the frame's rule. Memory is read only if the pages
 * between the stack pointer and the place are known to be readable, because .eh_frame may be
 * wrong. The words that were read are handed back, so that a caller can check later whether the
 * same step would lead to the same place.
 */
#ifndef PRELOAD_STACKS_STEP_H
#define PRELOAD_STACKS_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/arch/arch.h"
#include "collector/format/frame_flags.h"
#include "collector/region/record.h"
#include "preload/stacks/memory.h"
#include "preload/stacks/rules.h"
#include "preload/stacks/thread.h"

#define STEP_EXACT RULES_EXACT
#define STEP_ADDRESS ((1ull << RECORD_FRAME_SHIFT) - 1)
#define STEP_SPAN_PAGES 2048u /* limit of pages probed for one word */
#define STEP_REACH_PAGES 64u  /* limit of pages probed for the first word */

struct step_place {
	uint64_t word; /* the address, perhaps with STEP_EXACT */
	uint64_t rsp, rbp;
};

struct step_span {
	uintptr_t low, high;
};

enum step_end {
	STEP_GOES_ON,
	STEP_OUTERMOST,
	STEP_CUT, /* the caller cannot be found */
};

/*
 * Extends the span, because the same stack is now deeper or less deep than it was when last
 * examined. Returns false if the address is too far away, or there is a hole in between.
 */
bool step_span_reach(struct step_span *span, uintptr_t at);
bool step_span_grow(struct step_span *span, uintptr_t at);

/*
 * Returns false and leaves `p` unchanged if the rule alone is not enough: then call step_rarely().
 */
static inline __attribute__((always_inline)) bool step_usual(const struct step_span *span,
							     struct step_place *p, uint64_t rule)
{
	uint64_t cfa = (rule & USUAL_BY_RBP ? p->rbp : p->rsp) + usual_offset(rule);
	uint64_t saved = usual_saved_at(rule, cfa);
	uint64_t word, rbp;

	/* `saved` is below the return address or equal to its place */
	if (__builtin_expect(cfa - 8 - p->rsp >= span->high - p->rsp || saved < p->rsp || cfa & 7,
			     0))
		return false;
	word = arch_return_address(*(const uint64_t *)(cfa - 8));
	rbp = *(const uint64_t *)saved;
	if (__builtin_expect(word - 1 >= (1ull << ARCH_ADDRESS_BITS) - 1, 0))
		return false;
	/* always loaded, because gcc would make a branch of it otherwise */
	__asm__("" : "+r"(rbp));
	p->rbp = rule & USUAL_SAVED_MASK ? rbp : p->rbp;
	p->word = word;
	p->rsp = cfa;
	return true;
}

/*
 * Follows any rule, given in `f`, which receives the words that were read and the rule in its full
 * form.
 */
enum step_end step_rare(struct step_span *span, struct step_place *p, struct stack_fresh *f);

/* Passes copies to the rare path, so that the caller's values can stay in registers. */
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

/* Steps by the rule in `f`. The words that were read are not needed by the caller. */
static inline enum step_end step_out(struct step_span *span, struct step_place *p,
				     struct stack_fresh *f)
{
	if (f->rule & RULE_IS_USUAL && step_usual(span, p, f->rule))
		return STEP_GOES_ON;
	return step_rarely(span, p, f);
}

static inline uint64_t step_rule(const struct step_place *p)
{
	return rule_at(p->word, rules_epoch_bits(rules_epoch()));
}

#endif
