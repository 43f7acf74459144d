/* SPDX-License-Identifier: MIT */
/* The descriptor is examined, not the name, so the file cannot be exchanged in between. */
#include "collector/captures/trigger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS 1000000000ull

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_mode == b->st_mode && a->st_uid == b->st_uid;
}

/* Returns why the file must not be followed; NULL: it may be. */
static const char *trigger_file_refusal(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is no regular file";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "it belongs to another user";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "others may write to it; chmod go-w";
	if (st->st_size > (off_t)TRIGGER_BYTES)
		return "it has more than 4096 bytes";
	return NULL;
}

static bool trigger_file_read(struct trigger_file *file, int fd)
{
	ssize_t got;

	file->length = 0;
	do {
		got = read(fd, file->text + file->length, TRIGGER_BYTES - file->length);
		if (got > 0)
			file->length += (uint32_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	file->text[file->length] = 0;
	return got == 0;
}

static enum trigger_file_news trigger_file_gone(struct trigger_file *file)
{
	bool was_there = file->was_there;

	file->was_there = false;
	file->has_looked = true;
	file->length = 0;
	return was_there ? TRIGGER_FILE_CHANGED : TRIGGER_FILE_SAME;
}

static enum trigger_file_news trigger_file_examine(struct trigger_file *file, int fd, char *ret_why)
{
	bool is_first = !file->has_looked;
	const char *refusal;
	struct stat st;

	if (fstat(fd, &st))
		return trigger_file_gone(file);
	if (file->was_there && is_unchanged(&st, &file->seen))
		return TRIGGER_FILE_SAME;
	file->seen = st;
	file->was_there = true;
	file->has_looked = true;
	refusal = trigger_file_refusal(&st);
	if (!refusal && !trigger_file_read(file, fd))
		refusal = "it cannot be read";
	if (refusal) {
		file->length = 0;
		snprintf(ret_why, TRIGGER_WHY_BYTES, "%s", refusal);
		return TRIGGER_FILE_REFUSED;
	}
	return is_first ? TRIGGER_FILE_FIRST : TRIGGER_FILE_CHANGED;
}

enum trigger_file_news trigger_file_look(struct trigger_file *file, uint64_t steady_ns,
					 char *ret_why)
{
	enum trigger_file_news news;
	int fd;

	if (!file->path || steady_ns < file->next_ns)
		return TRIGGER_FILE_SAME;
	file->next_ns = steady_ns + LOOK_NS;
	/* a link, a pipe or a terminal must neither be followed nor waited for */
	fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ELOOP && !file->was_there) {
		file->was_there = true;
		file->has_looked = true;
		memset(&file->seen, 0, sizeof(file->seen));
		snprintf(ret_why, TRIGGER_WHY_BYTES, "it is a link; name the file itself");
		return TRIGGER_FILE_REFUSED;
	}
	if (fd < 0)
		return errno == ELOOP ? TRIGGER_FILE_SAME : trigger_file_gone(file);
	news = trigger_file_examine(file, fd, ret_why);
	close(fd);
	return news;
}
