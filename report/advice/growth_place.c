/* SPDX-License-Identifier: MIT */
/*
 * Goes over the sums of report leaks by line. With steps it takes the place that grows most of
 * those that grow steadily, without steps the one that keeps most.
 */
#include "report/advice/growth_place.h"

#include <stdlib.h>
#include <string.h>

#include "report/advice/place_text.h"
#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/core/known.h"
#include "report/heap/growth.h"
#include "report/heap/stack_sums.h"

#define GROWN_MIN (64u << 10)     /* bytes of growth over all steps */
#define KEPT_WHOLE_MIN (1u << 20) /* bytes that were never freed, in a run without steps */
#define KEPT_BLOCKS_MIN 8u /* fewer are one object that grows, as a string or a list's own block */
#define AUTOGRAD "torch::autograd::"
#define SURE_MIN 20u /* blocks; fewer sampled ones make a guess */

struct growers {
	struct stack_rows rows;
	struct stack_sums sums;
};

static void growers_init(struct growers *growers, const struct bottleneck *bottleneck,
			 const struct growth *growth)
{
	growers->sums = (struct stack_sums){ .keeps_places = true };
	stack_rows_init(&growers->rows, bottleneck->source, run_options(bottleneck->run),
			STACK_BY_LINE, STACK_COLUMNS_NONE);
	growers->rows.names.for_people = true;
	stack_rows_pick_own(&growers->rows);
	stack_sums_make(&growers->sums, growth->heap, bottleneck->source, &growers->rows,
			WEIGHT_KEPT);
}

static void growers_release(struct growers *growers)
{
	stack_sums_release(&growers->sums);
	stack_rows_release(&growers->rows);
}

/* Returns NULL if there is no place or it has no name. */
static const struct named_frame *growers_frame(struct growers *growers, size_t place)
{
	const struct named_frame *frame = place != SIZE_MAX
						  ? stack_rows_frame(&growers->rows, place)
						  : NULL;

	return frame && frame->function ? frame : NULL;
}

/* With callers alone a wrapper of malloc() looks like the code that wanted the memory. */
static const char *unknown_callers(struct growers *growers, size_t place)
{
	const struct named_frame *frame = growers_frame(growers, place);
	uint32_t stack = stack_rows_stack(&growers->rows, place);

	if (frame->is_python || !strcmp(frame->function, "main") ||
	    named_parent(&growers->rows.names, stack) != NAMED_NONE)
		return "";
	return " Its callers were not recorded: INTERCEPT_STACKS=native records them.";
}

static bool growers_is_users(struct growers *growers, size_t place)
{
	const struct named_frame *frame = growers_frame(growers, place);

	return frame && frame->is_users;
}

/*
 * Returns whether an import asks for the memory: modules stay, which is no leak, and the line is
 * the user's `import`.
 */
static bool growers_is_import(struct growers *growers, size_t place)
{
	const struct named_frame *own = growers_frame(growers, place), *frame;

	for (uint32_t stack = stack_rows_stack(&growers->rows, place); stack != NAMED_NONE;
	     stack = named_parent(&growers->rows.names, stack)) {
		frame = named_frame_of(&growers->rows.names, stack);
		if (frame == own)
			return false;
		if (frame->file && own_is_import(frame->file, strlen(frame->file)))
			return true;
	}
	return false;
}

struct most {
	size_t place;         /* SIZE_MAX: no place grows */
	double per_step, all; /* bytes of that place, and of all that grow */
};

static struct most find_most(struct growers *growers, const struct growth *growth, bool is_coarse)
{
	const struct stack_sums *sums = &growers->sums;
	struct growth_said *said = growth_say(growth, sums->place, sums->count, NULL);
	double steps = (double)growth_steps(growth);
	struct most most = { .place = SIZE_MAX };

	for (size_t i = 0; i < sums->count; i++) {
		double per_step = said[i].per_step;

		if ((said[i].verdict != GROWTH_STEADY && !is_coarse) || per_step <= 0)
			continue;
		most.all += per_step;
		if (per_step <= most.per_step || per_step * steps < GROWN_MIN)
			continue;
		most.per_step = per_step;
		most.place = i;
	}
	free(said);
	return most;
}

/*
 * The same without steps, by blocks that were never freed. Only the user's own code counts: a
 * library keeps what it registers when it is imported, which is no leak.
 */
static size_t find_most_kept(struct growers *growers, const struct growth *growth, uint64_t end_ns)
{
	const struct stack_sums *sums = &growers->sums;
	bool *is_large = memory_zero(sums->count, sizeof(*is_large));
	struct growth_curve *curve;
	uint64_t most_bytes = 0;
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < sums->count; i++)
		is_large[i] = stack_sums_get(sums, i).row.kept_bytes >= KEPT_WHOLE_MIN &&
			      stack_sums_get(sums, i).row.kept_allocations >= KEPT_BLOCKS_MIN &&
			      growers_is_users(growers, i) && !growers_is_import(growers, i);
	curve = growth_curves_whole(growth, sums->place, sums->count, is_large);
	for (size_t i = 0; i < sums->count; i++) {
		struct stack_sum sum = stack_sums_get(sums, i);
		struct growth_span span = { sum.first_ns, sum.latest_ns, sum.row.kept_bytes,
					    end_ns };

		if (is_large[i] && sum.row.kept_bytes > most_bytes &&
		    growth_judge_whole(growth, &curve[i], &span) == GROWTH_STEADY) {
			most_bytes = sum.row.kept_bytes;
			most = i;
		}
	}
	free(curve);
	free(is_large);
	return most;
}

