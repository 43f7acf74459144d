/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice: advice says and proposes only what the recording bears out. */
#include "tests/unit/unit.h"
#include "tests/unit/advice_recording.h"

/* Not where many rows are looked up, or where the table is the output layer as well. */
TEST(embeddings_with_gradients_of_rows_that_nobody_looked_up)
{
	struct run run = well;

	run.embedding.looked_up = 4096;
	run.embedding.table = 8 << 20;
	run.embedding.table_ns = MS;
	write_one(&run);
	only("dense_embedding", NULL);
	assert_true(advice_of("dense_embedding")->value > 9);
	assert_non_null(strstr(advice_of("dense_embedding")->text, "8.00 MiB a table, of which"));
	release();
	run.embedding.product = 8 << 20;
	write_one(&run);
	assert_null(advice_of("dense_embedding"));
	release();
	run.embedding.product = 0;
	run.embedding.looked_up = 1 << 20;
	write_one(&run);
	assert_null(advice_of("dense_embedding"));
	release();
}

/* Its events are there: no number is too small. */
TEST(a_stack_that_is_missing_is_no_loss)
{
	start(1);
	write_run(1, &well);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now, lost, .process = 1, .count = 119, .reason = EVT_LOST_NO_STACK);
	frame_end_block(c.r.fw);
	read_back();
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* A ring that was not full needs no other setting. */
TEST(what_does_not_help_is_not_proposed)
{
	for (unsigned int full = 0; full < 2; full++) {
		start(1);
		write_run(1, &well);
		frame_begin_block(c.r.fw, 0);
		FRAME_PUT(c.r.fw, now, lost, .process = 1, .count = 7,
			  .reason = full ? EVT_LOST_FULL : EVT_LOST_DISK);
		frame_end_block(c.r.fw);
		read_back();
		assert_int_equal(strstr(advice_of("losses")->todo, "INTERCEPT_FULL") != NULL, full);
		release();
	}
}

/* The DataLoader's iterator says that it has workers, whether they were recorded or not. */
TEST(a_program_with_workers_is_told_of_no_first_ones)
{
	struct run run = well;
	const struct advice *advice;

	run.dataloader_ns = 3 * MS;
	run.has_workers = true;
	write_one(&run);
	advice = advice_of("dataloader");
	assert_true(advice && strstr(advice->text, "; its worker processes were not recorded."));
	assert_true(advice && !strstr(advice->todo, "num_workers"));
	release();
	run.has_workers = false;
	write_one(&run);
	assert_non_null(strstr(advice_of("dataloader")->todo, "num_workers"));
	release();
}
