/* SPDX-License-Identifier: MIT */
/* links: report */
/* Bytes to descriptors: all of them, at the end or at a place, and the reason where that fails. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "report/base/descriptor.h"

TEST(all_bytes_are_written)
{
	FILE *file = tmpfile();
	char read[8] = "";

	assert_non_null(file);
	assert_true(descriptor_write(fileno(file), "abc", 3));
	assert_true(descriptor_write(fileno(file), "def", 3));
	assert_true(descriptor_write_at(fileno(file), "XY", 2, 1));
	assert_true(descriptor_write(fileno(file), "", 0));
	assert_int_equal(pread(fileno(file), read, sizeof(read), 0), 6);
	assert_string_equal(read, "aXYdef");
	fclose(file);
}

TEST(a_full_device_says_so)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(full >= 0);
	assert_false(descriptor_write(full, "abc", 3));
	assert_int_equal(errno, ENOSPC);
	close(full);
	assert_false(descriptor_write(-1, "abc", 3));
	assert_int_equal(errno, EBADF);
}
