/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/turn/keeping.c: a copy that a full disk, or the end of the collector, stops in the
 * midst; and what a second request finds.
 */
#include "tests/unit/unit.h"
#include "tests/unit/collector_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/turn/epoch.h"
#include "collector/turn/keeping.h"

#define BLOCKS 2000u

static char copy[PATH_MAX];

/* A recording with some frames, of which a copy is wanted. */
static void record(void)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	for (unsigned int i = 0; i < BLOCKS; i++) {
		fixture_put_malloc(&f, ring, 0x1000 + (uint64_t)i * 7919, i * 31, 0x401122 + i);
		if (i % 500 == 499) {
			collector_turn(&c);
			epoch_close(&c, EPOCH_NOW);
		}
	}
	assert_true(keeping_path(c.output.path, 1, copy));
	c.common.keep_is_wanted = true;
	c.common.keep_request = names_id_text(&c.common.names, "when it is tested", 17);
}

static void limit_files(uint64_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void header_of(const char *path, struct file_header *ret_header)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	size_t length;

	assert_true(got > 0);
	close(fd);
	assert_int_equal(file_header_read(bytes, (size_t)got, ret_header, &length), 0);
}

TEST_BOTH(a_copy_is_a_recording_of_its_own, setup, teardown)
{
	struct content copied;
	struct file_header header;

	record();
	keeping_turn(&c);
	assert_false(c.keeping.is_copying);
	header_of(copy, &header);
	assert_string_not_equal(header.session, c.output.header.session);
	assert_int_equal(header.name, file_name_hash(copy));
	content_read(&copied, copy);
	assert_true(copied.ended);
	assert_int_equal(content_count(&copied, EVT_malloc), BLOCKS);
	assert_int_equal(unlink(copy), 0);
	finish();
	assert_int_equal(content_count(&content, EVT_window_kept), 1);
}

/* The limit is above the recording's length so far, without the copy's end. */
TEST_BOTH(a_disk_that_gets_full, setup, teardown)
{
	const struct evt_window_kept *kept;

	record();
	signal(SIGXFSZ, SIG_IGN);
	epoch_close(&c, EPOCH_NOW);
	limit_files(c.output.bytes);
	keeping_turn(&c);
	limit_files(RLIM_INFINITY);
	assert_false(c.keeping.is_copying);
	assert_int_equal(access(copy, F_OK), -1);
	finish();
	kept = EVENT_AS(window_kept, content_find(&content, EVT_window_kept, 0));
	assert_int_equal(kept->error, EFBIG);
	assert_int_equal(kept->file, 0);
	assert_int_equal(kept->bytes, 0);
	/* the recording itself is whole */
	assert_int_equal(content_count(&content, EVT_malloc), BLOCKS);
}

/* By SIGXFSZ here, which comes at a known byte; what is left is no part of the recording. */
TEST_BOTH(the_collector_is_killed, setup, teardown)
{
	struct file_header header;
	int status;
	pid_t pid;

	record();
	epoch_close(&c, EPOCH_NOW);
	pid = fork();
	if (!pid) {
		signal(SIGXFSZ, SIG_DFL);
		limit_files(c.output.bytes / 2);
		keeping_turn(&c);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	header_of(copy, &header);
	assert_string_not_equal(header.session, c.output.header.session);
	assert_int_equal(header.name, file_name_hash(copy));
	assert_int_equal(unlink(copy), 0);
	finish();
}
