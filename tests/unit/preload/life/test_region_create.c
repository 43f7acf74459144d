/* SPDX-License-Identifier: MIT */
/* links: preload:life/region_create.c,base/seccomp.c,base/clock.c,base/symbols.c */
/*
 * preload/life/region_create.c: nobody can cut the shared memory off beneath the program and its
 * collector, and where the kernel refuses to seal, or knows no memfd, there is a region all the
 * same.
 */
#include <stdbool.h>

#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/life/region_create.h"

#define BUFFER_BYTES (2u << 20)
#define BYTES region_bytes_of(BUFFER_BYTES)
#define CANNOT_FILTER 77

/* 0, or the number of the line that went wrong: also for a child, where asserting is of no use. */
static int region_try(bool sealed)
{
	const uint64_t family[] = { 0, 50 };
	struct region_wish wish = { .buffer_bytes = BUFFER_BYTES,
				    .family = family,
				    .families = 2,
				    .session = "s",
				    .output = "/x/run.evt",
				    .trace = "alloc",
				    .capture = "",
				    .step = "",
				    .own = "" };
	const int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct region_header *header;
	struct region_shape shape;
	struct stat st;
	int fd;

	if (region_create(&wish, &header, &shape, &fd))
		return __LINE__;
	if (fstat(fd, &st) || (uint64_t)st.st_size != BYTES || shape.bytes != BYTES)
		return __LINE__;
	if (header->families != 2 || header->family[1] != 50 || header->family[2])
		return __LINE__;
	if (sealed && (fcntl(fd, F_GET_SEALS) & wanted) != wanted)
		return __LINE__;
	if (sealed && (!ftruncate(fd, 0) || errno != EPERM))
		return __LINE__;
	if (sealed && (!ftruncate(fd, 2 * BYTES) || errno != EPERM))
		return __LINE__;
	/* what a seal must not do: the last byte is written, and read through another mapping */
	((char *)header)[BYTES - 1] = 7;
	char *other = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (other == MAP_FAILED || other[BYTES - 1] != 7)
		return __LINE__;
	munmap(other, BYTES);
	munmap(header, BYTES);
	close(fd);
	return 0;
}

TEST(nobody_changes_its_length)
{
	assert_int_equal(region_try(true), 0);
}

/*
 * In a child whose memfd_create() fails with `error` whenever one of `flags` is asked for (0:
 * always).
 */
static int region_try_refused(uint32_t flags, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags ? flags : ~0u, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	int status;
	pid_t child = fork();

	if (!child) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(CANNOT_FILTER);
		status = region_try(false);
		_exit(!status ? 0 : status % 64 + 100);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT_FILTER)
		skip();
	return WEXITSTATUS(status);
}

TEST(kernel_that_cannot_seal)
{
	assert_int_equal(region_try_refused(MFD_ALLOW_SEALING | 8u /* MFD_NOEXEC_SEAL */, EINVAL),
			 0);
}

TEST(kernel_that_knows_no_memfd)
{
	assert_int_equal(region_try_refused(0, ENOSYS), 0);
	assert_int_equal(region_try_refused(0, EPERM), 0);
}
