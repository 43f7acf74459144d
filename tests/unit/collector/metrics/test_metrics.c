/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/metrics: the union of intervals in any order, live bytes by a sample, text and the
 * file that is replaced.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/metrics/busy.h"
#include "collector/metrics/exposition.h"
#include "collector/metrics/heap_live.h"
#include "collector/metrics/metrics_file.h"

static uint64_t random_state = 1;

static uint64_t random_next(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 33;
}

TEST(busy_is_the_union_in_any_order)
{
	static bool covered[20000];
	struct busy busy = { 0 };
	uint64_t expected = 0;

	for (unsigned int i = 0; i < 3000; i++) {
		uint64_t start = random_next() % 19000, end = start + random_next() % 9;

		for (uint64_t at = start; at < end; at++)
			covered[at] = true;
		busy_add(&busy, start, end);
	}
	for (size_t i = 0; i < sizeof(covered) / sizeof(covered[0]); i++)
		expected += covered[i];
	busy_settle(&busy, 10000);
	busy_settle(&busy, UINT64_MAX);
	assert_true(busy.busy_ns == expected);
	assert_int_equal(busy.late, 0);
	busy_add(&busy, 0, 5);
	assert_int_equal(busy.late, 1);
	busy_add(&busy, 7, 3);
	assert_int_equal(busy.count, 1);
	busy_release(&busy);
}

TEST(busy_is_bounded)
{
	struct busy busy = { 0 };

	for (uint64_t i = 0; i < 10 * BUSY_PIECES_MAX; i++)
		busy_add(&busy, 10 * (i ^ 1), 10 * (i ^ 1) + 4);
	assert_true(busy.room <= BUSY_PIECES_MAX);
	busy_settle(&busy, UINT64_MAX);
	assert_true(busy.busy_ns >= 39ull * BUSY_PIECES_MAX &&
		    busy.busy_ns <= 40ull * BUSY_PIECES_MAX);
	busy_release(&busy);
}

#define BLOCKS 600000u

TEST(live_bytes_are_close_and_end_at_zero)
{
	struct heap_live *live = calloc(1, sizeof(*live));
	uint64_t exact = 0, estimate;

	assert_int_equal(heap_live_init(live), 0);
	for (uint64_t i = 0; i < BLOCKS; i++) {
		uint64_t bytes = i % 1000 ? 16 + i % 977 : 1u << 20;

		exact += bytes;
		heap_live_born(live, 3, 0x550000000000 + i * 32, bytes);
	}
	estimate = heap_live_bytes(live, 3);
	assert_true(estimate > exact - exact / 20 && estimate < exact + exact / 20);
	assert_true(live->slots <= HEAP_LIVE_SLOTS_MAX && live->used <= live->slots / 2);
	assert_int_equal(heap_live_bytes(live, 4), 0);
	heap_live_dies(live, 4, 0x550000000000);
	for (uint64_t i = 0; i < BLOCKS; i++)
		heap_live_dies(live, 3, 0x550000000000 + i * 32);
	assert_int_equal(heap_live_bytes(live, 3), 0);
	assert_int_equal(live->used, 0);
	heap_live_release(live);
	free(live);
}

TEST(large_blocks_are_exact)
{
	struct heap_live *live = calloc(1, sizeof(*live));

	assert_int_equal(heap_live_init(live), 0);
	for (uint64_t i = 1; i <= 1000; i++)
		heap_live_born(live, 0, i << 20, 100000 + i);
	for (uint64_t i = 1; i <= 500; i++)
		heap_live_dies(live, 0, i << 20);
	assert_int_equal(heap_live_bytes(live, 0), 500 * 100000 + (501 + 1000) * 500 / 2);
	heap_live_born(live, 0, 501 << 20, 100000); /* its free() was lost */
	assert_int_equal(heap_live_bytes(live, 0), 500 * 100000 + (502 + 1000) * 499 / 2);
	heap_live_forget(live, 0);
	assert_int_equal(heap_live_bytes(live, 0), 0);
	assert_int_equal(live->used, 0);
	heap_live_release(live);
	free(live);
}

/* Any number may be an address or a size; more large blocks than there is room for. */
TEST(live_bytes_survive_anything)
{
	struct heap_live *live = calloc(1, sizeof(*live));

	assert_int_equal(heap_live_init(live), 0);
	for (uint64_t i = 0; i < 400000; i++) {
		heap_live_born(live, (unsigned int)(i % HEAP_LIVE_HEAPS), random_next() << 4,
			       ~i << 20);
		heap_live_dies(live, (unsigned int)(i % HEAP_LIVE_HEAPS), random_next() << 4);
	}
	assert_true(live->used <= live->slots / 2);
	assert_true(live->slots <= HEAP_LIVE_SLOTS_MAX);
	for (unsigned int i = 0; i < HEAP_LIVE_HEAPS; i++)
		heap_live_forget(live, i);
	assert_int_equal(live->used, 0);
	heap_live_release(live);
	free(live);
}

TEST(text_is_escaped)
{
	const struct exposition_label label[] = { { "host", "a\"b\\c\nd\x01\xff" },
						  { "rank", "" },
						  { "pid", "7" } };
	struct exposition e = { 0 };

	exposition_begin(&e, "x_total", "counter", "An x.");
	exposition_put_count(&e, "", label, 3, 12);
	exposition_put_ns(&e, "", label, 0, 1500000001);
	assert_string_equal(e.text, "# HELP intercept_x_total An x.\n"
				    "# TYPE intercept_x_total counter\n"
				    "intercept_x_total{host=\"a\\\"b\\\\c\\nd??\",pid=\"7\"} 12\n"
				    "intercept_x_total 1.500000001\n");
	exposition_release(&e);
}

#define TEXT "# HELP intercept_up 1\n"

static int replace(struct metrics_file *file, char *why)
{
	return metrics_file_replace(file, TEXT, sizeof(TEXT) - 1, why);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

TEST(only_own_files_are_replaced)
{
	char folder[] = "/tmp/test_metrics.XXXXXX", path[64], why[METRICS_FILE_WHY_BYTES] = "";
	struct metrics_file file;
	struct stat info;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.prom", folder);
	metrics_file_init(&file, path, 7);
	assert_int_equal(replace(&file, why), 0);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0644);
	assert_int_equal(replace(&file, why), 0);
	put_file(path, "import torch\n");
	assert_int_equal(replace(&file, why), -1);
	assert_non_null(strstr(why, "no metrics of intercept"));
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(replace(&file, why), -1);
	assert_non_null(strstr(why, "no regular file"));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(replace(&file, why), -1);
	rmdir(path);
	assert_int_equal(rmdir(folder), 0); /* nothing was left in it */
	assert_int_equal(replace(&file, why), -1);
}

TEST(another_collector_keeps_the_name)
{
	char folder[] = "/tmp/test_metrics.XXXXXX", path[64], why[METRICS_FILE_WHY_BYTES];
	struct metrics_file one, other;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.prom", folder);
	metrics_file_init(&one, path, 7);
	metrics_file_init(&other, path, 8);
	assert_int_equal(replace(&one, why), 0);
	assert_int_equal(replace(&other, why), 0);
	assert_int_equal(replace(&one, why), 0);
	assert_int_equal(replace(&other, why), 0);
	assert_string_equal(other.path, path);
	assert_string_equal(strrchr(one.path, '/'), "/x.7.prom");
	unlink(one.path);
	unlink(other.path);
	assert_int_equal(rmdir(folder), 0);
}
