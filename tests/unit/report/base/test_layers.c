/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Layers over time against a plain account of the same: each moment is exact, whatever the run's
 * length.
 */
#include "report/base/layers.h"

#include "tests/unit/unit.h"

#define ROWS 900u
#define STEPS 60000u

struct state {
	uint64_t row[ROWS], all;
};

struct change {
	uint64_t time_ns;
	uint32_t row;
	int64_t by;
};

static uint64_t value_of(const void *owner, size_t row)
{
	return ((const struct state *)owner)->row[row];
}

static void apply(struct state *state, const struct change *change)
{
	state->row[change->row] += (uint64_t)change->by;
	state->all += (uint64_t)change->by;
}

/* Bursts and pauses, rows that grow and shrink. */
static struct change *changes_make(unsigned int seed)
{
	struct change *change = calloc(STEPS, sizeof(*change));
	struct state state = { .all = 0 };
	uint64_t now = seed % 3 * 1000000;

	srand(seed);
	for (size_t i = 0; i < STEPS; i++) {
		uint32_t row = (uint32_t)rand() % ROWS;
		uint64_t has = state.row[row];

		now += (uint64_t)rand() % (i % 977 == 5 ? 900000000 : 3000);
		change[i] = (struct change){ now, row, rand() % 5000 };
		if (has && rand() % 2)
			change[i].by = -(int64_t)(has / 2 + has % 2);
		apply(&state, &change[i]);
	}
	return change;
}

static int compare_down(const void *first, const void *second)
{
	uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;

	return (a < b) - (a > b);
}

static void check_moment(const struct layers_moment *moment, const struct state *state)
{
	uint64_t values[ROWS];
	size_t count = 0;

	assert_int_equal(moment->all, state->all);
	memcpy(values, state->row, sizeof(values));
	qsort(values, ROWS, sizeof(*values), compare_down);
	while (count < ROWS && count < LAYERS_PARTS && values[count])
		count++;
	assert_int_equal(moment->count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(moment->part[i].value, values[i]);
		assert_int_equal(state->row[moment->part[i].row], values[i]);
	}
}

TEST(test_moments_are_exact)
{
	for (unsigned int seed = 1; seed < 5; seed++) {
		struct change *change = changes_make(seed);
		struct state state = { .all = 0 };
		struct layers layers;
		size_t at = 0;

		layers_init(&layers);
		for (size_t i = 0; i < STEPS; i++) {
			if (change[i].time_ns >= layers.due_ns)
				layers_look(&layers, change[i].time_ns, state.all, &state, ROWS,
					    value_of);
			assert_true(change[i].time_ns < layers.due_ns);
			apply(&state, &change[i]);
		}
		layers_end(&layers, change[STEPS - 1].time_ns + 1, state.all, &state, ROWS,
			   value_of);
		assert_in_range(layers.count, LAYERS_MOMENTS / 4, LAYERS_MOMENTS);
		state = (struct state){ .all = 0 };
		for (size_t i = 0; i < layers.count; i++) {
			assert_true(!i || layers.moment[i].time_ns > layers.moment[i - 1].time_ns);
			while (at < STEPS && change[at].time_ns < layers.moment[i].time_ns)
				apply(&state, &change[at++]);
			check_moment(&layers.moment[i], &state);
		}
		assert_int_equal(at, STEPS);
		layers_release(&layers);
		free(change);
	}
}

/* Nothing, one look, and times that no writer can have written. */
TEST(test_edges)
{
	struct state state = { .row = { 5, 0, 7 }, .all = 20 };
	struct layers layers;

	layers_init(&layers);
	layers_look(&layers, UINT64_MAX, 20, &state, 3, value_of);
	assert_int_equal(layers.count, 0);
	layers_look(&layers, 1ull << 50, 20, &state, 3, value_of);
	layers_end(&layers, 0, 20, &state, 3, value_of);
	assert_int_equal(layers.count, 2);
	assert_int_equal(layers.moment[0].count, 2);
	assert_int_equal(layers.moment[0].part[0].row, 2);
	assert_int_equal(layers.moment[0].all, 20);
	assert_true(layers.moment[1].time_ns >= layers.moment[0].time_ns);
	layers_release(&layers);
	layers_init(&layers);
	layers_end(&layers, 7, 0, &state, 0, value_of);
	assert_int_equal(layers.count, 1);
	assert_int_equal(layers.moment[0].count, 0);
	layers_release(&layers);
}
