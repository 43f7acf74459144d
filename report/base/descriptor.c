/* SPDX-License-Identifier: MIT */
/* Writes bytes to file descriptors. A call that a signal interrupts is repeated. */
#include "report/base/descriptor.h"

#include <errno.h>
#include <unistd.h>

#define IN_ORDER UINT64_MAX

static bool write_all(int file, const char *at, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t done;

		errno = 0;
		done = offset == IN_ORDER ? write(file, at, length)
					  : pwrite(file, at, length, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		length -= (size_t)done;
		offset += offset == IN_ORDER ? 0 : (uint64_t)done;
	}
	return true;
}

bool descriptor_write(int file, const void *bytes, size_t length)
{
	return write_all(file, bytes, length, IN_ORDER);
}

bool descriptor_write_at(int file, const void *bytes, size_t length, uint64_t offset)
{
	return write_all(file, bytes, length, offset);
}
