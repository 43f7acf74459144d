/* SPDX-License-Identifier: MIT */
/* Report `leaks`: what was never freed, by who asked for it, and whether it grows. */
#include <stdlib.h>
#include <string.h>

#include "report/core/report_kind.h"
#include "report/base/units.h"
#include "report/core/known.h"
#include "report/session/holes.h"
#include "report/core/unmatched.h"
#include "report/heap/growth.h"
#include "report/heap/heap_events.h"
#include "report/heap/rows_heap.h"
#include "report/heap/heap_share.h"
#include "report/heap/stack_sums.h"

#define EARLY_SHARE 0.1 /* share of the run */
#define FREED_TIMES 10u /* most blocks were freed if so many times the kept ones were */

struct leaks_state {
	struct heap *heap;
	struct growth *growth;
	struct stack_rows stacks;
	uint64_t blocks, bytes; /* sums over all rows */
	/* growing rows, and their bytes per step; without steps: bytes kept */
	uint64_t growing, growing_bytes;
	uint64_t returned,
		/*
		 * the same for memory that grows but is freed after the last step; it has no rows
		 */
		returned_bytes;
};

static void leaks_want(struct report *report)
{
	struct leaks_state *state = report->state;

	enum heap_of of = heap_of_options(report->request->options);

	state->heap = heap_want(report->run, &(struct heap_options){ BY_alloc_stack, of });
	state->growth = growth_want(report->run, &(struct growth_options){ of });
}

/* Returns the words for the growth; NULL: none. */
static const char *seems_to_grow(enum growth_verdict verdict)
{
	switch (verdict) {
	case GROWTH_STEADY:
		return "grows";
	case GROWTH_STOPPED:
		return "stopped growing";
	case GROWTH_EARLIER:
		return "before the steps";
	default:
		return NULL;
	}
}

/* Returns what the run shows about a row; NULL: nothing. */
static const char *seems(const struct stack_sum *sum, enum growth_verdict verdict, uint64_t end_ns)
{
	const char *grows = seems_to_grow(verdict);

	if (grows)
		return grows;
	if (sum->row.allocations == 1)
		return "once";
	if ((double)sum->latest_ns < EARLY_SHARE * (double)end_ns)
		return "early";
	if (sum->row.kept_allocations <= sum->row.allocations / FREED_TIMES)
		return "mostly freed";
	switch (verdict) {
	case GROWTH_LATE:
		return "late";
	case GROWTH_PAUSED:
		return "not lately";
	case GROWTH_UNEVEN:
		return "unevenly";
	default:
		return NULL;
	}
}

/* Verdicts on each place, with steps or without. */
struct leaks_growth {
	struct growth_said *said;
	struct growth_curve *whole;
};

static struct growth_said judge(const struct leaks_state *state, const struct leaks_growth *growth,
				size_t place, const struct stack_sum *sum, uint64_t end_ns)
{
	if (growth_steps(state->growth))
		return growth->said[place];
	return (struct growth_said){
		.verdict = growth_judge_whole(state->growth, &growth->whole[place],
					      &(struct growth_span){ sum->first_ns, sum->latest_ns,
								     sum->row.kept_bytes, end_ns })
	};
}

static void put_growth(struct leaks_state *state, struct table *table, uint64_t kept_bytes,
		       double per_step)
{
	state->growing++;
	if (!growth_steps(state->growth)) {
		state->growing_bytes += kept_bytes;
		return;
	}
	table_set_number(table, COLUMN_leaks_growth, (uint64_t)(per_step + 0.5));
	state->growing_bytes += (uint64_t)(per_step + 0.5);
}

static void put_row(struct leaks_state *state, struct table *table, const struct stack_sum *sum,
		    struct growth_said said, uint64_t end_ns)
{
	const char *text = seems(sum, said.verdict, end_ns);

	state->blocks += sum->row.kept_allocations;
	state->bytes += sum->row.kept_bytes;
	table_set_number(table, COLUMN_leaks_allocations, sum->row.kept_allocations);
	table_set_number(table, COLUMN_leaks_bytes, sum->row.kept_bytes);
	if (sum->row.is_sample)
		table_set_number(table, COLUMN_leaks_bytes_error,
				 weight_error(sum->row.kept_variance));
	if (state->heap->totals.kept_bytes)
		table_set_real(table, COLUMN_leaks_percent,
			       100.0 * (double)sum->row.kept_bytes /
				       (double)state->heap->totals.kept_bytes);
	table_set_number(table, COLUMN_leaks_first_ns, sum->first_ns);
	table_set_number(table, COLUMN_leaks_last_ns, sum->latest_ns);
	table_set_number(table, COLUMN_leaks_allocated, sum->row.allocations);
	if (text)
		table_set_text(table, COLUMN_leaks_seems, text, strlen(text));
	if (said.verdict == GROWTH_STEADY)
		put_growth(state, table, sum->row.kept_bytes, said.per_step);
}

