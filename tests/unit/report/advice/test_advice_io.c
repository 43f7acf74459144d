/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/advice_io.c: advice on how files are read, of trainings that read in bits, again or
 * below the DataLoader.
 */
#include "tests/unit/unit.h"
#include "tests/unit/advice_recording.h"

TEST(files_that_are_read_badly)
{
	struct reading bits = { .reads = 20, .bytes = 100, .call_ns = 30 * US };
	struct reading again = { .opens = 2, .reads = 2, .bytes = 65536, .call_ns = 75 * US };
	struct run run;

	one_is_wrong(CHANGED(reading, bits), "small_reads", 5.96);
	one_is_wrong(CHANGED(reading, again), "reopened_files", 2.98);
	bits.bytes = 100000; /* as often, as long, but not for little */
	again.opens = 1;     /* once a step, 60 times in all */
	run = CHANGED(reading, bits);
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
	run = CHANGED(reading, again);
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* As many samples as files: none is read often, all of them are. */
TEST(many_files_that_are_read_badly)
{
	struct reading bits = {
		.opens = 1, .reads = 20, .bytes = 100, .call_ns = 30 * US, .many = true
	};
	struct run run;

	one_is_wrong(CHANGED(reading, bits), "small_reads", 6.23);
	run = CHANGED(reading, bits);
	write_one(&run);
	assert_non_null(
		strstr(advice_of("small_reads")->text, "all 60 files that are read so have 1,200"));
	release();
	bits.reads = 10; /* little is read of any, as of modules that are imported */
	bits.call_ns = 60 * US;
	run = CHANGED(reading, bits);
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
	bits.reads = 16; /* in bits, but fewer than a thousand in all */
	run = CHANGED(reading, bits);
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* Only where the loop waits for the DataLoader, and the DataLoader for files. */
TEST(files_below_the_data_loader)
{
	struct run run = CHANGED(dataloader_ns, 1500 * US);

	run.reading.call_ns = 187 * US;
	write_one(&run);
	assert_true(only("dataloader_files", "dataloader")->value > 49 &&
		    only("dataloader_files", "dataloader")->value < 51);
	assert_non_null(strstr(advice_of("dataloader_files")->text, "there are no workers"));
	release();
	run.reading.in_loader = false;
	write_one(&run);
	assert_null(advice_of("dataloader_files"));
	release();
}