static struct growth_place place_of(const struct growers *growers, size_t place, double per_step)
{
	struct stack_sum sum = stack_sums_get(&growers->sums, place);
	bool is_kept = sum.row.kept_allocations != 0;

	return (struct growth_place){
		.is_found = true,
		.per_step = per_step,
		.bytes = is_kept ? sum.row.kept_bytes : sum.row.bytes_allocated,
		.blocks = is_kept ? sum.row.kept_allocations : sum.row.allocations,
		.since_ns = sum.first_ns,
	};
}

/* For places whose blocks were all recorded. */
static void say_steady(struct advice *advice, const struct growth_place *found, const char *name)
{
	char step[UNIT_TEXT_BYTES], blocks[UNIT_TEXT_BYTES], since[UNIT_TEXT_BYTES];

	advice_add(advice, " %s a step%s is allocated in %s: %s block%s since %s.",
		   unit_format_bytes(step, (uint64_t)(found->per_step + 0.5)),
		   found->per_step > advice->value ? " in all processes" : " of that", name,
		   unit_format_count(blocks, found->blocks), unit_plural(found->blocks),
		   unit_format_ns(since, found->since_ns));
}

/*
 * For arenas: an arena stays because of some of its blocks, and the code that needs a new one has
 * not always filled it.
 */
static void say_coarse(struct advice *advice, const struct growth_place *found, const char *name)
{
	char blocks[UNIT_TEXT_BYTES], since[UNIT_TEXT_BYTES];

	advice_add(advice, " Most new arenas were needed in %s: %s since %s%s.", name,
		   unit_format_count(blocks, found->blocks), unit_format_ns(since, found->since_ns),
		   found->blocks < SURE_MIN ? ", too few for more than a guess" : "");
	if (found->blocks < SURE_MIN)
		advice->place.few_arenas = found->blocks;
}

struct growth_place growth_place_say(const struct bottleneck *bottleneck,
				     const struct growth *growth, bool is_coarse,
				     struct advice *advice)
{
	struct growth_place found = { .is_found = false };
	char name[PLACE_FRAME_BYTES];
	const struct named_frame *frame;
	struct growers growers;
	struct most most;

	if (growth_steps(growth) < GROWTH_LOOKS_MIN || heap_is_sample(growth->heap))
		return found;
	growers_init(&growers, bottleneck, growth);
	most = find_most(&growers, growth, is_coarse);
	frame = growers_frame(&growers, most.place);
	if (frame && (!is_coarse || (frame->is_users && 2 * most.per_step >= most.all))) {
		found = place_of(&growers, most.place, most.per_step);
		place_of_frame(frame, &advice->place);
		place_frame_text(frame, name);
		found.is_autograd = !strncmp(frame->function, AUTOGRAD, sizeof(AUTOGRAD) - 1);
		(is_coarse ? say_coarse : say_steady)(advice, &found, name);
		advice_add(advice, "%s", unknown_callers(&growers, most.place));
	}
	growers_release(&growers);
	return found;
}

/* Returns the place of most arenas, with at least half of all. */
static size_t find_most_arenas(struct growers *growers, uint64_t late_ns)
{
	const struct stack_sums *sums = &growers->sums;
	uint64_t all_bytes = 0, most_bytes = 0;
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < sums->count; i++) {
		struct stack_sum sum = stack_sums_get(sums, i);

		all_bytes += sum.row.bytes_allocated;
		if (sum.row.bytes_allocated <= most_bytes)
			continue;
		most_bytes = sum.row.bytes_allocated;
		most = sum.latest_ns >= late_ns && growers_is_users(growers, i) ? i : SIZE_MAX;
	}
	return 2 * most_bytes >= all_bytes ? most : SIZE_MAX;
}

void growth_place_say_arenas(const struct bottleneck *bottleneck, const struct growth *arenas,
			     struct advice *advice)
{
	char name[PLACE_FRAME_BYTES];
	struct growth_place found;
	struct growers growers;
	size_t most;

	growers_init(&growers, bottleneck, arenas);
	most = find_most_arenas(&growers, known_until_ns(bottleneck->run) / 3 * 2);
	if (growers_frame(&growers, most)) {
		found = place_of(&growers, most, 0);
		place_of_frame(growers_frame(&growers, most), &advice->place);
		place_frame_text(growers_frame(&growers, most), name);
		say_coarse(advice, &found, name);
	}
	growers_release(&growers);
}

struct growth_place growth_place_say_kept(const struct bottleneck *bottleneck,
					  const struct growth *growth, struct advice *advice)
{
	char name[PLACE_FRAME_BYTES], kept[UNIT_TEXT_BYTES], blocks[UNIT_TEXT_BYTES];
	struct growth_place found = { .is_found = false };
	const struct named_frame *frame;
	struct growers growers;
	size_t most;

	if (!growth_is_whole(growth) || heap_is_sample(growth->heap))
		return found;
	growers_init(&growers, bottleneck, growth);
	most = find_most_kept(&growers, growth, known_until_ns(bottleneck->run));
	frame = growers_frame(&growers, most);
	if (frame) {
		found = place_of(&growers, most, 0);
		place_of_frame(frame, &advice->place);
		place_frame_text(frame, name);
		advice_say(advice,
			   "what %s asks for is never freed, and grows throughout the run: %s in "
			   "%s blocks.%s",
			   name, unit_format_bytes(kept, found.bytes),
			   unit_format_count(blocks, found.blocks),
			   unknown_callers(&growers, most));
	}
	growers_release(&growers);
	return found;
}
