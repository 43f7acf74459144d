/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/ranks/rank_heat.c: every step of every rank is in its cell, and the map stays small. */
#include "tests/unit/unit.h"

#include "report/ranks/rank_heat.h"

#define MS 1000000u
#define MANY_RANKS 250u
#define MANY_STEPS 2000u

static struct rank_rows rows;
static struct rank_heat heat;
static struct step_row *step;

/* Each rank has steps from `first` on that take 10 ms, and 5 ms of communication. */
static void ranks(unsigned int count, unsigned int steps, uint64_t first)
{
	rows = (struct rank_rows){ .row = calloc(count, sizeof(*rows.row)), .count = count };
	step = calloc((size_t)count * steps, sizeof(*step));
	for (unsigned int i = 0; i < count; i++) {
		struct rank_row *row = &rows.row[i];

		row->rank = i;
		row->step = calloc(steps, sizeof(*row->step));
		row->steps = steps;
		for (unsigned int k = 0; k < steps; k++) {
			row->step[k] = &step[(size_t)i * steps + k];
			step[(size_t)i * steps + k] = (struct step_row){
				.number = first + k,
				.total_ns = 15 * MS,
				.phases.ns = { [PHASE_communication] = 5 * MS },
			};
		}
	}
}

static void slow(unsigned int rank, uint64_t number, uint64_t more_ns)
{
	for (size_t k = 0; k < rows.row[rank].steps; k++)
		if (rows.row[rank].step[k]->number == number)
			((struct step_row *)rows.row[rank].step[k])->total_ns += more_ns;
}

static void done(void)
{
	rank_heat_release(&heat);
	rank_rows_release(&rows);
	rows = (struct rank_rows){ 0 };
	free(step);
}

static const struct rank_heat_cell *cell_of(uint64_t rank, uint64_t number)
{
	size_t row = 0, column = 0;

	while (row < heat.rows && heat.rank[row].to < rank)
		row++;
	while (column < heat.columns && heat.step[column].to < number)
		column++;
	assert_true(row < heat.rows && heat.rank[row].from <= rank);
	assert_true(column < heat.columns && heat.step[column].from <= number);
	return &heat.cell[row * heat.columns + column];
}

/* Bins follow each other without a gap. */
static void bins_are_whole(uint64_t ranks_count, uint64_t first, uint64_t last)
{
	assert_int_equal(heat.rank[0].from, 0);
	assert_int_equal(heat.rank[heat.rows - 1].to, ranks_count - 1);
	assert_int_equal(heat.step[0].from, first);
	assert_int_equal(heat.step[heat.columns - 1].to, last);
	for (size_t i = 1; i < heat.rows; i++)
		assert_int_equal(heat.rank[i].from, heat.rank[i - 1].to + 1);
	for (size_t i = 1; i < heat.columns; i++)
		assert_int_equal(heat.step[i].from, heat.step[i - 1].to + 1);
}

TEST(a_cell_is_a_step_if_there_are_few)
{
	ranks(4, 30, 7);
	slow(2, 11, 20 * MS);
	rank_heat_make(&heat, &rows);
	assert_int_equal(heat.rows, 4);
	assert_int_equal(heat.columns, 30);
	bins_are_whole(4, 7, 36);
	assert_int_equal(heat.median_ns, 10 * MS);
	assert_int_equal(cell_of(2, 11)->own_ns, 30 * MS);
	assert_int_equal(cell_of(2, 11)->rank, 2);
	assert_int_equal(cell_of(2, 12)->own_ns, 10 * MS);
	assert_int_equal(cell_of(1, 11)->own_ns, 10 * MS);
	done();
}

TEST(many_ranks_and_steps_share_cells)
{
	ranks(MANY_RANKS, MANY_STEPS, 1);
	for (unsigned int i = 1001; i <= 1020; i++)
		slow(177, i, 100 * MS);
	rank_heat_make(&heat, &rows);
	assert_int_equal(heat.rows, RANK_HEAT_ROWS);
	assert_int_equal(heat.columns, RANK_HEAT_COLUMNS);
	bins_are_whole(MANY_RANKS, 1, MANY_STEPS);
	assert_int_equal(cell_of(177, 1011)->own_ns, 110 * MS);
	assert_int_equal(cell_of(177, 1011)->rank, 177);
	assert_int_equal(cell_of(177, 1000)->own_ns, 10 * MS);
	assert_int_equal(cell_of(177, 1021)->own_ns, 10 * MS);
	assert_int_equal(heat.median_ns, 10 * MS);
	done();
}

TEST(a_rank_that_begins_late_has_no_cells_before)
{
	ranks(2, 20, 1);
	for (size_t k = 0; k < 20; k++)
		((struct step_row *)rows.row[1].step[k])->number += 10;
	rank_heat_make(&heat, &rows);
	assert_int_equal(heat.columns, 30);
	assert_false(cell_of(1, 10)->is_known);
	assert_true(cell_of(1, 11)->is_known);
	assert_false(cell_of(0, 21)->is_known);
	done();
}

/* Of a damaged file. */
TEST(numbers_of_steps_may_be_anything)
{
	ranks(2, 2, 0);
	((struct step_row *)rows.row[1].step[1])->number = UINT64_MAX;
	rank_heat_make(&heat, &rows);
	assert_int_equal(heat.columns, RANK_HEAT_COLUMNS);
	bins_are_whole(2, 0, UINT64_MAX);
	assert_true(cell_of(1, UINT64_MAX)->is_known);
	done();
}

TEST(no_steps_are_no_map)
{
	ranks(2, 0, 0);
	rank_heat_make(&heat, &rows);
	assert_int_equal(heat.columns, 0);
	done();
}
