/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/{regions,step_labels,gaps}.c: regions of torch.compile, and names of the user's
 * inside of steps and gaps.
 */
#include "tests/unit/unit.h"
#include "report/advice/gaps.h"
#include "report/advice/regions.h"
#include "report/advice/step_labels.h"

static enum region_kind kind_of(const char *name)
{
	return region_kind_of(name, strlen(name));
}

TEST(names_of_regions)
{
	assert_int_equal(kind_of("Torch-Compiled Region: 0/0"), REGION_FIRST);
	assert_int_equal(kind_of("Torch-Compiled Region: 12/0"), REGION_FIRST);
	assert_int_equal(kind_of("Torch-Compiled Region: 12/3"), REGION_AGAIN);
	assert_int_equal(kind_of("Torch-Compiled Region: 1/"), REGION_FIRST);
	assert_int_equal(kind_of("Torch-Compiled Region: x"), REGION_FIRST);
	assert_int_equal(kind_of("Torch-Compiled Region: "), REGION_NONE);
	assert_int_equal(kind_of("aten::linear"), REGION_NONE);
	assert_int_equal(kind_of(""), REGION_NONE);
}

TEST(a_region_inside_of_another_is_a_break)
{
	struct regions regions = { 0 };

	regions_open(&regions);
	regions_record_gradient(&regions);
	regions_open(&regions);
	regions_open(&regions);
	assert_false(regions_close(&regions, 1));
	assert_false(regions_close(&regions, 10));
	assert_true(regions_close(&regions, 100));
	assert_int_equal(regions.breaks, 2);
	assert_int_equal(regions.self_ns, 111);
	regions_open(&regions); /* the next starts anew */
	assert_int_equal(regions.breaks, 0);
	assert_int_equal(regions.self_ns, 0);
}

TEST(without_gradients_nothing_is_counted)
{
	struct regions regions = { 0 };

	regions_record_gradient(&regions); /* of no region */
	regions_open(&regions);
	regions_open(&regions);
	assert_false(regions_close(&regions, 1));
	assert_false(regions_close(&regions, 1));
	assert_false(regions_close(&regions, 1)); /* none is open */
}

TEST(the_longest_names_of_a_step)
{
	struct step_labels labels = { 0 };
	struct step_labels_kept kept = { 0 };

	for (uint32_t i = 0; i < 2 * STEP_LABELS_MAX; i++)
		step_labels_add(&labels, &(struct step_label){ 100 + i, i, 1 });
	step_labels_add(&labels, &(struct step_label){ 1000, 2 * STEP_LABELS_MAX - 1, 1 });
	step_labels_add(&labels, &(struct step_label){ 500, 3, 2 }); /* of another thread */
	assert_int_equal(step_labels_keep(&kept, &labels, 1), STEP_LABELS_MAX - 1);
	assert_int_equal(step_labels_keep(&kept, &labels, 2), 1);
	assert_int_equal(step_labels_keep(&kept, &labels, 3), 0);
	assert_int_equal(kept.count, STEP_LABELS_MAX);
	for (size_t i = 0; i < kept.count; i++) {
		assert_true(kept.label[i].ns > 100 + STEP_LABELS_MAX);
		if (kept.label[i].name == 2 * STEP_LABELS_MAX - 1)
			assert_int_equal(kept.label[i].ns, 1000 + 100 + 2 * STEP_LABELS_MAX - 1);
	}
	free(kept.label);
}

static struct nest_place at(uint64_t time_ns)
{
	return (struct nest_place){ .time_ns = time_ns };
}

/* A gap from 100 to 1100 and one from 1200 to 2200, with what `named` does in the first. */
static uint32_t label_of_a_gap(void (*named)(struct gaps *gaps), uint64_t *ret_ns)
{
	struct gaps gaps;
	uint32_t label;

	gaps_init(&gaps);
	gaps_busy(&gaps, at(0), 1);
	gaps_idle(&gaps, at(100), 1, true);
	named(&gaps);
	gaps_busy(&gaps, at(1100), 2);
	gaps_idle(&gaps, at(1200), 2, true);
	(void)gaps_step(&gaps, 0, &(struct gaps_step){ true, true });
	assert_int_equal(gaps.place_count, 1);
	label = gaps.place[0].label;
	*ret_ns = gaps.place[0].label_ns;
	gaps_release(&gaps);
	return label;
}

static void within(struct gaps *gaps)
{
	gaps_label_begins(gaps, at(200), 7);
	gaps_label_begins(gaps, at(300), 8); /* inside of it */
	gaps_label_ends(gaps, at(400), 8);
	gaps_label_ends(gaps, at(500), 7);
}

static void to_its_end(struct gaps *gaps)
{
	gaps_label_ends(gaps, at(900), 9); /* was open before */
	gaps_label_begins(gaps, at(1000), 7);
}

static void from_its_beginning(struct gaps *gaps)
{
	gaps_label_ends(gaps, at(150), 9);
	gaps_label_begins(gaps, at(600), 7); /* is open behind it */
}

static void nothing(struct gaps *gaps)
{
	(void)gaps;
}

TEST(names_of_a_gap)
{
	uint64_t ns;

	assert_int_equal(label_of_a_gap(within, &ns), 7);
	assert_int_equal(ns, 300);
	assert_int_equal(label_of_a_gap(to_its_end, &ns), 9);
	assert_int_equal(ns, 800);
	assert_int_equal(label_of_a_gap(from_its_beginning, &ns), 7);
	assert_int_equal(ns, 500);
	assert_int_equal(label_of_a_gap(nothing, &ns), GAP_NO_NAME);
}

static void put_gaps(struct gaps *gaps, uint32_t thread, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		gaps_busy(gaps, (struct nest_place){ .time_ns = 10 * i, .thread = thread }, 1);
		gaps_idle(gaps, (struct nest_place){ .time_ns = 10 * i + 5, .thread = thread }, 1,
			  true);
	}
}

/*
 * Of a program without steps, or before the first one, nobody asks for gaps: none of them is
 * missing anywhere.
 */
TEST(too_many_gaps_count_in_steps_only)
{
	const struct gaps_step early = { .counts = true }, settled = { true, true };
	struct gaps gaps;

	gaps_init(&gaps);
	put_gaps(&gaps, 0, GAP_PENDING_MAX + 100);
	assert_int_equal(gaps.beyond, 0);
	gaps_step(&gaps, 0, &early);
	assert_int_equal(gaps.beyond, 0);
	put_gaps(&gaps, 0, 100);
	gaps_step(&gaps, 0, &settled);
	assert_int_equal(gaps.beyond, 0);
	put_gaps(&gaps, 0, GAP_PENDING_MAX + 100);
	gaps_cut(&gaps, at(0));
	gaps_step(&gaps, 0, &settled);
	assert_int_equal(gaps.beyond, 0);
	/* the first of a thread that was cut has no beginning */
	put_gaps(&gaps, 0, GAP_PENDING_MAX + 100);
	gaps_step(&gaps, 0, &settled);
	assert_int_equal(gaps.beyond, 99);
	gaps_release(&gaps);
}
