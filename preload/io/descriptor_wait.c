/* SPDX-License-Identifier: MIT */
/*
 * Waits for descriptors where input and output itself is not recorded: family osrt. A descriptor is
 * looked up once, as descriptor.h says, and its kind is kept in that table.
 */
#include <sys/file.h>

#include "preload/io/descriptor.h"
#include "preload/io/io.h"
#include "preload/record/event.h"

static enum osrt_object object_of_kind(enum descriptor_kind kind)
{
	switch (kind) {
	case DESCRIPTOR_FILE:
		return OSRT_file;
	case DESCRIPTOR_SOCKET:
		return OSRT_socket;
	case DESCRIPTOR_PIPE:
		return OSRT_pipe;
	case DESCRIPTOR_UNKNOWN:
	case DESCRIPTOR_OTHER:
		break;
	}
	return OSRT_descriptor;
}

static void descriptor_introduce_wait(int fd, enum descriptor_kind kind)
{
	char room[DESCRIPTOR_PATH_BYTES];
	struct string path = descriptor_redacted(descriptor_path(fd, room));

	recorder_record(EVT_FAMILY_osrt, EVT_osrt_fd,
			(struct recorder_field[]){ { .number = (uint64_t)fd },
						   { .number = object_of_kind(kind) },
						   { .text = &path } },
			3);
}

/* Regular files are known without a name: only flock() waits for them. */
static enum descriptor_kind kind_of_wait(int fd)
{
	enum descriptor_kind kind;
	int saved = errno;

	if (IO_LIKELY(descriptor_is_known(fd)))
		return descriptor_known_kind(fd);
	kind = descriptor_kind(fd);
	if (kind != DESCRIPTOR_UNKNOWN) {
		if (kind != DESCRIPTOR_FILE)
			descriptor_introduce_wait(fd, kind);
		descriptor_know(fd, kind);
	}
	errno = saved;
	return kind;
}

static bool wait_is_vforked(void)
{
	return IO_UNLIKELY(io_has_vforked) && io_is_vforked();
}

bool descriptor_wait_begins(struct osrt_wait *wait, enum region_wait call, int fd)
{
	enum descriptor_kind kind;

	if (wait_is_vforked())
		return false;
	*wait = (struct osrt_wait){ .call = call };
	if (fd >= 0) {
		kind = kind_of_wait(fd);
		if (kind == DESCRIPTOR_FILE)
			return false;
		wait->kind = object_of_kind(kind);
		wait->object = (uint64_t)fd;
	}
	osrt_begin(wait);
	return true;
}

/* The file's name is said each time, because the table does not tell whether it was. */
static bool lock_begins(struct osrt_wait *wait, int fd)
{
	int saved = errno;
	enum descriptor_kind kind = descriptor_kind(fd);

	errno = saved;
	if (wait_is_vforked() || kind == DESCRIPTOR_UNKNOWN)
		return false;
	if (!recorder_gates->gate[EVT_FAMILY_io])
		descriptor_introduce_wait(fd, kind);
	errno = saved;
	*wait = (struct osrt_wait){ .call = REGION_WAIT_flock,
				    .kind = object_of_kind(kind),
				    .object = (uint64_t)fd };
	osrt_begin(wait);
	return true;
}

static __attribute__((noinline)) int waited_flock(int fd, int operation)
{
	struct osrt_wait wait;
	int result;

	if (!hook_real.flock && !osrt_find(&hook_real.flock, "flock"))
		return osrt_missing();
	if (osrt_is_off() || !lock_begins(&wait, fd))
		return hook_real.flock(fd, operation);
	result = hook_real.flock(fd, operation);
	osrt_end(&wait, result < 0 ? errno : 0);
	return result;
}

HOOK_EXPORT int flock(int fd, int operation)
{
	if (IO_LIKELY(osrt_is_never && hook_real.flock))
		return hook_real.flock(fd, operation);
	return waited_flock(fd, operation);
}
