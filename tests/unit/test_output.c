/* SPDX-License-Identifier: MIT */
/* links: collector */
/* collector/place.c and output.c: which name the file gets, and that it is valid however it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/region_fixture.h"

#include "collector/collector.h"
#include "collector/epoch.h"
#include "collector/place.h"

#define REGION_BYTES (4u << 20)

static char directory[64];
static char output[128];
static char path[PATH_MAX];

static int setup(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/intercept-unit-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(output, sizeof(output), "%s/run.evt", directory);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static struct place_request request_of(const char *session)
{
	return (struct place_request){ .output = output,
				       .session = session,
				       .host = "node",
				       .pid = 42,
				       .start_s = 1000,
				       .keep = 2 };
}

/* Opens a place and writes a file of that session into it; -1 or the descriptor, still locked. */
static int open_run(const char *session)
{
	struct place_request request = request_of(session);
	struct file_header header = { .version = FILE_VERSION, .clock = 1 };
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	int fd = place_open(&request, path);
	size_t length;

	strcpy(header.session, session);
	length = file_header_write(bytes, &header);
	if (fd >= 0)
		assert_int_equal(write(fd, bytes, length), length);
	return fd;
}

static void finished_run(const char *session)
{
	int fd = open_run(session);

	assert_true(fd >= 0);
	close(fd);
}

/* The session of a file, "" when there is no such file or it is not ours. */
static const char *session_of(const char *suffix)
{
	static struct file_header header;
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	char name[256];
	size_t length;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s%s", output, suffix);
	fd = open(name, O_RDONLY);
	if (fd < 0)
		return "";
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	return n > 0 && file_header_read(bytes, (size_t)n, &header, &length) == 0 ? header.session
										  : "";
}

static void new_file_is_private(void **state)
{
	struct stat st;
	int fd = open_run("one");

	(void)state;
	assert_true(fd >= 0);
	assert_string_equal(path, output);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void earlier_runs_are_kept_up_to_the_bound(void **state)
{
	(void)state;
	finished_run("one");
	finished_run("two");
	finished_run("three");
	finished_run("four");
	assert_string_equal(path, output);
	assert_string_equal(session_of(""), "four");
	assert_string_equal(session_of(".1"), "three");
	assert_string_equal(session_of(".2"), "two");
	assert_string_equal(session_of(".3"), "");
}

static void live_file_is_not_touched(void **state)
{
	int fd = open_run("one");
	int other = open_run("two");
	char beside[256];

	(void)state;
	snprintf(beside, sizeof(beside), "%s/run.node.42.1000.evt", directory);
	assert_string_equal(path, beside);
	assert_string_equal(session_of(""), "one");
	assert_string_equal(session_of(".1"), "");
	close(other);
	other = open_run("three");
	snprintf(beside, sizeof(beside), "%s/run.node.42.1000.1.evt", directory);
	assert_string_equal(path, beside);
	close(other);
	close(fd);
}

static void file_of_the_same_session_stays(void **state)
{
	(void)state;
	finished_run("one");
	finished_run("one");
	assert_string_not_equal(path, output);
	assert_string_equal(session_of(".1"), "");
}

static void empty_young_file_is_somebodys(void **state)
{
	(void)state;
	close(open(output, O_CREAT | O_WRONLY, 0600));
	finished_run("one");
	assert_string_not_equal(path, output);
}

static void foreign_file_is_moved_but_never_removed(void **state)
{
	int fd = open(output, O_CREAT | O_WRONLY, 0600);
	char name[256];

	(void)state;
	assert_int_equal(write(fd, "notes of mine", 13), 13);
	close(fd);
	finished_run("one");   /* notes become .1 */
	finished_run("two");   /* .2 */
	finished_run("three"); /* ours would be dropped here */
	assert_string_equal(session_of(""), "three");
	assert_string_equal(session_of(".1"), "two");
	assert_string_equal(session_of(".2"), "one");
	snprintf(name, sizeof(name), "%s.3", output);
	assert_int_equal(access(name, F_OK), 0);
}

static void symbolic_link_is_not_followed(void **state)
{
	char target[256];

	(void)state;
	snprintf(target, sizeof(target), "%s/victim", directory);
	assert_int_equal(symlink(target, output), 0);
	finished_run("one");
	assert_string_not_equal(path, output);
	assert_int_equal(access(target, F_OK), -1);
}

static void directory_in_the_way_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(mkdir(output, 0700), 0);
	finished_run("one");
	assert_string_not_equal(path, output);
	assert_int_equal(rmdir(output), 0);
}

static void missing_directory_is_an_error(void **state)
{
	struct place_request request = request_of("one");

	(void)state;
	request.output = "/nonexistent-directory/run.evt";
	assert_int_equal(place_open(&request, path), -1);
	assert_int_equal(errno, ENOENT);
}

