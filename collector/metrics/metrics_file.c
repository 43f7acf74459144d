/* SPDX-License-Identifier: MIT */
/*
 * The temporary file is in the same folder, and hidden, so node_exporter does not read it. Its name
 * has our pid: what has that name already was left by a process that is gone.
 */
#include "collector/metrics/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define METRICS_FILE_MODE 0644
#define BEGIN "# HELP intercept_"
#define BEGIN_LENGTH (sizeof(BEGIN) - 1)

static const char *metrics_base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void metrics_file_move_beside(struct metrics_file *file)
{
	char path[PATH_MAX];
	const char *base = metrics_base_of(file->path), *dot = strrchr(base, '.');
	int stem = (int)(dot && dot > base ? dot - file->path : (ptrdiff_t)strlen(file->path));
	int length = snprintf(path, sizeof(path), "%.*s.%u%s", stem, file->path, file->pid,
			      file->path + stem);

	file->is_beside = true;
	file->inode = 0;
	if (length > 0 && (size_t)length < sizeof(path))
		memcpy(file->path, path, (size_t)length + 1);
}

void metrics_file_init(struct metrics_file *file, const char *path, uint32_t pid)
{
	*file = (struct metrics_file){ .pid = pid };
	snprintf(file->path, sizeof(file->path), "%s", path);
}

static int failed(char *why, const char *reason)
{
	snprintf(why, METRICS_FILE_WHY_BYTES, "%s", reason);
	return -1;
}

/* True if it is empty or begins as our files do. */
static bool is_ours(const char *path)
{
	char begin[BEGIN_LENGTH];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, begin, sizeof(begin));

	if (fd >= 0)
		close(fd);
	return got == 0 || (got == (ssize_t)sizeof(begin) && memcmp(begin, BEGIN, got) == 0);
}

/* Looks at what has the name now. */
static int metrics_file_check(struct metrics_file *file, char *why)
{
	struct stat info;

	if (lstat(file->path, &info))
		return errno == ENOENT ? 0 : failed(why, strerror(errno));
	if (!S_ISREG(info.st_mode))
		return failed(why, "it exists and is no regular file");
	if (!is_ours(file->path))
		return failed(why, "it exists and has no metrics of intercept in it");
	if (file->inode && !file->is_beside &&
	    (info.st_ino != file->inode || info.st_dev != file->device)) {
		metrics_file_move_beside(file);
		return metrics_file_check(file, why);
	}
	return 0;
}

static bool metrics_write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		text += done;
		length -= (size_t)done;
	}
	return true;
}

static int temporary_open(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(path, flags, METRICS_FILE_MODE);

	if (fd >= 0 || errno != EEXIST || unlink(path))
		return fd;
	return open(path, flags, METRICS_FILE_MODE);
}

/* Writes the temporary file and renames it. errno says why not. */
static bool metrics_file_put(struct metrics_file *file, const char *temporary, const char *text,
			     size_t length)
{
	struct stat info;
	int fd = temporary_open(temporary), error;
	bool done;

	if (fd < 0)
		return false;
	done = metrics_write_all(fd, text, length) && !fchmod(fd, METRICS_FILE_MODE) &&
	       !fstat(fd, &info);
	error = errno;
	if (close(fd) && done) {
		done = false;
		error = errno;
	}
	if (done && !rename(temporary, file->path)) {
		file->device = info.st_dev;
		file->inode = info.st_ino;
		return true;
	}
	error = done ? errno : error;
	unlink(temporary);
	errno = error;
	return false;
}

int metrics_file_replace(struct metrics_file *file, const char *text, size_t length,
			 char why[METRICS_FILE_WHY_BYTES])
{
	char temporary[PATH_MAX];
	const char *base;
	int written;

	if (metrics_file_check(file, why))
		return -1;
	base = metrics_base_of(file->path);
	written = snprintf(temporary, sizeof(temporary), "%.*s.%s.%d.tmp", (int)(base - file->path),
			   file->path, base, (int)getpid());
	if (written < 0 || (size_t)written >= sizeof(temporary))
		return failed(why, strerror(ENAMETOOLONG));
	return metrics_file_put(file, temporary, text, length) ? 0 : failed(why, strerror(errno));
}