/* Memory that a function keeps until it returns has no row, but grows all the same. */
static void note_returned(struct leaks_state *state, struct growth_said said)
{
	if (said.verdict != GROWTH_STEADY)
		return;
	state->returned++;
	state->returned_bytes += (uint64_t)(said.per_step + 0.5);
}

/*
 * Nothing is said about the growth of sampled blocks: by chance, more of them are drawn in one part
 * of the steps than in another.
 */
static void put_estimate(struct leaks_state *state, struct table *table,
			 const struct stack_sum *sum)
{
	static const struct estimate_columns columns = { COLUMN_leaks_estimated_allocations,
							 COLUMN_leaks_estimated_bytes,
							 COLUMN_leaks_estimated_percent };

	heap_put_estimate(table, columns, sum->estimate.kept, state->heap->totals.kept_bytes);
}

static void leaks_fill(struct report *report, struct table *table)
{
	static struct column quiet;
	const struct options *options = report->request->options;
	struct leaks_state *state = report->state;
	struct source *source = run_source(report->run);
	struct stack_sums sums = { .keeps_places = true };
	struct leaks_growth growth;
	bool *is_kept;

	stack_rows_init(&state->stacks, source, options, stack_by_of(options->by),
			STACK_COLUMNS_OF(leaks));
	stack_rows_attach(&state->stacks, table, options->stack_frames);
	stack_sums_estimate(&sums, state->heap);
	if (sums.is_estimated)
		heap_show_estimates(report, table, COLUMN_leaks_bytes, &quiet);
	stack_sums_make(&sums, state->heap, source, &state->stacks, WEIGHT_KEPT);
	is_kept = memory_zero(sums.count, sizeof(*is_kept));
	for (size_t i = 0; i < sums.count; i++)
		is_kept[i] = stack_sums_get(&sums, i).row.kept_allocations;
	growth = (struct leaks_growth){
		growth_say(state->growth, sums.place, sums.count, NULL),
		growth_curves_whole(state->growth, sums.place, sums.count, is_kept),
	};
	for (size_t i = 0; i < sums.count; i++) {
		struct stack_sum sum = stack_sums_get(&sums, i);

		if (!sum.row.kept_allocations) {
			note_returned(state, growth.said[i]);
			continue;
		}
		table_add_row(table);
		stack_rows_put(&state->stacks, table, i);
		if (sums.is_estimated)
			put_estimate(state, table, &sum);
		else
			put_row(state, table, &sum,
				judge(state, &growth, i, &sum, known_until_ns(report->run)),
				known_until_ns(report->run));
		table_settle_row(table);
	}
	free(growth.said);
	free(growth.whole);
	free(is_kept);
	stack_sums_release(&sums);
}

/*
 * Rows are sorted by bytes, and what a program loads and keeps is more than what it leaks: so the
 * note says where growth is.
 */
static const char *where_growth_is(const struct document *document)
{
	const struct table *table = document->table;

	if (document->kept &&
	    table->column[document->kept - 1] == &column_list[COLUMN_leaks_growth])
		return "";
	return " (--sort growth has them first)";
}

static void print_returned(const struct leaks_state *state, FILE *out)
{
	char bytes[UNIT_TEXT_BYTES];

	if (state->returned && !heap_is_sample(state->heap))
		fprintf(out, "%-11s  by %s a step where all was freed later (prof-report peak)\n",
			state->growing ? "grows too" : "grows",
			unit_format_bytes(bytes, state->returned_bytes));
}

static void print_growth(const struct leaks_state *state, const struct document *document,
			 FILE *out)
{
	uint64_t steps = growth_steps(state->growth);
	char count[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];

	unit_format_count(count, state->growing);
	unit_format_bytes(bytes, state->growing_bytes);
	if (state->growing && steps)
		fprintf(out, "grows        by %s a step, in %s of the rows%s\n", bytes, count,
			where_growth_is(document));
	else if (state->growing)
		fprintf(out, "grows        %s of the rows: %s (--filter seems=grows shows them)\n",
			count, bytes);
	else if (steps >= GROWTH_LOOKS_MIN && !heap_is_sample(state->heap) && !state->returned)
		fprintf(out, "grows        nothing, over %s steps\n",
			unit_format_count(count, steps));
	print_returned(state, out);
}

