/* SPDX-License-Identifier: MIT */
/*
 * intercept-collector FD [PIDFD [SOCKET]]: the life of the process. FD is the region's memfd, which
 * contains everything else. PIDFD is the program that started us, which may have ended. With
 * SOCKET, this process is the session's nursery and its first child is the collector. "-": there is
 * none.
 *
 * intercept-collector --sample PID NANOSECONDS HZ OUTPUT: samples a program that was started
 * without us (collector/outside), for prof-report, whose child it is. SIGINT and SIGTERM end it
 * early.
 *
 * The collector gives up everything inherited from the program that started it: session, directory,
 * descriptors, signals. It prints nothing: errors are stored in the region, and the program prints
 * them.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/outside/outside.h"
#include "collector/turn/collector.h"
#include "collector/turn/nursery.h"
#include "collector/turn/self.h"

#define DESCRIPTORS_MAX 65536 /* number of descriptors closed one by one if nothing better works */
#define REGION_FD 3
#define WATCHED_FD 4
#define LISTEN_FD 5

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/*
 * This program is never recorded, whatever LD_PRELOAD says: preload/life/own_program.c looks for
 * this note.
 */
__asm__(".pushsection .note.intercept, \"a\", @note\n"
	".balign 4\n"
	".long 10, 0, 1\n"
	".asciz \"intercept\"\n"
	".balign 4\n"
	".popsection\n");

/*
 * The collector's state: 300 KB of process table, too much for a stack that the program may limit.
 */
static struct collector collector;

static void signals_settle(void)
{
	static const int ignored[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,   SIGPIPE,
				       SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF,
				       SIGUSR1, SIGUSR2, SIGTSTP };
	sigset_t none;

	for (unsigned int i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Removes the limits that were set for the program, as far as they can be removed. */
static void limits_settle(void)
{
	static const int lifted[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_FSIZE,
				      RLIMIT_CPU };

	for (unsigned int i = 0; i < sizeof(lifted) / sizeof(*lifted); i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)lifted[i], &limit))
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit((__rlimit_resource_t)lifted[i], &limit);
	}
}

/* Moves a descriptor away from the numbers below. */
static int descriptor_move(int fd)
{
	return fd >= 0 ? fcntl(fd, F_DUPFD, LISTEN_FD + 1) : -1;
}

/* Moves it to its number, which stays free if there is no descriptor. */
static int descriptor_place(int moved, int number)
{
	if (moved >= 0 && dup2(moved, number) >= 0)
		return number;
	close(number);
	return 0;
}

/*
 * Closes everything but the region, which becomes REGION_FD, the pidfd, WATCHED_FD, and the socket,
 * LISTEN_FD. The last two become 0 if there is none. 0 to 2 are /dev/null.
 */
static int descriptors_settle(int region, int *watched, int *listening)
{
	int moved_watched = descriptor_move(*watched),
	    moved_listening = descriptor_move(*listening);

	if (region != REGION_FD && dup2(region, REGION_FD) < 0)
		return -1;
	*watched = descriptor_place(moved_watched, WATCHED_FD);
	*listening = descriptor_place(moved_listening, LISTEN_FD);
	for (int i = 0; i < REGION_FD; i++)
		close(i);
	if (syscall(SYS_close_range, LISTEN_FD + 1, ~0u, 0)) {
		for (int i = LISTEN_FD + 1; i < DESCRIPTORS_MAX; i++)
			close(i);
	}
	for (int i = 0; i < REGION_FD; i++) {
		if (open("/dev/null", O_RDWR) < 0)
			dup2(REGION_FD,
			     i); /* without /dev, any descriptor will do to occupy the number */
	}
	return 0;
}

/* Maps the region and closes the descriptor; 0 or -1. */
static int main_region_map(int fd, struct collector_start *ret_start)
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
		.inspect = true,
	};
	return 0;
}

/* Parses a descriptor's number; -1 if it is none. */
static int main_number_of(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	return end == text || *end || number < 0 || number > INT32_MAX ? -1 : (int)number;
}

/*
 * For the nursery and every collector that it forks. Returns false if this process has nothing more
 * to do.
 */
static bool live_in_nursery(int *watched)
{
	const struct nursery nursery = { REGION_FD, WATCHED_FD, LISTEN_FD };
	enum nursery_child child = nursery_run(&nursery, *watched ? NURSERY_COLLECTOR_WATCHED
								  : NURSERY_COLLECTOR);

	*watched = child == NURSERY_COLLECTOR_WATCHED ? WATCHED_FD : 0;
	return child != NURSERY_OVER;
}

/* --- from outside --- */

#define SAMPLE_ARGUMENTS 6
#define SAMPLE_NO_PYTHON 4 /* exit status: done, but there was no Python whose stacks can be read */

static volatile sig_atomic_t is_interrupted;

static void sample_interrupt(int signal_number)
{
	(void)signal_number;
	is_interrupted = 1;
}

/* What to do about it is another setting than in a program that was started under intercept. */
static int sample_fail(const struct outside *outside)
{
	const char *why = outside->header->collector_error;
	size_t length = strnlen(why, sizeof(outside->header->collector_error) - 1);
	const char *advice = memchr(why, ';', length);

	fprintf(stderr, "intercept: %.*s; name another file with -o\n",
		advice ? (int)(advice - why) : (int)length, why);
	return 1;
}

static int sample_outside(char **argv)
{
	const struct outside_wish wish = { .pid = (uint32_t)strtoul(argv[2], NULL, 10),
					   .hz = (unsigned int)strtoul(argv[4], NULL, 10),
					   .output = argv[5] };
	uint64_t until_ns = self_steady_ns() + strtoull(argv[3], NULL, 10);
	struct collector_start start = { .inspect = true, .outside = true };
	const struct sigaction action = { .sa_handler = sample_interrupt };
	struct outside outside;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	umask(077);
	limits_settle();
	prctl(PR_SET_NAME, "intercept-coll");
	if (outside_begin(&outside, &wish))
		return 1;
	start.base = outside.header;
	start.bytes = outside.bytes;
	if (collector_init(&collector, &start))
		return sample_fail(&outside);
	self_tell_meta(&collector.common, 0, "outside", argv[2]);
	while (!collector.finished) {
		if (is_interrupted || self_steady_ns() >= until_ns)
			outside_end(&outside);
		collector_turn(&collector);
		if (!collector.finished)
			collector_sleep(&collector);
	}
	return outside.has_python ? 0 : SAMPLE_NO_PYTHON;
}

int main(int argc, char **argv)
{
	struct collector_start start = { .outside = false };
	int fd = argc >= 2 ? main_number_of(argv[1]) : -1;
	int watched = argc >= 3 ? main_number_of(argv[2]) : -1;
	int listening = argc >= 4 ? main_number_of(argv[3]) : -1;

	if (argc == SAMPLE_ARGUMENTS && !strcmp(argv[1], "--sample"))
		return sample_outside(argv);
	if (fd < 0)
		return 2;
	setsid();
	if (chdir("/"))
		return 1; /* impossible: every process has a root */
	umask(077);
	signals_settle();
	limits_settle();
	prctl(PR_SET_NAME, "intercept-coll");
	if (descriptors_settle(fd, &watched, &listening))
		return 1;
	if (listening && !live_in_nursery(&watched))
		return 0;
	if (main_region_map(REGION_FD, &start))
		return 1;
	start.first_fd = watched;
	if (collector_init(&collector, &start))
		return 1;
	while (!collector.finished) {
		collector_turn(&collector);
		if (!collector.finished)
			collector_sleep(&collector);
	}
	_exit(0);
}