static void null_device_may_be_written(void **state)
{
	struct place_request request = request_of("one");
	int fd;

	(void)state;
	request.output = "/dev/null";
	fd = place_open(&request, path);
	assert_true(fd >= 0);
	assert_string_equal(path, "/dev/null");
	close(fd);
}

/* --- what happens when the disk is full --- */

static struct fixture f;
static struct collector c;
static struct content content;

static void collector_begin(uint64_t max_file_bytes)
{
	fixture_init(&f, REGION_BYTES);
	f.header->max_file_bytes = max_file_bytes;
	fixture_add_process(&f, 0, (uint32_t)getpid());
	assert_int_equal(
		collector_init(&c, &(struct collector_start){ .base = f.base, .bytes = f.bytes }),
		0);
}

/* Records that do not compress well; returns how many. */
static uint64_t record_frames(struct region_ring *ring, unsigned int frames)
{
	uint64_t seed = 1;

	for (unsigned int i = 0; i < frames; i++) {
		for (unsigned int j = 0; j < 2000; j++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			fixture_put_malloc(&f, ring, seed >> 20, seed >> 40, 0x401122);
		}
		collector_turn(&c);
		epoch_close(&c, EPOCH_NOW);
	}
	return frames * 2000ull;
}

static void collector_end(void)
{
	collector_finish(&c);
	content_read(&content, f.output);
	collector_release(&c);
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void full_disk_loses_and_counts(void **state)
{
	uint64_t put;

	(void)state;
	collector_begin(0);
	put = record_frames(fixture_add_ring(&f, 0, 0, 77), 3);
	limit_file_size((rlim_t)c.output.bytes + 10000);
	put += record_frames(&f.ring[0], 3);
	limit_file_size(0);
	collector_end();
	assert_true(content.ended);
	assert_true(content_lost(&content, EVT_LOST_DISK) > 0);
	assert_int_equal(
		content_count(&content, EVT_malloc) + content_lost(&content, EVT_LOST_DISK), put);
	assert_int_equal(content.end.lost, content_lost(&content, EVT_LOST_DISK));
	fixture_release(&f);
}

/* Nothing can be written any more: what was written stays a valid stream of whole frames. */
static void disk_full_for_good_leaves_whole_frames(void **state)
{
	struct stat st;

	(void)state;
	collector_begin(0);
	record_frames(fixture_add_ring(&f, 0, 0, 77), 3);
	limit_file_size((rlim_t)c.output.bytes);
	record_frames(&f.ring[0], 3);
	assert_int_equal(stat(f.output, &st), 0);
	assert_int_equal(st.st_size, c.output.bytes);
	collector_end();
	limit_file_size(0);
	assert_false(content.ended);
	assert_int_equal(content.frames, 3);
	assert_int_equal(content_count(&content, EVT_malloc), 6000);
	fixture_release(&f);
}

static void limit_is_kept_and_losses_are_told(void **state)
{
	struct stat st;
	uint64_t put;

	(void)state;
	collector_begin(100000);
	put = record_frames(fixture_add_ring(&f, 0, 0, 77), 20);
	collector_end();
	assert_int_equal(stat(f.output, &st), 0);
	assert_in_range(st.st_size, 50000, 100000);
	assert_true(content.ended);
	assert_true(content_lost(&content, EVT_LOST_LIMIT) > 0);
	assert_int_equal(
		content_count(&content, EVT_malloc) + content_lost(&content, EVT_LOST_LIMIT), put);
	fixture_release(&f);
}

static void unwritable_place_is_said(void **state)
{
	(void)state;
	fixture_init(&f, REGION_BYTES);
	strcpy(f.header->output, "/nonexistent-directory/run.evt");
	fixture_add_process(&f, 0, (uint32_t)getpid());
	assert_int_equal(
		collector_init(&c, &(struct collector_start){ .base = f.base, .bytes = f.bytes }),
		-1);
	assert_int_equal(f.header->collector_state, REGION_COLLECTOR_FAILED);
	assert_string_equal(
		f.header->collector_error,
		"cannot create '/nonexistent-directory/run.evt': No such file or directory; "
		"set INTERCEPT_OUTPUT to a writable path");
	fixture_release(&f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(new_file_is_private),
		TEST(earlier_runs_are_kept_up_to_the_bound),
		TEST(live_file_is_not_touched),
		TEST(file_of_the_same_session_stays),
		TEST(empty_young_file_is_somebodys),
		TEST(foreign_file_is_moved_but_never_removed),
		TEST(symbolic_link_is_not_followed),
		TEST(directory_in_the_way_is_left_alone),
		TEST(missing_directory_is_an_error),
		TEST(null_device_may_be_written),
		TEST(full_disk_loses_and_counts),
		TEST(disk_full_for_good_leaves_whole_frames),
		TEST(limit_is_kept_and_losses_are_told),
		TEST(unwritable_place_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
