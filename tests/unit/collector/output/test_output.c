/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/output/output_name.c and output.c: which name the file gets, and that it is valid
 * however it ends.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/region_fixture.h"

#include "collector/turn/collector.h"
#include "collector/processes/proc.h"
#include "collector/processes/living.h"
#include "collector/turn/epoch.h"
#include "collector/output/handover.h"
#include "collector/output/output_name.h"

#define REGION_BYTES (16u << 20) /* record_frames() puts 48 KB into a ring */

static char directory[64];
static char output[128];
static char path[PATH_MAX];
static const char *why; /* the last place was refused */

static int setup(void **state)
{
	snprintf(directory, sizeof(directory), "/tmp/intercept-unit-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(output, sizeof(output), "%s/run.evt", directory);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static const char *output_name_why; /* of a file that could not be opened */

static struct output_name_request request_of(const char *session)
{
	return (struct output_name_request){ .output = output,
					     .session = session,
					     .host = "node",
					     .pid = 42,
					     .start_s = 1000,
					     .keep = 2,
					     .lives = living_has };
}

/* Opens a place and writes a file of that session into it; -1 or the descriptor, still locked. */
static int open_run(const char *session)
{
	struct output_name_request request = request_of(session);
	struct file_header header = { .version = FILE_VERSION, .clock = 1 };
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	int fd = output_name_open(&request, path, &why);
	size_t length;

	strcpy(header.session, session);
	length = file_header_write(bytes, &header);
	if (fd >= 0)
		assert_int_equal(write(fd, bytes, length), length);
	return fd;
}

static void finished_large_run(const char *session, off_t bytes)
{
	struct output_name_request request = request_of(session);
	int fd = open_run(session);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(bytes ? ftruncate(fd, bytes) : 0, 0);
	assert_int_equal(fstat(fd, &st), 0);
	request.output = path;
	output_name_settle(&request, (uint64_t)st.st_size);
	close(fd);
}

static void finished_run(const char *session)
{
	finished_large_run(session, 0);
}

static const char *session_path(const char *suffix)
{
	static char name[256];

	snprintf(name, sizeof(name), "%s%s", output, suffix);
	return name;
}

/* The session of a file, "" when there is no such file or it is not ours. */
static const char *session_of(const char *suffix)
{
	static struct file_header header;
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	size_t length;
	ssize_t n;
	int fd;

	fd = open(session_path(suffix), O_RDONLY);
	if (fd < 0)
		return "";
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	return n > 0 && file_header_read(bytes, (size_t)n, &header, &length) == 0 ? header.session
										  : "";
}

TEST_BOTH(new_file_is_private, setup, teardown)
{
	struct stat st;
	int fd = open_run("one");

	assert_true(fd >= 0);
	assert_string_equal(path, output);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

TEST_BOTH(earlier_runs_are_kept_up_to_the_bound, setup, teardown)
{
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

TEST_BOTH(live_file_is_not_touched, setup, teardown)
{
	int fd = open_run("one");
	int other = open_run("two");
	char beside[256];

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

TEST_BOTH(file_of_the_same_session_stays, setup, teardown)
{
	finished_run("one");
	finished_run("one");
	assert_string_not_equal(path, output);
	assert_string_equal(session_of(".1"), "");
}

TEST_BOTH(file_of_a_session_with_another_writer_stays, setup, teardown)
{
	struct output_name_request request = request_of("one");
	int guard = -1, fd;

	finished_run("one");
	request.ret_guard = &guard;
	fd = output_name_open(
		&request, path,
		&output_name_why); /* a child of the first one, with a file of its own */
	assert_true(fd >= 0 && guard >= 0);
	finished_run("two");
	assert_string_equal(session_of(""), "one");
	assert_string_equal(session_of(".1"), "");
	close(guard);
	close(fd);
	finished_run("three");
	assert_string_equal(session_of(""), "three");
	assert_string_equal(session_of(".1"), "one");
}

TEST_BOTH(writers_of_a_session_do_not_disturb_each_other, setup, teardown)
{
	struct output_name_request request = request_of("one");
	int guard = -1, fd = open_run("one"), other;

	request.ret_guard = &guard;
	other = output_name_open(&request, path, &output_name_why);
	assert_true(fd >= 0 && other >= 0 && guard >= 0);
	close(guard);
	close(other);
	close(fd);
}

/* A process of that session, made up; in the middle of its exec it has no environment yet. */
static pid_t process_of(const char *session)
{
	static const char name[] = "INTERCEPT_SESSION=";
	char environment[64], text[64], seen[64];
	char *argv[] = { (char *)"sleep", (char *)"60", NULL };
	size_t length = 0;
	char *envp[] = { (char *)"A=1", text, NULL };
	pid_t pid;

	snprintf(text, sizeof(text), "INTERCEPT_SESSION=%s:1:/x", session);
	assert_int_equal(posix_spawn(&pid, "/bin/sleep", NULL, NULL, argv, envp), 0);
	snprintf(environment, sizeof(environment), "/proc/%d/environ", (int)pid);
	/* an emulator may return before the program runs */
	while (!memmem(seen, length, name, sizeof(name) - 1)) {
		usleep(1000);
		length = proc_read_file(environment, seen, sizeof(seen));
	}
	return pid;
}

TEST_BOTH(file_of_a_session_with_a_process_stays, setup, teardown)
{
	char session[32];
	pid_t pid;

	snprintf(session, sizeof(session), "living%d", (int)getpid());
	finished_run(session);
	pid = process_of(session);
	finished_run("two");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_string_equal(session_of(""), session);
	assert_string_equal(session_of(".1"), "");
	finished_run("three");
	assert_string_equal(session_of(""), "three");
	assert_string_equal(session_of(".1"), session);
}

/* The beginning of a name is not the name. */
TEST_BOTH(file_of_a_session_that_is_over_is_moved, setup, teardown)
{
	pid_t pid;

	finished_run("live");
	pid = process_of("lives");
	finished_run("two");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_string_equal(session_of(""), "two");
}

TEST_BOTH(large_file_does_not_give_way_to_tiny_ones, setup, teardown)
{
	finished_large_run("large", 1 << 20);
	finished_large_run("larger", 2 << 20);
	finished_run("tiny one");
	finished_run("tiny two"); /* three were there: the tiny one goes */
	assert_string_equal(session_of(""), "tiny two");
	finished_run("tiny three");
	finished_run("tiny four");
	assert_string_equal(session_of(""), "tiny four");
	finished_large_run("largest", 1 << 20);
	finished_large_run("last", 1 << 20);
	finished_large_run("really", 1 << 20);
	assert_string_equal(session_of(""), "really");
	assert_string_equal(session_of(".1"), "last");
	assert_string_equal(session_of(".2"), "largest");
	for (int i = 3; i < 9; i++) {
		char suffix[4] = { '.', (char)('0' + i), 0 };

		assert_string_equal(session_of(suffix), "");
	}
}

TEST_BOTH(empty_young_file_is_somebodys, setup, teardown)
{
	close(open(output, O_CREAT | O_WRONLY, 0600));
	finished_run("one");
	assert_string_not_equal(path, output);
}

/* A file of that session at the name, finished, of a program that is of interest or not. */
static void standing_run(const char *session, const char *program, uint32_t flags)
{
	struct file_header header = { .version = FILE_VERSION, .flags = flags };
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	struct output_name_request request = request_of(session);
	int fd = output_name_open(&request, path, &why);
	size_t length;

	assert_true(fd >= 0);
	strcpy(header.session, session);
	strcpy(header.program, program);
	length = file_header_write(bytes, &header);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

TEST_BOTH(plain_program_makes_no_way_through_a_recording_of_interest, setup, teardown)
{
	struct file_header header = { .version = FILE_VERSION };
	struct output_name_request request = request_of("passing");
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	char name[PATH_MAX];
	int fd;

	standing_run("training", "python3", FILE_OF_INTEREST);
	request.plain = true;
	request.program = "ls";
	fd = output_name_open(&request, path, &why);
	assert_true(fd >= 0);
	strcpy(header.session, "passing");
	assert_true(write(fd, bytes, file_header_write(bytes, &header)) > 0);
	close(fd);
	assert_string_not_equal(path, output);
	assert_string_equal(session_of(""), "training");
	/* worth it after all: takes the name, and the other gets a number */
	snprintf(name, sizeof(name), "%s", path);
	assert_true(handover_take(&request, name));
	assert_string_equal(name, output);
	assert_string_equal(session_of(".1"), "training");
	/* the same program again is another run */
	standing_run("first", "a.out", 0);
	request.session = "second";
	request.program = "a.out";
	fd = output_name_open(&request, path, &why);
	assert_true(fd >= 0);
	close(fd);
	assert_string_equal(path, output);
	assert_string_equal(session_of(".1"), "first");
}

static int open_beside(const struct output_name_request *request, char *ret_name)
{
	struct output_name_request beside = *request;
	int fd;

	beside.beside = true;
	fd = output_name_open(&beside, ret_name, &why);
	assert_true(fd >= 0);
	return fd;
}

TEST_BOTH(plain_writer_is_asked_for_its_name_and_leaves_it, setup, teardown)
{
	struct file_header header = { .version = FILE_VERSION };
	struct output_name_request request = request_of("tee"), other = request_of("python");
	struct rotation asking = { .session = "python" };
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	char name[PATH_MAX];
	int fd, ask;

	asking.output = output;
	request.pid = 43;
	fd = output_name_open(&request, name, &why);
	assert_true(fd >= 0);
	strcpy(header.session, "tee");
	strcpy(header.program, "tee");
	assert_true(write(fd, bytes, file_header_write(bytes, &header)) > 0);
	assert_false(rotation_is_asked(fd));
	ask = rotation_ask(&asking);
	assert_true(ask >= 0);
	assert_true(rotation_is_asked(fd));
	assert_true(handover_leave(&request, name));
	assert_string_equal(session_of(""), "");
	close(ask);
	assert_false(rotation_is_asked(fd));
	close(fd);
	fd = output_name_open(&other, path, &why);
	assert_true(fd >= 0);
	assert_string_equal(path, output);
	close(fd);
	/* one of interest is not asked */
	standing_run("training", "python3", FILE_OF_INTEREST);
	asking.session = "another";
	assert_int_equal(rotation_ask(&asking), -1);
}

/*
 * `python train.py | tee log`: tee may take the name, once more or for the first time, when it
 * ends.
 */
TEST_BOTH(what_a_plain_program_wrote_meanwhile_is_removed, setup, teardown)
{
	static const struct timespec before = { .tv_sec = 1000 }, since = { .tv_sec = 3000 };
	struct output_name_request request = request_of("python");
	char name[PATH_MAX];

	request.began_ns = 2000ull * 1000000000u;
	for (int ran_before = 0; ran_before < 2; ran_before++) {
		struct timespec times[2] = { ran_before ? before : since };

		times[1] = times[0];
		standing_run("tee", "tee", 0);
		assert_int_equal(utimensat(AT_FDCWD, output, times, 0), 0);
		close(open_beside(&request, name));
		assert_true(handover_take(&request, name));
		assert_string_equal(name, output);
		assert_string_equal(session_of(".1"), ran_before ? "tee" : "");
		assert_int_equal(unlink(output), 0);
	}
	/* one of interest is somebody's run, whenever it ended */
	standing_run("training", "python3", FILE_OF_INTEREST);
	close(open_beside(&request, name));
	assert_true(handover_take(&request, name));
	assert_string_equal(session_of(".1"), "training");
}

TEST_BOTH(foreign_file_is_moved_but_never_removed, setup, teardown)
{
	int fd = open(output, O_CREAT | O_WRONLY, 0600);
	char name[256];

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

/* A folder of its own for what links lead to; `name` in it, in `ret_target`. */
static void elsewhere(const char *name, char ret_target[256])
{
	snprintf(ret_target, 256, "%s/elsewhere", directory);
	assert_true(!mkdir(ret_target, 0700) || errno == EEXIST);
	snprintf(ret_target, 256, "%s/elsewhere/%s", directory, name);
}

TEST_BOTH(link_means_what_it_leads_to, setup, teardown)
{
	char target[256], moved[300], second[256];

	elsewhere("data.evt", target);
	assert_int_equal(symlink(target, output), 0); /* nothing there yet */
	finished_run("one");
	assert_string_equal(path, target);
	assert_string_equal(session_of(""), "one");
	finished_run("two"); /* the older one moves in its own folder, the link stays */
	assert_string_equal(path, target);
	assert_string_equal(session_of(""), "two");
	assert_string_equal(session_of(".1"), "");
	snprintf(moved, sizeof(moved), "%s.1", target);
	assert_int_equal(access(moved, F_OK), 0);
	/* a link to a link, relative to its folder; one beside it that is taken goes there, too */
	snprintf(second, sizeof(second), "%s/again.evt", directory);
	assert_int_equal(symlink("run.evt", second), 0);
	strcpy(output, second);
	int fd = open_run("three");
	assert_string_equal(path, target);
	finished_run("four");
	elsewhere("data.node.42.1000.evt", moved);
	assert_string_equal(path, moved);
	close(fd);
}

TEST_BOTH(link_in_a_circle_is_refused, setup, teardown)
{
	assert_int_equal(symlink("run.evt", output), 0);
	assert_int_equal(open_run("one"), -1);
	assert_string_equal(path, output);
}

/* Somebody else could have it lead to any file of ours. */
TEST_BOTH(link_of_another_user_is_refused, setup, teardown)
{
	char target[256], folder[256];

	if (geteuid())
		skip();
	elsewhere("data.evt", target);
	assert_int_equal(symlink(target, output), 0);
	assert_int_equal(lchown(output, 12345, 12345), 0);
	assert_int_equal(open_run("one"), -1);
	assert_non_null(why);
	assert_string_equal(path, output);
	assert_int_equal(lchown(output, 0, 0), 0);
	assert_int_equal(chown(directory, 12345, 12345), 0);
	assert_int_equal(open_run("one"), -1);
	assert_non_null(why);
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(chown(directory, 0, 0), 0);
	/* what it leads to is the user's word, whoever the folder belongs to */
	snprintf(folder, sizeof(folder), "%s/elsewhere", directory);
	assert_int_equal(chown(folder, 12345, 12345), 0);
	finished_run("one");
	assert_string_equal(path, target);
}

TEST_BOTH(link_to_a_directory_is_a_directory, setup, teardown)
{
	char target[256], wanted[256];

	elsewhere(".", target);
	assert_int_equal(symlink(target, output), 0);
	finished_run("one");
	snprintf(wanted, sizeof(wanted), "%s/run.node.42.1000.evt", directory);
	assert_string_equal(path, wanted);
}

static void refused(const char *name)
{
	struct output_name_request request = request_of("one");

	request.output = name;
	why = NULL;
	if (output_name_open(&request, path, &why) != -1 || !why)
		fail_msg("'%s' is not refused", name);
}

TEST_BOTH(what_is_no_file_is_refused, setup, teardown)
{
	char target[256];

	assert_int_equal(mkfifo(output, 0600), 0);
	refused(output);
	elsewhere("fifo", target);
	assert_int_equal(rename(output, target), 0);
	assert_int_equal(symlink(target, output), 0);
	refused(output);
	assert_int_equal(unlink(output), 0);
	assert_int_equal(symlink("/dev/null", output), 0);
	refused(output);
}

TEST_BOTH(system_folders_are_refused, setup, teardown)
{
	const char *names[] = { "/dev/null",           "/dev/full",        "/dev/tty",
				"/dev/stdout",         "/dev/fd/2",        "/proc/self/fd/1",
				"/dev/../dev/new.evt", "/proc/x.evt",      "/dev/x.evt",
				"/dev/pts/0",          "/dev/shm/../x.evt" };
	char target[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		refused(names[i]);
	/* through a folder that is a link, too */
	snprintf(target, sizeof(target), "%s/system", directory);
	assert_int_equal(symlink("/dev", target), 0);
	strcat(target, "/x.evt");
	refused(target);
	assert_int_equal(access("/dev/x.evt", F_OK), -1);
}

TEST_BOTH(directory_in_the_way_is_left_alone, setup, teardown)
{
	assert_int_equal(mkdir(output, 0700), 0);
	finished_run("one");
	assert_string_not_equal(path, output);
	assert_int_equal(rmdir(output), 0);
}

TEST_BOTH(missing_directory_is_an_error, setup, teardown)
{
	struct output_name_request request = request_of("one");

	request.output = "/nonexistent-directory/run.evt";
	assert_int_equal(output_name_open(&request, path, &why), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(why);
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

TEST_BOTH(full_disk_loses_and_counts, setup, teardown)
{
	uint64_t put;

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
TEST_BOTH(disk_full_for_good_leaves_whole_frames, setup, teardown)
{
	struct stat st;

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

TEST_BOTH(limit_is_kept_and_losses_are_told, setup, teardown)
{
	struct stat st;
	uint64_t put;

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

TEST_BOTH(unwritable_place_is_said, setup, teardown)
{
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
