/* SPDX-License-Identifier: MIT */
/*
 * Makes system calls by syscall(), because libc's functions are hooked by us, and some of them are
 * cancellation points.
 */
#include "preload/io/descriptor.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "preload/settings/settings.h"

uint64_t descriptor_slot[DESCRIPTOR_SLOTS];
uint32_t descriptor_round = 1; /* not 0, because unused slots contain 0 */

void descriptor_forget_all(void)
{
	uint32_t next = __atomic_add_fetch(&descriptor_round, 1, __ATOMIC_RELAXED);

	if (!next)
		__atomic_store_n(&descriptor_round, 1, __ATOMIC_RELAXED);
}

enum descriptor_kind descriptor_kind(int fd)
{
	struct stat st;

	if (syscall(SYS_fstat, fd, &st))
		return DESCRIPTOR_UNKNOWN;
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFBLK:
		return DESCRIPTOR_FILE;
	case S_IFSOCK:
		return DESCRIPTOR_SOCKET;
	case S_IFIFO:
		return DESCRIPTOR_PIPE;
	}
	return DESCRIPTOR_OTHER;
}

/* "/proc/self/fd/12" */
static void write_link(char *to, int fd)
{
	static const char folder[] = "/proc/self/fd/";
	char digit[12];
	unsigned int digits = 0;

	memcpy(to, folder, sizeof(folder) - 1);
	to += sizeof(folder) - 1;
	do
		digit[digits++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (digits)
		*to++ = digit[--digits];
	*to = 0;
}

struct string descriptor_path(int fd, char room[DESCRIPTOR_PATH_BYTES])
{
	char link[32];
	long length;

	write_link(link, fd);
	length = ARCH_READLINK(link, room, (size_t)DESCRIPTOR_PATH_BYTES);
	return string_of_bytes(room, length > 0 ? (size_t)length : 0);
}

struct string descriptor_redacted(struct string path)
{
	const char *slash;

	if (!(settings.redact & 1u << REGION_REDACT_paths) || !path.length)
		return path;
	slash = memrchr(path.bytes, '/', path.length);
	if (!slash)
		return path;
	return string_of_bytes(slash + 1, path.length - (size_t)(slash + 1 - path.bytes));
}

void descriptor_introduce(int fd, uint64_t ticks, struct recorder_lane *lane)
{
	enum descriptor_kind kind = descriptor_kind(fd);
	char room[DESCRIPTOR_PATH_BYTES];
	struct string path;

	if (kind == DESCRIPTOR_UNKNOWN)
		return;
	path = descriptor_redacted(descriptor_path(fd, room));
	if (recorder_put(lane, EVT_io_fd, ticks,
			 (uint64_t[]){ (uint64_t)fd, kind, string_id(&path, lane) }, 3))
		descriptor_know(fd, kind);
}
