/* SPDX-License-Identifier: MIT */
/*
 * Creation is by O_EXCL and the lock is taken right after; an empty file younger than YOUNG_S may be
 * between the two and counts as being written.
 */
#include "collector/place.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define PLACE_TRIES 16
#define LOCK_MS 1000
#define BESIDE_TRIES 1000u
#define KEEP_MAX 1000u
#define YOUNG_S 5
#define MAJOR_MEMORY 1 /* /dev/null, /dev/full */
#define CREATE_FLAGS (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
#define LOOK_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

enum found {
	FOUND_NOTHING,
	FOUND_FINISHED, /* a file of ours, of another session, nobody writes it */
	FOUND_FOREIGN,  /* a regular file that is not ours */
	FOUND_TAKEN,    /* being written, of this session, or no regular file */
};

static int file_create(const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, CREATE_FLAGS, 0600);

	if (fd >= 0)
		fcntl(fd, F_OFD_SETLK, &lock); /* file systems without locks: nobody else can ask */
	return fd;
}

static bool file_is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool file_is_young(const struct stat *st)
{
	time_t now = time(NULL);

	return st->st_size == 0 && st->st_mtime <= now && now - st->st_mtime < YOUNG_S;
}

/* Of the descriptor of an existing file. */
static enum found file_classify(int fd, const char *session)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	struct file_header header;
	struct stat st;
	size_t length;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || file_is_locked(fd) || file_is_young(&st))
		return FOUND_TAKEN;
	n = pread(fd, bytes, sizeof(bytes), 0);
	if (n <= 0 || file_header_read(bytes, (size_t)n, &header, &length))
		return FOUND_FOREIGN;
	return strncmp(header.session, session, sizeof(header.session) - 1) ? FOUND_FINISHED
									    : FOUND_TAKEN;
}

static enum found file_look(const char *path, const char *session)
{
	enum found found;
	int fd = open(path, LOOK_FLAGS);

	if (fd < 0)
		return errno == ENOENT ? FOUND_NOTHING : FOUND_TAKEN;
	found = file_classify(fd, session);
	close(fd);
	return found;
}

static int path_numbered(char *ret_path, const char *output, unsigned int number)
{
	int n = snprintf(ret_path, PATH_MAX, "%s.%u", output, number);

	return n > 0 && n < PATH_MAX ? 0 : -1;
}

/*
 * The number that output.1 and those after it may move up to: the first one that is free, or the last
 * one to keep when it is ours to remove. 0: none.
 */
static unsigned int files_last(const struct place_request *request, unsigned int keep)
{
	char name[PATH_MAX];
	struct stat st;

	for (unsigned int last = 1; last <= KEEP_MAX; last++) {
		if (path_numbered(name, request->output, last))
			break;
		if (lstat(name, &st))
			return last;
		if (last >= keep && file_look(name, "") == FOUND_FINISHED)
			return unlink(name) ? 0 : last;
	}
	return 0;
}

/* Moves output.1 to output.2 and so on, and output to output.1. */
static int files_shift(const struct place_request *request)
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned int last = files_last(request, request->keep);

	if (!last)
		return -1;
	for (unsigned int i = last; i > 1; i--) {
		if (path_numbered(from, request->output, i - 1) ||
		    path_numbered(to, request->output, i) || rename(from, to))
			return -1;
	}
	return path_numbered(to, request->output, 1) ? -1 : rename(request->output, to);
}

/* Makes `output` free when it may be; false: go beside it. */
static bool place_clear(const struct place_request *request)
{
	switch (file_look(request->output, request->session)) {
	case FOUND_NOTHING:
		return true;
	case FOUND_FINISHED:
		if (!request->keep)
			return unlink(request->output) == 0;
		return files_shift(request) == 0;
	case FOUND_FOREIGN:
		return request->keep && files_shift(request) == 0;
	case FOUND_TAKEN:
		break;
	}
	return false;
}

/* /dev/null and its like are written as they are. */
static int device_open(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISCHR(st.st_mode) || major(st.st_rdev) != MAJOR_MEMORY)
		return -1;
	return open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * Two collectors that rotate at the same moment would move each other's files: one after the other, by
 * a lock on the folder. Best effort, LOCK_MS at most: a folder that cannot be locked is worked in as it is.
 */
static int folder_lock(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t length = slash && slash > path ? (size_t)(slash - path) : 1;
	int fd;

	if (length >= sizeof(folder))
		return -1;
	memcpy(folder, slash ? path : ".", length);
	folder[length] = 0;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int waited = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && waited < LOCK_MS; waited++)
		poll(NULL, 0, 1);
	return fd;
}

static int place_take_locked(const struct place_request *request)
{
	for (int i = 0; i < PLACE_TRIES; i++) {
		int fd = file_create(request->output);

		if (fd >= 0 || errno != EEXIST)
			return fd;
		fd = device_open(request->output);
		if (fd >= 0)
			return fd;
		if (!place_clear(request))
			break;
	}
	errno = EEXIST;
	return -1;
}

static int place_take(const struct place_request *request)
{
	int folder = folder_lock(request->output);
	int fd = place_take_locked(request);
	int saved = errno;

	if (folder >= 0)
		close(folder);
	errno = saved;
	return fd;
}

static int place_take_beside(const struct place_request *request, char *ret_path)
{
	size_t stem = strlen(request->output);

	if (stem > 4 && !strcmp(request->output + stem - 4, ".evt"))
		stem -= 4;
	for (unsigned int i = 0; i < BESIDE_TRIES; i++) {
		char again[16] = "";
		int n, fd;

		if (i)
			snprintf(again, sizeof(again), ".%u", i);
		n = snprintf(ret_path, PATH_MAX, "%.*s.%s.%u.%llu%s.evt", (int)stem,
			     request->output, request->host, request->pid,
			     (unsigned long long)request->start_s, again);
		if (n < 0 || n >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = file_create(ret_path);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

int place_open(const struct place_request *request, char *ret_path)
{
	int fd;

	snprintf(ret_path, PATH_MAX, "%s", request->output);
	if (!request->beside) {
		fd = place_take(request);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return place_take_beside(request, ret_path);
}
