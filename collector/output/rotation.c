/* SPDX-License-Identifier: MIT */
/*
 * A file is created with O_EXCL and locked right afterwards. An empty file younger than YOUNG_S may
 * be between the two steps, and counts as being written.
 */
#include "collector/output/rotation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/format/file.h"

#define KEEP_MAX 1000u
#define FRACTION 8u /* a recording this many times smaller does not displace a larger one */
#define YOUNG_S 5
#define NS_PER_S 1000000000u
/* a plain recording larger than this is not moved before the new one is known */
#define PLAIN_BYTES (64u << 10)
#define LEFT_MS 300
#define LEFT_STEP_MS 50
#define LOOK_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

enum found {
	FOUND_NOTHING,
	FOUND_FINISHED, /* a file of ours, of a session that is over */
	FOUND_FOREIGN,  /* a regular file that is not ours */
	FOUND_LEFT,     /* finished, but its session still has a process or a writer */
	/* being written, of this session, no regular file, or too valuable to move */
	FOUND_TAKEN,
};

static void file_lock(int fd, short type)
{
	struct flock lock = { .l_type = type,
			      .l_whence = SEEK_SET,
			      .l_len = (off_t)FILE_LOCK_WRITER_BYTES };

	/* on file systems without locks nobody else can ask either */
	(void)fcntl(fd, F_OFD_SETLK, &lock);
}

void rotation_lock(int fd)
{
	file_lock(fd, F_WRLCK);
}

void rotation_unlock(int fd)
{
	file_lock(fd, F_UNLCK);
}

/* True if these bytes are locked. */
static bool file_is_locked(int fd, uint64_t from, uint64_t bytes)
{
	struct flock lock = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = (off_t)from,
			      .l_len = (off_t)bytes };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool file_is_young(const struct stat *st)
{
	time_t now = time(NULL);

	return st->st_size == 0 && st->st_mtime <= now && now - st->st_mtime < YOUNG_S;
}

static bool file_read_header(int fd, struct file_header *ret_header)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	size_t length;
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	return n > 0 && !file_header_read(bytes, (size_t)n, ret_header, &length);
}

static bool session_is(const struct file_header *header, const char *session)
{
	return !strncmp(header->session, session, sizeof(header->session) - 1);
}

/* Older recordings do not say: they count as of interest. */
static bool header_is_of_interest(const struct file_header *header)
{
	return header->flags & FILE_OF_INTEREST || !header->program[0];
}

/* True if a plain program must leave the file where it is. */
static bool file_is_valuable(const struct rotation *rotation, const struct file_header *header,
			     uint64_t bytes)
{
	bool same = rotation->program &&
		    !strncmp(header->program, rotation->program, sizeof(header->program) - 1);

	return rotation->plain && !same && (header_is_of_interest(header) || bytes > PLAIN_BYTES);
}

/* Classifies an existing file by its descriptor. */
static enum found file_classify(int fd, const struct rotation *rotation, bool afresh)
{
	struct file_header header;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || file_is_young(&st) ||
	    file_is_locked(fd, 0, FILE_LOCK_WRITER_BYTES))
		return FOUND_TAKEN;
	if (!file_read_header(fd, &header))
		return FOUND_FOREIGN;
	if (session_is(&header, rotation->session) ||
	    file_is_valuable(rotation, &header, (uint64_t)st.st_size))
		return FOUND_TAKEN;
	if (file_is_locked(fd, FILE_LOCK_GUARD, 1) ||
	    (rotation->lives && rotation->lives(header.session, afresh)))
		return FOUND_LEFT;
	return FOUND_FINISHED;
}

static enum found file_look(const struct rotation *rotation, const char *path, bool afresh)
{
	enum found found;
	int fd = open(path, LOOK_FLAGS);

	if (fd < 0)
		return errno == ENOENT ? FOUND_NOTHING : FOUND_TAKEN;
	found = file_classify(fd, rotation, afresh);
	close(fd);
	return found;
}

static int path_numbered(char *ret_path, const char *output, unsigned int number)
{
	int n = snprintf(ret_path, PATH_MAX, "%s.%u", output, number);

	return n > 0 && n < PATH_MAX ? 0 : -1;
}

/* Returns the first free number, to which output.1 and its successors may move up. 0: none. */
static unsigned int files_first_free(const char *output)
{
	char name[PATH_MAX];
	struct stat st;

	for (unsigned int number = 1; number <= KEEP_MAX; number++) {
		if (path_numbered(name, output, number))
			break;
		if (lstat(name, &st))
			return number;
	}
	return 0;
}

