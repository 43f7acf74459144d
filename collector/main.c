/* SPDX-License-Identifier: MIT */
/*
 * intercept-collector FD: the life of the process. FD is the region's memfd; all else is in it.
 *
 * It leaves everything of the program that started it: session, directory, descriptors, signals. It
 * prints nothing: what goes wrong is said in the region, and the program says it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/collector.h"

#define DESCRIPTORS_MAX 65536 /* closed one by one where nothing better works */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* The collector's state: 300 KB of process table, too much for a stack that the program limits. */
static struct collector collector;

static void signals_settle(void)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ,
				       SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGTSTP };
	sigset_t none;

	for (unsigned int i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What the program was limited to is not meant for us; as far as it may be undone. */
static void limits_settle(void)
{
	static const int lifted[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU };

	for (unsigned int i = 0; i < sizeof(lifted) / sizeof(*lifted); i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)lifted[i], &limit))
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit((__rlimit_resource_t)lifted[i], &limit);
	}
}

/* Everything but `fd`, which becomes 3; 0 to 2 are /dev/null. Returns 3, or -1. */
static int descriptors_settle(int fd)
{
	const int kept = 3;

	if (fd != kept && dup2(fd, kept) < 0)
		return -1;
	for (int i = 0; i < kept; i++)
		close(i);
	if (syscall(SYS_close_range, kept + 1, ~0u, 0)) {
		for (int i = kept + 1; i < DESCRIPTORS_MAX; i++)
			close(i);
	}
	for (int i = 0; i < kept; i++) {
		if (open("/dev/null", O_RDWR) < 0)
			dup2(kept, i); /* no /dev: any descriptor will do to keep the number taken */
	}
	return kept;
}

/* Maps the region and lets go of the descriptor; 0 or -1. */
static int region_map(int fd, struct collector_start *ret_start)
{
	struct stat st;
	void *base;

	if (fstat(fd, &st) || st.st_size < (off_t)REGION_BYTES_MIN)
		return -1;
	base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (base == MAP_FAILED)
		return -1;
	*ret_start = (struct collector_start){
		.base = base,
		.bytes = (uint64_t)st.st_size,
		.region_inode = st.st_ino,
		.inspect = true,
	};
	return 0;
}

int main(int argc, char **argv)
{
	struct collector_start start;
	char *end = NULL;
	long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;

	if (fd < 0 || fd > INT32_MAX || end == argv[1] || *end)
		return 2;
	setsid();
	if (chdir("/"))
		return 1; /* cannot be: every process has a root */
	umask(077);
	signals_settle();
	limits_settle();
	prctl(PR_SET_NAME, "intercept-coll");
	fd = descriptors_settle((int)fd);
	if (fd < 0 || region_map((int)fd, &start) || collector_init(&collector, &start))
		return 1;
	while (!collector.finished) {
		collector_turn(&collector);
		if (!collector.finished)
			collector_sleep(&collector);
	}
	_exit(0);
}
