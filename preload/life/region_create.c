/* SPDX-License-Identifier: MIT */
/*
 * The region is a sealed memfd, or an unlinked file where memfd_create() is refused. The size is
 * limited by the process's limits and halved until the mapping succeeds. Then the header is filled
 * in, its magic last.
 */
#include "preload/life/region_create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/seccomp.h"

#define SPACE_SHARE 16u /* our part of RLIMIT_AS */

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* since Linux 6.3; a machine may refuse a memfd without it */
#endif

/*
 * Creates an unlinked file where memfd_create() is refused or would kill the process (old kernels,
 * seccomp).
 */
static int region_file(void)
{
	static const unsigned int ways[] = { MFD_NOEXEC_SEAL | MFD_ALLOW_SEALING, MFD_ALLOW_SEALING,
					     0 };
	bool kills = seccomp_kills(SYS_memfd_create);
	int fd = -1;

	errno = EINVAL;
	for (size_t i = 0; !kills && i < sizeof(ways) / sizeof(*ways) && fd < 0 && errno == EINVAL;
	     i++)
		fd = memfd_create("intercept", MFD_CLOEXEC | ways[i]);
	if (fd < 0)
		fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* `from` NULL: nothing was set. */
static void text_set(char *to, size_t room, const char *from)
{
	size_t length = from ? strnlen(from, room - 1) : 0;

	if (length)
		memcpy(to, from, length);
	to[length] = 0;
}

/*
 * Reads the three clocks at one moment: of several readings, takes the one between the closest pair
 * of ticks.
 */
static void region_base(struct region_header *h)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_ticks();
		uint64_t mono = clock_ns(CLOCK_MONOTONIC);
		uint64_t after = clock_ticks();

		if (after - before >= best)
			continue;
		best = after - before;
		h->base_tsc = before + best / 2;
		h->base_mono = mono;
	}
	h->base_real = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - h->base_mono);
}

static void region_fill(struct region_header *h, const struct region_shape *shape,
			const struct region_wish *wish)
{
	h->version = REGION_VERSION;
	h->clock = clock_is_tsc ? REGION_CLOCK_TSC : REGION_CLOCK_MONOTONIC;
	h->bytes = shape->bytes;
	h->max_file_bytes = wish->max_file_bytes;
	h->keep_last_ns = wish->keep_last_ns;
	h->keep_last_bytes = wish->keep_last_bytes;
	h->keep_last_steps = wish->keep_last_steps;
	h->keep = wish->keep;
	h->redact = wish->redact;
	h->place = wish->place;
	h->families = wish->families;
	memcpy(h->family, wish->family, wish->families * sizeof(*h->family));
	text_set(h->session, sizeof(h->session), wish->session);
	text_set(h->output, sizeof(h->output), wish->output);
	text_set(h->preset, sizeof(h->preset), wish->preset);
	text_set(h->trace, sizeof(h->trace), wish->trace);
	text_set(h->capture, sizeof(h->capture), wish->capture);
	text_set(h->budget, sizeof(h->budget), wish->budget);
	text_set(h->step, sizeof(h->step), wish->step);
	text_set(h->own, sizeof(h->own), wish->own);
	text_set(h->metrics, sizeof(h->metrics), wish->metrics);
	text_set(h->trigger, sizeof(h->trigger), wish->trigger);
	text_set(h->version_text, sizeof(h->version_text), INTERCEPT_VERSION);
	region_base(h);
	h->magic = REGION_MAGIC;
}

static uint64_t limit_of(int resource)
{
	struct rlimit limit;

	return getrlimit((__rlimit_resource_t)resource, &limit) == 0 ? limit.rlim_cur
								     : RLIM_INFINITY;
}

/*
 * Returns how large the region may be under the program's limits. A memfd counts as a file: beyond
 * RLIMIT_FSIZE its ftruncate() would send SIGXFSZ to the program. Of a limited address space we
 * take only a small part, so that the program's own allocations do not fail because of us.
 */
static uint64_t bytes_allowed(uint64_t wanted)
{
	uint64_t file = limit_of(RLIMIT_FSIZE), space = limit_of(RLIMIT_AS);
	uint64_t allowed = wanted < file ? wanted : file;

	if (space != RLIM_INFINITY && allowed > space / SPACE_SHARE && allowed > REGION_BYTES_MIN)
		allowed = space / SPACE_SHARE > REGION_BYTES_MIN ? space / SPACE_SHARE
								 : REGION_BYTES_MIN;
	return allowed / 4096 * 4096;
}

static void *region_create_region_map(int fd, uint64_t bytes)
{
	void *map;

	if (ftruncate(fd, (off_t)bytes) != 0)
		return MAP_FAILED;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		(void)madvise(map, bytes, MADV_DONTDUMP);
	return map;
}

/*
 * Seals the memfd, because anyone who can open it (root, through /proc/PID/map_files) could
 * truncate it, which would send SIGBUS to the program and its collector. Failure is accepted,
 * because no other kind of file can be sealed.
 */
static void region_seal(int fd)
{
	(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int region_create(const struct region_wish *wish, struct region_header **ret_header,
		  struct region_shape *ret_shape, int *ret_fd)
{
	struct region_shape shape;
	uint64_t bytes = bytes_allowed(region_bytes_of(wish->buffer_bytes));
	void *map = MAP_FAILED;
	int fd = region_file();

	if (fd < 0)
		return fd;
	errno = 0;
	for (; bytes >= REGION_BYTES_MIN && map == MAP_FAILED; bytes = bytes / 2 / 4096 * 4096)
		if (region_shape_of(bytes, &shape) == 0)
			map = region_create_region_map(fd, bytes);
	if (map == MAP_FAILED) {
		int error = errno ? errno : EFBIG;

		close(fd);
		return -error;
	}
	region_seal(fd);
	region_fill(map, &shape, wish);
	((struct region_header *)map)->is_memfd = fcntl(fd, F_GET_SEALS) > 0;
	*ret_header = map;
	*ret_shape = shape;
	*ret_fd = fd;
	return 0;
}
