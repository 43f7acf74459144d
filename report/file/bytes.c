/* SPDX-License-Identifier: MIT */
/* Keeps nothing between calls but the descriptor, if that. Buffering belongs to the reader. */
#include "report/file/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/error.h"
#include "report/base/confine.h"

int bytes_open(struct bytes *ret_bytes, const char *path)
{
	/* O_NONBLOCK, because a FIFO must be refused and not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat info;
	int saved = 0;

	if (fd < 0)
		return EVT_IO;
	if (!confine_allows(fd) || fstat(fd, &info))
		saved = errno;
	else if (S_ISDIR(info.st_mode))
		saved = EISDIR;
	else if (!S_ISREG(info.st_mode))
		saved = ENOTSUP;
	if (saved) {
		close(fd);
		errno = saved;
		return EVT_IO;
	}
	*ret_bytes = (struct bytes){ .fd = fd,
				     .size = (uint64_t)info.st_size,
				     .disk = (uint64_t)info.st_blocks * 512,
				     .device = info.st_dev,
				     .inode = info.st_ino };
	return EVT_OK;
}

struct bytes bytes_of(const void *memory, size_t length)
{
	return (struct bytes){ .fd = -1, .memory = memory, .size = length, .disk = length };
}

void bytes_close(struct bytes *bytes)
{
	if (bytes->fd >= 0)
		close(bytes->fd);
	bytes->fd = -1;
}

void bytes_rest(struct bytes *bytes, const char *path)
{
	bytes_close(bytes);
	bytes->path = path;
}

static int64_t bytes_memory_read(const struct bytes *bytes, uint64_t offset, void *ret_bytes,
				 size_t length)
{
	if (offset >= bytes->size)
		return 0;
	if (length > bytes->size - offset)
		length = (size_t)(bytes->size - offset);
	memcpy(ret_bytes, bytes->memory + offset, length);
	return (int64_t)length;
}

static int64_t descriptor_read(int fd, uint64_t offset, void *ret_bytes, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t n = pread(fd, (char *)ret_bytes + done, length - done,
				  (off_t)(offset + done));

		if (n == 0)
			break;
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return EVT_IO;
	}
	return (int64_t)done;
}

static int64_t path_read(const struct bytes *bytes, uint64_t offset, void *ret_bytes, size_t length)
{
	struct bytes again;
	int64_t n = bytes_open(&again, bytes->path);

	if (n)
		return n;
	if (again.device == bytes->device && again.inode == bytes->inode) {
		n = descriptor_read(again.fd, offset, ret_bytes, length);
	} else {
		errno = ESTALE;
		n = EVT_IO;
	}
	bytes_close(&again);
	return n;
}

int64_t bytes_read(const struct bytes *bytes, uint64_t offset, void *ret_bytes, size_t length)
{
	if (bytes->fd >= 0)
		return descriptor_read(bytes->fd, offset, ret_bytes, length);
	if (bytes->path)
		return path_read(bytes, offset, ret_bytes, length);
	return bytes_memory_read(bytes, offset, ret_bytes, length);
}