static void leaks_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct leaks_state *state = report->state;
	const struct heap_totals *totals = &state->heap->totals;
	char bytes[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES], error[HEAP_ERROR_BYTES];
	struct coverage_text still_live;

	if (!totals->allocations)
		return;
	fprintf(screen->out, "%-11s  %s%s in %s block%s\n",
		heap_still_live(state->heap, report->run, &still_live),
		unit_format_bytes(bytes, totals->kept_bytes),
		heap_error(error, state->heap, totals->kept_variance),
		unit_format_count(count, totals->kept_allocations),
		totals->kept_allocations == 1 ? "" : "s");
	print_growth(state, document, screen->out);
	heap_print_sample(state->heap, screen);
	putc('\n', screen->out);
}

/*
 * A lost free makes a block look like a leak. If recording stopped, the blocks are those of before.
 */
static void print_lost(const struct source *source, const struct screen *screen)
{
	const struct source_hole *hole;
	size_t count = source_holes(source, &hole);
	uint64_t from_ns = UINT64_MAX, to_ns = 0;
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		if (hole[i].from_ns >= source_file_known_ns(hole[i].file))
			continue;
		from_ns = hole[i].from_ns < from_ns ? hole[i].from_ns : from_ns;
		to_ns = hole[i].to_ns > to_ns ? hole[i].to_ns : to_ns;
	}
	if (from_ns < UINT64_MAX)
		screen_print_prose(
			screen,
			"events were lost between %s and %s: a block whose free is among "
			"them counts as never freed",
			unit_format_ns(from, from_ns), unit_format_ns(to, to_ns));
}

static void leaks_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct leaks_state *state = report->state;
	uint64_t steps = growth_steps(state->growth);

	unmatched_print_blocks(screen, report->run, state->heap->totals.frees_unmatched,
			       state->heap->totals.reused);
	print_lost(run_source(report->run), screen);
	heap_print_sampling(state->heap, report, screen);
	if (heap_is_sample(state->heap))
		screen_print_prose(screen, "growth is not known: %s",
				   state->heap->estimate ? "stacks are a sample"
							 : "the heap is a sample");
	else if (growth_is_whole(state->growth))
		screen_print_prose(screen, "no steps: what grows is judged by four equal parts of "
					   "the allocations, and by the last quarter of the time "
					   "of a run of a second or more");
	else if (!steps)
		screen_print_prose(screen, "growth is not known: the recording has no steps, and "
					   "too few allocations to judge without them");
	else if (steps < GROWTH_LOOKS_MIN)
		screen_print_prose(screen, "growth is not known: %u step%s %s too few, it takes %u",
				   (unsigned int)steps, unit_plural(steps),
				   steps == 1 ? "is" : "are", GROWTH_LOOKS_MIN);
	heap_share_print(state->heap, WEIGHT_KEPT, screen);
	stack_rows_print_notes(&state->stacks, screen);
}

static void leaks_total(const struct report *report, struct facts *facts)
{
	const struct leaks_state *state = report->state;
	const struct heap_totals *totals = &state->heap->totals;

	facts_number(facts, "allocations", UNIT_COUNT, totals->kept_allocations);
	facts_number(facts, "bytes", UNIT_BYTES, totals->kept_bytes);
	facts_number(facts, "shown_allocations", UNIT_COUNT, state->blocks);
	facts_number(facts, "shown_bytes", UNIT_BYTES, state->bytes);
	facts_number(facts, "steps", UNIT_COUNT, growth_steps(state->growth));
	facts_number(facts, "growing_rows", UNIT_COUNT, state->growing);
	facts_number(facts, "growth", UNIT_BYTES,
		     growth_steps(state->growth) ? state->growing_bytes : 0);
	facts_number(facts, "freed_later_rows", UNIT_COUNT,
		     heap_is_sample(state->heap) ? 0 : state->returned);
	facts_number(facts, "freed_later_growth", UNIT_BYTES,
		     heap_is_sample(state->heap) ? 0 : state->returned_bytes);
	facts_number(facts, "frees_unmatched", UNIT_COUNT, totals->frees_unmatched);
	facts_number(facts, "address_reused", UNIT_COUNT, totals->reused);
	heap_share_total(((const struct leaks_state *)report->state)->heap, facts);
	heap_sample_total(state->heap, facts);
}

static const char *leaks_explain(const struct report *report, struct why_empty *absence)
{
	const struct leaks_state *state = report->state;

	if (state->heap->totals.allocations &&
	    !(stack_rows_are_filtered(report->request->options) &&
	      state->heap->totals.kept_allocations))
		return "all blocks were freed";
	return heap_explain(report, absence);
}

static void leaks_release(struct report *report)
{
	stack_rows_release(&((struct leaks_state *)report->state)->stacks);
}

const struct report_kind report_kind_leaks = {
	.state_bytes = sizeof(struct leaks_state),
	.family = EVT_FAMILY_alloc,
	.want = leaks_want,
	.fill = leaks_fill,
	.total = leaks_total,
	.explain = leaks_explain,
	.head = leaks_head,
	.foot = leaks_foot,
	.release = leaks_release,
};
