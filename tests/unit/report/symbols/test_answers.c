/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/symbols/answers.c and symbol_cache.c: what is known of addresses, its bytes, and those
 * kept between runs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "report/symbols/answers.h"
#include "report/symbols/symbol_cache.h"

#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"

static const struct object_place inlined = {
	.frame = { { "inner", "a.c", 7 }, { "outer", "b.c", 8 } },
	.frames = 2,
	.offset = 0x20,
};
static const struct object_place bare = { .frame = { { "bare", NULL, 0 } },
					  .frames = 1,
					  .offset = 3 };
static const struct object_place unknown = { .frames = 0, .offset = UINT64_MAX };

static void fill(struct answers *answers)
{
	answers_init(answers);
	answers_add(answers, 0x2000, &bare);
	answers_add(answers, 0, &inlined);
	answers_add(answers, 0xfffffffffffffffe, &unknown);
	answers_add(answers, UINT64_MAX, &bare); /* no such address: not kept */
}

static void expect_place(const struct answers *answers, uint64_t address,
			 const struct object_place *wanted)
{
	struct object_place place = { .frames = 99 };

	assert_true(answers_find(answers, address, &place));
	assert_int_equal(place.frames, wanted->frames);
	assert_int_equal(place.offset, wanted->offset);
	for (size_t i = 0; i < place.frames; i++) {
		assert_string_equal(place.frame[i].function, wanted->frame[i].function);
		assert_int_equal(place.frame[i].line, wanted->frame[i].line);
		if (wanted->frame[i].file)
			assert_string_equal(place.frame[i].file, wanted->frame[i].file);
		else
			assert_null(place.frame[i].file);
	}
}

static void expect_filled(const struct answers *answers)
{
	struct object_place place;

	expect_place(answers, 0, &inlined);
	expect_place(answers, 0x2000, &bare);
	expect_place(answers, 0xfffffffffffffffe, &unknown);
	assert_false(answers_find(answers, 1, &place));
	assert_false(answers_find(answers, UINT64_MAX, &place));
}

TEST(bytes_and_back)
{
	static const struct answers_subject subject = {
		.process = 3, .path = "/lib/a.so", .build_id = "00ff", .link = "l", .basis = "b"
	};
	struct answers answers, again;
	uint8_t *bytes, *same;
	size_t length, same_length;

	fill(&answers);
	expect_filled(&answers);
	bytes = answers_write(&answers, &subject, &length);
	assert_non_null(bytes);
	answers_init(&again);
	assert_true(answers_read(&again, bytes, length));
	expect_filled(&again);
	assert_int_equal(again.subject.process, 3);
	assert_string_equal(again.subject.path, "/lib/a.so");
	assert_string_equal(again.subject.build_id, "00ff");
	assert_string_equal(again.subject.link, "l");
	assert_string_equal(again.subject.basis, "b");
	same = answers_write(&again, &again.subject, &same_length);
	assert_int_equal(same_length, length);
	assert_memory_equal(same, bytes, length);
	answers_add(&again, 0, &bare); /* another answer */
	expect_place(&again, 0, &bare);
	free(same);
	free(bytes);
	answers_release(&again);
	answers_release(&answers);
}

TEST(bytes_that_are_damaged)
{
	struct answers answers, again;
	size_t length;
	uint8_t *bytes;

	fill(&answers);
	bytes = answers_write(&answers, &answers.subject, &length);
	answers_init(&again);
	for (size_t i = 0; i < length; i++) {
		assert_false(answers_read(&again, bytes, i)); /* cut off */
		bytes[i] ^= 0x41;
		assert_false(answers_read(&again, bytes, length));
		bytes[i] ^= 0x41;
		assert_int_equal(again.count, 0);
	}
	assert_true(answers_read(&again, bytes, length));
	free(bytes);
	answers_release(&again);
	answers_release(&answers);
}