/* Moves output.1 to output.2 and so on, and `path` to output.1. */
static bool files_shift(const char *output, const char *path)
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned int last = files_first_free(output);

	if (!last)
		return false;
	for (unsigned int i = last; i > 1; i--) {
		if (path_numbered(from, output, i - 1) || path_numbered(to, output, i) ||
		    rename(from, to))
			return false;
	}
	return !path_numbered(to, output, 1) && !rename(path, to);
}

/*
 * What an earlier run has left may just be ending: multiprocessing's helpers outlive their program
 * by some ms.
 */
static enum found output_look(const struct rotation *rotation)
{
	enum found found;

	for (int waited_ms = 0;; waited_ms += LEFT_STEP_MS) {
		found = file_look(rotation, rotation->output, true);
		if (found != FOUND_LEFT || waited_ms >= LEFT_MS || rotation->in_a_hurry)
			return found;
		poll(NULL, 0, LEFT_STEP_MS);
	}
}

/* True if `output` is a small recording of a plain program that ran beside that of the caller. */
static bool output_was_beside(const struct rotation *rotation)
{
	int fd = rotation->began_ns ? open(rotation->output, LOOK_FLAGS) : -1;
	struct file_header header;
	struct stat st;
	bool was;

	if (fd < 0)
		return false;
	was = file_read_header(fd, &header) && !header_is_of_interest(&header) && !fstat(fd, &st) &&
	      (uint64_t)st.st_size <= PLAIN_BYTES &&
	      (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec >=
		      rotation->began_ns;
	close(fd);
	return was;
}

bool rotation_clear(const struct rotation *rotation)
{
	switch (output_look(rotation)) {
	case FOUND_NOTHING:
		return true;
	case FOUND_FINISHED:
		return output_was_beside(rotation)
			       ? !unlink(rotation->output)
			       : files_shift(rotation->output, rotation->output);
	case FOUND_FOREIGN:
		return rotation->keep && files_shift(rotation->output, rotation->output);
	case FOUND_LEFT:
	case FOUND_TAKEN:
		break;
	}
	return false;
}

bool rotation_insert(const struct rotation *rotation, const char *path)
{
	return files_shift(rotation->output, path);
}

struct rotation_standing rotation_look(const struct rotation *rotation)
{
	struct rotation_standing standing = { .other = false };
	int fd = open(rotation->output, LOOK_FLAGS);
	struct file_header header;
	struct stat st;

	if (fd < 0)
		return standing;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_read_header(fd, &header)) {
		standing.own = session_is(&header, rotation->session);
		standing.other = !standing.own;
		standing.finished = !file_is_locked(fd, 0, FILE_LOCK_WRITER_BYTES);
		standing.interest = header_is_of_interest(&header);
		standing.asked = file_is_locked(fd, FILE_LOCK_ASK, 1);
		standing.bytes = (uint64_t)st.st_size;
	}
	close(fd);
	return standing;
}

bool rotation_outweighs(uint64_t ours, uint64_t bytes)
{
	return ours >= bytes / FRACTION;
}

/* --- locks by which other collectors learn something about a file --- */

/* Opens `output` and locks that byte, if `suits` accepts its header. Returns the descriptor. */
static int file_hold(const struct rotation *rotation, uint64_t byte,
		     bool (*suits)(const struct file_header *header, const char *session))
{
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1
	};
	int fd = open(rotation->output, LOOK_FLAGS);
	struct file_header header;

	if (fd < 0)
		return -1;
	if (file_read_header(fd, &header) && suits(&header, rotation->session) &&
	    fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool may_be_asked(const struct file_header *header, const char *session)
{
	return !session_is(header, session) && !header_is_of_interest(header);
}

int rotation_guard(const struct rotation *rotation)
{
	return file_hold(rotation, FILE_LOCK_GUARD, session_is);
}

int rotation_ask(const struct rotation *rotation)
{
	return file_hold(rotation, FILE_LOCK_ASK, may_be_asked);
}

bool rotation_is_asked(int fd)
{
	return file_is_locked(fd, FILE_LOCK_ASK, 1);
}

/* --- for code that examines several files --- */

bool rotation_read(const char *path, struct file_header *ret_header, uint64_t *ret_bytes)
{
	int fd = open(path, LOOK_FLAGS);
	struct stat st;
	bool done;

	if (fd < 0)
		return false;
	done = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_read_header(fd, ret_header);
	close(fd);
	if (done)
		*ret_bytes = (uint64_t)st.st_size;
	return done;
}

bool rotation_is_over(const struct rotation *rotation, const char *path, bool afresh)
{
	return file_look(rotation, path, afresh) == FOUND_FINISHED;
}
