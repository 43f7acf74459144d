/* SPDX-License-Identifier: MIT */
/*
 * The copy has the same offsets and the same holes. Its header names another session, or
 * prof-report would take it for a part of the one that it was copied from. So it is written first:
 * a collector that is killed leaves a copy that is cut off, and no second part of the recording.
 */
#include "collector/turn/keeping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/turn/collector.h"
#include "collector/turn/epoch.h"

#define PIECE_BYTES (256u << 10)
#define PIECES_OF_TURN 64u
#define SUFFIX ".evt"
#define ROOM_BYTES (1u << 20) /* that the recording can still grow by */

bool keeping_path(const char *path, uint32_t number, char ret_path[PATH_MAX])
{
	size_t length = strlen(path), suffix = strlen(SUFFIX);
	int n;

	if (length > suffix && !strcmp(path + length - suffix, SUFFIX))
		length -= suffix;
	n = snprintf(ret_path, PATH_MAX, "%.*s.kept-%u" SUFFIX, (int)length, path, number);
	return n > 0 && n < PATH_MAX;
}

/* A descriptor with an offset of its own; that of the output is where it writes. */
static int keeping_open_in(const struct output *output)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", output->fd);
	return open(name, O_RDONLY | O_CLOEXEC);
}

/* Takes the first name that is free. Returns 0 or an errno. */
static int keeping_open_out(struct keeping *keeping, const char *path)
{
	int error = ENAMETOOLONG;

	for (uint32_t number = 1; number <= KEEPING_FILES; number++) {
		if (!keeping_path(path, number, keeping->path))
			return ENAMETOOLONG;
		keeping->out = open(keeping->path,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (keeping->out >= 0) {
			keeping->number = number;
			return 0;
		}
		error = errno;
		if (error != EEXIST)
			return error;
	}
	return error;
}

static int write_whole(int fd, const uint8_t *bytes, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t done = pwrite(fd, bytes, length, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : ENOSPC;
		bytes += done;
		offset += (uint64_t)done;
		length -= (size_t)done;
	}
	return 0;
}

/* Returns 0 or an errno. Holes are skipped where the file system tells. */
static int keeping_copy_piece(struct keeping *keeping)
{
	static uint8_t piece[PIECE_BYTES];
	off_t data = lseek(keeping->in, (off_t)keeping->at, SEEK_DATA);
	uint64_t left;
	ssize_t got;

	if (data >= 0 && (uint64_t)data > keeping->at)
		keeping->at = (uint64_t)data;
	if (keeping->at >= keeping->bytes)
		return 0;
	left = keeping->bytes - keeping->at;
	got = pread(keeping->in, piece, left < sizeof(piece) ? (size_t)left : sizeof(piece),
		    (off_t)keeping->at);
	if (got < 0)
		return errno == EINTR ? 0 : errno;
	if (!got)
		return EIO; /* it was cut short */
	keeping->at += (uint64_t)got;
	return write_whole(keeping->out, piece, (size_t)got, keeping->at - (uint64_t)got);
}

/* Returns 0 or an errno. */
static int keeping_write_end(struct keeping *keeping)
{
	size_t length = file_seek_length(keeping->seek_count);
	uint8_t *bytes = malloc(FILE_END_BYTES + length);
	int error;

	if (!bytes)
		return ENOMEM;
	length = file_end_write(bytes, &keeping->end);
	length += file_seek_write(bytes + length, keeping->seek, keeping->seek_count);
	error = write_whole(keeping->out, bytes, length, keeping->bytes);
	free(bytes);
	keeping->bytes += length;
	return error;
}

static void keeping_tell(struct collector *c, int error)
{
	struct keeping *keeping = &c->keeping;
	const char *name = strrchr(keeping->path, '/');
	uint64_t file = 0;

	name = name ? name + 1 : keeping->path;
	if (!error)
		file = names_id_text(&c->common.names, name, strlen(name));
	JOURNAL_ADD(&c->common.journal, c->watermark_ns, window_kept, .number = keeping->number,
		    .request = keeping->request, .file = file, .from_ns = keeping->from_ns,
		    .to_ns = keeping->end.end_ns, .bytes = error ? 0 : keeping->bytes,
		    .error = (uint64_t)error);
}

static void keeping_release(struct keeping *keeping, int error)
{
	if (keeping->in >= 0)
		close(keeping->in);
	if (keeping->out >= 0) {
		close(keeping->out);
		if (error)
			unlink(keeping->path);
	}
	free(keeping->seek);
	keeping->seek = NULL;
	keeping->is_copying = false;
}

static void keeping_stop(struct collector *c, int error)
{
	if (!error)
		error = keeping_write_end(&c->keeping);
	keeping_tell(c, error);
	keeping_release(&c->keeping, error);
}

/* The same length as before, so that the header fits in its place. */
static void keeping_name_session(struct keeping *keeping)
{
	char *session = keeping->header.session;
	size_t length = strlen(session);

	if (length)
		session[length - 1] = (char)('A' + keeping->number - 1);
}

static uint64_t kept_from_ns(const struct output *output)
{
	return output->segments.count ? output->segments.segment[0].head.begin_ns : 0;
}

/* Returns 0 or an errno. */
static int keeping_write_header(struct keeping *keeping, const char *name)
{
	uint8_t header[FILE_HEADER_BYTES_MAX];

	keeping_name_session(keeping);
	keeping->header.name = file_name_hash(name);
	keeping->at = file_header_write(header, &keeping->header);
	return write_whole(keeping->out, header, keeping->at, 0);
}

/*
 * A copy that fills the disk would take the room of the recording's own frames until it is given
 * up. Returns 0 or an errno.
 */
static int keeping_has_room(const struct keeping *keeping)
{
	struct statvfs disk;
	struct stat stat;

	if (fstat(keeping->in, &stat) || fstatvfs(keeping->out, &disk))
		return 0; /* not known */
	return (uint64_t)disk.f_bavail * disk.f_frsize < (uint64_t)stat.st_blocks * 512 + ROOM_BYTES
		       ? ENOSPC
		       : 0;
}

/* Returns 0 or an errno. */
static int keeping_begin(struct collector *c)
{
	struct keeping *keeping = &c->keeping;
	const struct output *output = &c->output;
	int error;

	*keeping = (struct keeping){ .is_copying = true,
				     .in = -1,
				     .out = -1,
				     .bytes = output->bytes,
				     .from_ns = kept_from_ns(output),
				     .request = c->common.keep_request,
				     .header = output->header };
	keeping->end = (struct file_end){ .frames = output->frames,
					  .records = output->records,
					  .lost = c->lost,
					  .end_ns = c->watermark_ns };
	error = keeping_open_out(keeping, output->path);
	if (error)
		return error;
	keeping->in = keeping_open_in(output);
	error = keeping->in < 0 ? errno : keeping_has_room(keeping);
	if (!error)
		error = keeping_write_header(keeping, keeping->path);
	if (error)
		return error;
	keeping->seek = malloc(output->seek_count * sizeof(*output->seek) + 1);
	if (!keeping->seek)
		return ENOMEM;
	memcpy(keeping->seek, output->seek, output->seek_count * sizeof(*output->seek));
	keeping->seek_count = output->seek_count;
	return 0;
}

/* Returns whether the copy goes on. */
static void keeping_continue(struct collector *c, unsigned int pieces)
{
	struct keeping *keeping = &c->keeping;
	int error = 0;

	for (unsigned int i = 0; i < pieces && !error && keeping->at < keeping->bytes; i++)
		error = keeping_copy_piece(keeping);
	if (error || keeping->at >= keeping->bytes)
		keeping_stop(c, error);
}

void keeping_turn(struct collector *c)
{
	int error;

	if (c->common.keep_is_wanted && !c->keeping.is_copying) {
		c->common.keep_is_wanted = false;
		epoch_close(c, EPOCH_NOW); /* what the rule was about is in the file, too */
		error = keeping_begin(c);
		if (error)
			keeping_stop(c, error);
	}
	if (c->keeping.is_copying)
		keeping_continue(c, PIECES_OF_TURN);
	c->busy |= c->keeping.is_copying;
}

void keeping_finish(struct collector *c)
{
	keeping_turn(c);
	if (c->keeping.is_copying)
		keeping_continue(c, UINT_MAX);
}
