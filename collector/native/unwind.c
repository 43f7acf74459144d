/* SPDX-License-Identifier: MIT */
/*
 * A loop over frames: find the mapping, then the row, then the CFA, and read the return address and
 * rbp from the copied stack. Rows are looked up one byte before a return address, which is inside
 * the call.
 */
#include "collector/native/unwind.h"

#include <stdbool.h>
#include <string.h>

#include "collector/arch/arch.h"
#include "collector/format/frame_flags.h"

#define ADDRESS_LIMIT (1ull << ARCH_ADDRESS_BITS)

struct place {
	uint64_t rip, rsp, rbp;
	bool is_exact;   /* rip is where the code was interrupted, not a return address */
	bool has_no_rbp; /* no rule gave its value */
};

static bool stack_word(const struct unwind_moment *moment, uint64_t address, uint64_t *ret_word)
{
	uint64_t at = address - moment->rsp;

	if (at > moment->stack_bytes || moment->stack_bytes - at < sizeof(*ret_word))
		return false;
	memcpy(ret_word, moment->stack + at, sizeof(*ret_word));
	return true;
}

static enum unwind_end row_find(struct tables *tables, struct mappings *mappings, uint32_t pid,
				const struct place *place, struct cfi_row *ret_row)
{
	uint64_t within = place->is_exact ? place->rip : place->rip - 1;
	const struct mapping *mapping = mappings_find(mappings, within);
	struct table_mapping where;

	if (!mapping || !mapping->file)
		return UNWIND_NO_TABLE;
	where = (struct table_mapping){ pid, mapping->start, mapping->end };
	switch (tables_find(tables, mapping->file, &where,
			    within - mapping->start + mapping->offset, ret_row)) {
	case TABLE_ROW:
		return UNWIND_OUTERMOST;
	case TABLE_NO_FILE:
		return UNWIND_NO_FILE;
	default:
		return UNWIND_NO_TABLE;
	}
}

/*
 * Returns the base from which a saved register's place is counted. False: it depends on an unknown
 * register.
 */
static bool unwind_base_of(enum cfi_saved how, const struct place *place, uint64_t cfa,
			   uint64_t *ret_base)
{
	switch (how) {
	case CFI_SAVED_BY_CFA:
		*ret_base = cfa;
		return true;
	case CFI_SAVED_BY_RSP:
		*ret_base = place->rsp;
		return true;
	case CFI_SAVED_BY_RBP:
		*ret_base = place->rbp;
		return !place->has_no_rbp;
	default:
		return false;
	}
}

static enum unwind_end cfa_of(const struct unwind_moment *moment, const struct cfi_row *row,
			      const struct place *place, uint64_t *ret_cfa)
{
	bool by_rbp = row->cfa == CFI_CFA_RBP || row->cfa == CFI_CFA_RBP_LOAD;
	uint64_t at = (by_rbp ? place->rbp : place->rsp) + (uint64_t)row->offset;

	if (by_rbp && place->has_no_rbp)
		return UNWIND_NO_RULE;
	if (row->cfa == CFI_CFA_RSP || row->cfa == CFI_CFA_RBP) {
		*ret_cfa = at;
		return UNWIND_OUTERMOST;
	}
	if (!stack_word(moment, at, ret_cfa))
		return UNWIND_NO_STACK;
	*ret_cfa += (uint64_t)row->after;
	return UNWIND_OUTERMOST;
}

/*
 * If rbp is outside of the copied part, for example below rsp, it is unknown. The caller may be
 * known all the same.
 */
static void rbp_of(const struct unwind_moment *moment, const struct cfi_row *row,
		   const struct place *place, uint64_t cfa, struct place *next)
{
	uint64_t base;

	next->rbp = place->rbp;
	next->has_no_rbp = place->has_no_rbp;
	if (row->rbp.how == CFI_SAVED_SAME)
		return;
	next->has_no_rbp = !unwind_base_of(row->rbp.how, place, cfa, &base) ||
			   !stack_word(moment, base + (uint64_t)row->rbp.offset, &next->rbp);
}

/* Steps to the caller. UNWIND_OUTERMOST with a `rip` of 0: there is none. */
static enum unwind_end unwind_step(const struct unwind_moment *moment, const struct cfi_row *row,
				   const struct place *place, struct place *next)
{
	uint64_t cfa, base;
	enum unwind_end end;

	*next = (struct place){ .is_exact = row->signal };
	if (row->ret.how == CFI_SAVED_LOST)
		return UNWIND_OUTERMOST;
	end = cfa_of(moment, row, place, &cfa);
	if (end)
		return end;
	/*
	 * a frame contains at least its return address; an interrupted caller may have used another
	 * stack
	 */
	if (!row->signal && (!ARCH_CFI_HAS_LINK || row->ret.how != CFI_SAVED_SAME) &&
	    (cfa < place->rsp + sizeof(cfa) || cfa < moment->rsp))
		return UNWIND_NO_RULE;
	if (row->ret.how ==
	    CFI_SAVED_SAME) { /* a leaf; elsewhere a call has changed the register */
		if (place->rip != moment->rip || !place->is_exact)
			return UNWIND_NO_RULE;
		next->rip = moment->link;
	} else if (!unwind_base_of(row->ret.how, place, cfa, &base)) {
		return UNWIND_NO_RULE;
	} else if (!stack_word(moment, base + (uint64_t)row->ret.offset, &next->rip)) {
		return UNWIND_NO_STACK;
	}
	next->rip = arch_return_address(next->rip);
	next->rsp = cfa;
	rbp_of(moment, row, place, cfa, next);
	return UNWIND_OUTERMOST;
}

uint32_t unwind(struct tables *tables, struct mappings *mappings, uint32_t pid,
		const struct unwind_moment *moment, uint64_t *ret_frame, enum unwind_end *ret_end)
{
	struct place place = { moment->rip, moment->rsp, moment->rbp, true, false }, next;
	enum unwind_end end = UNWIND_TOO_DEEP;
	struct cfi_row row;
	uint32_t count = 0;

	while (count < UNWIND_FRAMES) {
		ret_frame[count++] = (place.rip & UNWIND_ADDRESS) |
				     (place.is_exact
					      ? (uint64_t)FRAME_IS_EXACT << UNWIND_FLAGS_SHIFT
					      : 0);
		end = row_find(tables, mappings, pid, &place, &row);
		if (end)
			break;
		end = unwind_step(moment, &row, &place, &next);
		if (end || !next.rip)
			break;
		end = next.rip < ADDRESS_LIMIT ? UNWIND_TOO_DEEP : UNWIND_NO_RULE;
		if (end == UNWIND_NO_RULE)
			break;
		place = next;
	}
	if (end)
		ret_frame[count - 1] |= (uint64_t)FRAME_IS_TRUNCATED << UNWIND_FLAGS_SHIFT;
	*ret_end = end;
	return count;
}
