/* SPDX-License-Identifier: MIT */
/*
 * Prints each message once: a process must take region_header.trouble_said first, and only a
 * process with an open stderr takes it. The collector counts as dead if its pid does not exist,
 * twice, and its heartbeat has not moved in between. One check does not suffice, because in another
 * pid namespace the number may belong to no process.
 */
#include "preload/record/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/log.h"

#define AWAIT_NS 1000000000u    /* how long an exit is held up */
#define AWAIT_NAP_NS 5000000u   /* part of it: time between two checks that the collector lives */
#define HEART_NAP_NS 100000000u /* twice the longest sleep of the collector */

static struct region_header *_Atomic trouble_region;

void trouble_watch(struct region_header *region)
{
	atomic_store(&trouble_region, region);
}

/* True for the one process that may print the message. */
static bool trouble_take(struct region_header *region)
{
	return !atomic_load(&region->trouble_said) && log_can_speak() &&
	       !atomic_exchange(&region->trouble_said, 1);
}

static void trouble_number_put(char *text, uint32_t number)
{
	char digits[12];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (count)
		*text++ = digits[--count];
	*text = 0;
}

static void trouble_text_copy(char *to, size_t room, const char *from)
{
	memcpy(to, from, room);
	to[room - 1] = 0;
}

/* Prints the collector's error message. `ending`: the program ends now. */
static void say_of_collector(struct region_header *region, bool ending)
{
	bool failed = atomic_load(&region->collector_state) == REGION_COLLECTOR_FAILED;
	char text[REGION_TEXT_BYTES];

	trouble_text_copy(text, sizeof(text), region->collector_error);
	if (text[0] && trouble_take(region))
		log_line("%s%s%s", text, failed ? "; nothing " : "",
			 !failed  ? ""
			 : ending ? "was recorded"
				  : "is recorded");
}

/* The final name of the file, once the collector has created it. */
static const char *file_name(const struct region_header *region, char room[REGION_PATH_BYTES])
{
	trouble_text_copy(room, REGION_PATH_BYTES, region->file[0] ? region->file : region->output);
	return room;
}

static void say_of_end(struct region_header *region, bool died)
{
	bool made = atomic_load(&region->collector_state) != REGION_COLLECTOR_STARTING;
	char name[REGION_PATH_BYTES];

	if (!trouble_take(region))
		return;
	file_name(region, name);
	if (made && died)
		log_line("the collector was killed or crashed: events are missing at the end of "
			 "'%s'; "
			 "the system's log may have the reason (out of memory?)",
			 name);
	else if (made)
		log_line("the collector does not answer: events may be missing at the end of '%s'; "
			 "is it "
			 "stopped, or the disk very slow?",
			 name);
	else if (died)
		log_line("the collector ended before it made '%s' (a limit, a seccomp filter or a "
			 "missing library?); nothing was recorded",
			 name);
	else
		/* the rings outlive the program: a collector that goes on still writes them */
		log_line("the collector has not made '%s' yet: is it stopped, or the disk very "
			 "slow? "
			 "the file appears when the collector goes on",
			 name);
}

/* True if /proc numbers processes as we do. The mounted one may belong to another pid namespace. */
static bool proc_is_ours(void)
{
	char self[24];
	long number = 0, n = ARCH_READLINK("/proc/self", self, sizeof(self));

	for (long i = 0; i < n; i++)
		number = number * 10 + (self[i] - '0');
	return number == syscall(SYS_getpid);
}

/* Dead and not yet reaped. It stays a zombie if process 1 does not reap. */
static bool process_is_zombie(uint32_t pid)
{
	char path[32], stat[256];
	const char *end;
	long fd, n;

	if (!proc_is_ours())
		return false;
	trouble_number_put(strcpy(path, "/proc/") + 6, pid);
	strcat(path, "/stat");
	fd = ARCH_OPEN(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : syscall(SYS_read, fd, stat, sizeof(stat) - 1);
	if (fd >= 0)
		syscall(SYS_close, fd);
	stat[n > 0 ? n : 0] = 0;
	end = strrchr(stat, ')');
	return end && end[1] == ' ' && (end[2] == 'Z' || end[2] == 'X');
}

bool trouble_collector_is_gone(const struct region_header *region)
{
	uint32_t pid = atomic_load(&region->collector_pid);

	return pid && ((kill((pid_t)pid, 0) != 0 && errno == ESRCH) || process_is_zombie(pid));
}

/* The process does not exist, and its heartbeat has not moved meanwhile. */
static bool trouble_collector_has_died(struct region_header *region)
{
	uint64_t beat = atomic_load(&region->heartbeat);

	if (!trouble_collector_is_gone(region))
		return false;
	futex_wait(&region->flushed, atomic_load(&region->flushed), HEART_NAP_NS);
	return atomic_load(&region->heartbeat) == beat &&
	       atomic_load(&region->collector_state) < REGION_COLLECTOR_FINISHED;
}

bool trouble_await_start(void)
{
	struct region_header *region = atomic_load(&trouble_region);
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int saved = errno;

	while (region && atomic_load(&region->collector_state) == REGION_COLLECTOR_STARTING &&
	       clock_ns(CLOCK_MONOTONIC) - start < AWAIT_NS && !trouble_collector_is_gone(region))
		futex_wait(&region->collector_state, REGION_COLLECTOR_STARTING, AWAIT_NAP_NS);
	errno = saved;
	return region && atomic_load(&region->collector_state) != REGION_COLLECTOR_STARTING &&
	       atomic_load(&region->collector_state) != REGION_COLLECTOR_FAILED;
}

void trouble_look(void)
{
	struct region_header *region = atomic_load(&trouble_region);

	/* signal handlers may run on it, and it may be too small to print a line */
	stack_t alternate;

	if (!region || atomic_load(&region->collector_state) != REGION_COLLECTOR_FAILED ||
	    atomic_load(&region->trouble_said))
		return;
	if (sigaltstack(NULL, &alternate) == 0 && !(alternate.ss_flags & SS_ONSTACK))
		say_of_collector(region, false);
}

void trouble_look_last(void)
{
	struct region_header *region = atomic_load(&trouble_region);
	int saved = errno;

	if (!region || atomic_load(&region->trouble_said))
		return;
	(void)trouble_await_start();
	say_of_collector(region, true);
	if (atomic_load(&region->collector_state) < REGION_COLLECTOR_FINISHED &&
	    trouble_collector_has_died(region))
		say_of_end(region, true);
	errno = saved;
}

void trouble_report(bool collector_moves)
{
	struct region_header *region = atomic_load(&trouble_region);
	int saved = errno;

	if (!region)
		return;
	say_of_collector(region, true);
	if (!collector_moves && atomic_load(&region->collector_state) < REGION_COLLECTOR_FINISHED)
		say_of_end(region, trouble_collector_is_gone(region));
	errno = saved;
}