/* As many texts as bytes, all of them empty: room for what a file says is not taken at once. */
TEST(a_file_of_nothing_takes_little)
{
	static uint8_t bytes[1u << 20];
	size_t head, count = sizeof(bytes) - 64, length;
	struct answers answers;
	uint8_t *empty;
	uint64_t hash;

	answers_init(&answers);
	empty = answers_write(&answers, &answers.subject, &length);
	head = length - 2 - sizeof(hash); /* without how many texts and addresses */
	memcpy(bytes, empty, head);
	for (size_t left = count; left; left >>= 7)
		bytes[head++] = (uint8_t)((left & 0x7f) | (left >> 7 ? 0x80 : 0));
	length = head + count + 1;
	hash = XXH64(bytes, length, 0);
	memcpy(bytes + length, &hash, sizeof(hash));
	assert_true(answers_read(&answers, bytes, length + sizeof(hash)));
	assert_int_equal(answers.text_count, count);
	assert_int_equal(answers.count, 0);
	assert_in_range(answers.texts.mask, 1, count);
	free(empty);
	answers_release(&answers);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static size_t count_files(const char *folder)
{
	DIR *open_folder = opendir(folder);
	size_t count = 0;

	assert_non_null(open_folder);
	for (const struct dirent *entry; (entry = readdir(open_folder));)
		count += entry->d_name[0] != '.';
	closedir(open_folder);
	return count;
}

static void load(struct answers *answers, const char *path)
{
	answers_release(answers);
	answers_init(answers);
	symbol_cache_load(answers, path, BUILD_ID);
}

TEST(answers_between_runs)
{
	static const char cached[] = "cache/deep/" BUILD_ID ".symbols";
	struct answers answers, found;

	setenv(CACHE_VARIABLE, "cache/deep", 1);
	write_file("subject", "code");
	fill(&answers);
	answers_init(&found);
	load(&found, "subject");
	assert_int_equal(found.count, 0);
	symbol_cache_save(&answers, "subject", BUILD_ID, "subject.debug");
	load(&found, "subject");
	expect_filled(&found);
	/* debug information appears: what is complete stays, the rest is looked up again */
	write_file("subject.debug", "lines");
	load(&found, "./subject");
	expect_place(&found, 0, &inlined);
	assert_int_equal(found.count, 1);
	/* names that are no build-ids, of a hostile recording */
	symbol_cache_save(&answers, "subject", "../../00000000", "");
	symbol_cache_save(&answers, "subject", "", "");
	assert_int_equal(count_files("cache/deep"), 1);
	/* what is no file of answers */
	write_file(cached, "SYMB and nothing else");
	load(&found, "subject");
	assert_int_equal(found.count, 0);
	symbol_cache_save(&answers, "subject", BUILD_ID, "");
	load(&found, "subject");
	expect_filled(&found);
	assert_int_equal(rename(cached, "cache/elsewhere"), 0);
	assert_int_equal(symlink("../elsewhere", cached), 0);
	load(&found, "subject");
	assert_int_equal(found.count, 0);
	unlink(cached);
	assert_int_equal(mkfifo(cached, 0600), 0);
	load(&found, "subject"); /* nobody writes to it: not waited for */
	assert_int_equal(found.count, 0);
	setenv(CACHE_VARIABLE, "off", 1);
	symbol_cache_save(&answers, "subject", BUILD_ID, "");
	assert_int_equal(access("off", F_OK), -1);
	setenv(CACHE_VARIABLE, "subject/no/folder", 1);
	symbol_cache_save(&answers, "subject", BUILD_ID, "");
	answers_release(&answers);
	answers_release(&found);
}

static void set_age(const char *path, time_t seconds)
{
	const struct timespec times[] = { { time(NULL) - seconds, 0 },
					  { time(NULL) - seconds, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(what_is_oldest_goes_first)
{
	assert_int_equal(mkdir("trimmed", 0700), 0);
	write_file("trimmed/aaaa.symbols", "1234567890");
	write_file("trimmed/bbbb.symbols", "1234567890");
	write_file("trimmed/cccc.symbols", "1234567890");
	write_file("trimmed/not-ours", "1234567890");
	write_file("trimmed/new-abcdef", "half");
	write_file("trimmed/new-ghijkl", "half, by a writer at work");
	set_age("trimmed/aaaa.symbols", 10000);
	set_age("trimmed/bbbb.symbols", 30000);
	set_age("trimmed/cccc.symbols", 20000);
	set_age("trimmed/not-ours", 90000);
	set_age("trimmed/new-abcdef", 90000);
	symbol_cache_trim("trimmed", 30);
	assert_int_equal(access("trimmed/bbbb.symbols", F_OK), 0);
	assert_int_equal(access("trimmed/new-abcdef", F_OK), -1);
	assert_int_equal(access("trimmed/new-ghijkl", F_OK), 0);
	symbol_cache_trim("trimmed", 20);
	assert_int_equal(access("trimmed/bbbb.symbols", F_OK), -1);
	assert_int_equal(access("trimmed/cccc.symbols", F_OK), 0);
	symbol_cache_trim("trimmed", 0);
	assert_int_equal(count_files("trimmed"), 2);
	symbol_cache_trim("no-such-folder", 0);
}
