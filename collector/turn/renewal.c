/* SPDX-License-Identifier: MIT */
/*
 * When the table is half full, it begins a new age, and a counter in the region asks all threads to
 * define their stacks again. After HEAR_CUTS turns and HEAR_NS the stacks of older ages are
 * forgotten. If some were refused, it asks again, with pauses that double.
 */
#include "collector/turn/renewal.h"

#include "collector/format/stack_table.h"

#define MS 1000000ull
/* a thread that has read the counter writes its record within this time */
#define HEAR_NS (200 * MS)
#define HEAR_CUTS 2u
/* doubles each time, because asking cannot help if the table is too small */
#define AGAIN_NS (500 * MS)
#define AGAIN_MAX_NS (32000 * MS)
/* bytes of the region per definition: 4 million with INTERCEPT_BUFFER's default */
#define BYTES_A_DEFINITION 16
#define DEFINITIONS_MIN (64u << 10)

void renewal_init(struct renewal *renewal, struct frame_writer *fw, uint64_t bytes)
{
	uint64_t limit = bytes / BYTES_A_DEFINITION;

	if (limit > STACK_DEFINITIONS_MAX - 1)
		limit = STACK_DEFINITIONS_MAX - 1;
	if (limit < DEFINITIONS_MIN)
		limit = DEFINITIONS_MIN;
	frame_stacks(fw)->limit = (uint32_t)limit;
	*renewal = (struct renewal){ .due = (uint32_t)limit / 2 };
}

static void renewal_ask(struct renewal *renewal, struct stack_table *table,
			struct region_header *header, uint64_t steady_ns)
{
	if (renewal->last_ns && steady_ns - renewal->last_ns < renewal->pause_ns)
		return;
	/* first, so that threads that hear of it define stacks in the new age */
	stack_table_age(table);
	atomic_fetch_add(&header->stacks_asked, 1);
	renewal->asked_ns = renewal->last_ns = steady_ns;
	renewal->cuts = 0;
}

/* The next renewal is due when half of the remaining room is used. */
static void renewal_end(struct renewal *renewal, struct stack_table *table)
{
	uint32_t left = stack_table_forget(table);

	renewal->asked_ns = 0;
	renewal->due = table->limit / 2;
	if (renewal->due < left + (table->limit - left) / 2)
		renewal->due = left + (table->limit - left) / 2;
	if (!table->refused) {
		renewal->pause_ns = 0;
		return;
	}
	/* their definitions were refused: asked again, the programs define the stacks once more */
	renewal->due = 0;
	renewal->pause_ns = renewal->pause_ns ? renewal->pause_ns * 2 : AGAIN_NS;
	if (renewal->pause_ns > AGAIN_MAX_NS)
		renewal->pause_ns = AGAIN_MAX_NS;
}

void renewal_turn(struct renewal *renewal, struct frame_writer *fw, struct region_header *header,
		  uint64_t steady_ns)
{
	struct stack_table *table = frame_stacks(fw);

	if (!renewal->asked_ns) {
		if (stack_table_count(table) && stack_table_count(table) >= renewal->due)
			renewal_ask(renewal, table, header, steady_ns);
		return;
	}
	if (++renewal->cuts >= HEAR_CUTS && steady_ns - renewal->asked_ns >= HEAR_NS)
		renewal_end(renewal, table);
}
