/* SPDX-License-Identifier: MIT */
/* cases: capture_now */
/*
 * A control is found as a descriptor of a process that is called as collectors are. A process may
 * call itself anything, so the memory must also be of the right length and sealed: then reading it
 * can neither fail half way nor be made to wait.
 */
#include "report/ask/collectors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/session/writer.h"

#define COLLECTOR_NAME "intercept-coll\n" /* as in /proc/PID/comm */
#define PATH_ROOM 64
#define NAP_NS 5000000L
#define ANSWER_NAPS 1000u /* a collector looks twenty times a second, unless the machine is busy */
#define LOCK_NAPS 400u

#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#endif

static void collectors_nap(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	nanosleep(&nap, NULL);
}

/* --- one collector --- */

/*
 * The kernel copies words in any order. So what `answered` announces is taken from a later copy,
 * and what `phase` announces from between two copies with the same phase.
 */
static bool control_read(int fd, struct control *ret_control)
{
	struct control copy[3], control;

	for (unsigned int i = 0; i < 3; i++)
		if (pread(fd, &copy[i], sizeof(copy[i]), 0) != (ssize_t)sizeof(copy[i]))
			return false;
	control = copy[1];
	control.answered = copy[0].answered;
	control.phase = copy[0].phase == copy[2].phase ? copy[0].phase : CONTROL_IDLE;
	control.session[sizeof(control.session) - 1] = 0;
	control.text[sizeof(control.text) - 1] = 0;
	*ret_control = control;
	return control.magic == CONTROL_MAGIC && control.version == CONTROL_VERSION;
}

static bool control_is_sound(int fd)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       st.st_size == (off_t)sizeof(struct control) &&
	       (fcntl(fd, F_GET_SEALS) & seals) == seals;
}

/* Opens the control among the descriptors of the process; -1 with errno set. */
static int control_open(uint32_t pid)
{
	char folder[PATH_ROOM], link[PATH_MAX];
	struct dirent *entry;
	int found = -1, error = ENOENT;
	DIR *open_files;

	snprintf(folder, sizeof(folder), "/proc/%u/fd", pid);
	open_files = opendir(folder);
	if (!open_files)
		return -1;
	while (found < 0 && (entry = readdir(open_files))) {
		ssize_t length = readlinkat(dirfd(open_files), entry->d_name, link,
					    sizeof(link) - 1);

		link[length > 0 ? length : 0] = 0;
		if (!strstr(link, "memfd:" CONTROL_NAME))
			continue;
		found = openat(dirfd(open_files), entry->d_name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		error = errno;
	}
	closedir(open_files);
	errno = error;
	return found;
}

/* Adds it, if it can be asked and, unless `session` is NULL, is of that session. */
static bool collectors_add(struct collectors *collectors, uint32_t pid, const char *session)
{
	struct asked_collector collector = { .pid = pid, .fd = control_open(pid) };

	if (collector.fd < 0)
		return false;
	if (!control_is_sound(collector.fd) || !control_read(collector.fd, &collector.seen) ||
	    (session && strcmp(session, collector.seen.session) != 0) ||
	    !writer_find_file(pid, collector.path)) {
		close(collector.fd);
		errno = EINVAL;
		return false;
	}
	collectors->collector = memory_room(collectors->collector, collectors->count,
					    &collectors->room, sizeof(*collectors->collector));
	collectors->collector[collectors->count++] = collector;
	return true;
}

static bool is_collector(uint32_t pid)
{
	char path[PATH_ROOM], name[PATH_ROOM] = "";
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, name, sizeof(name) - 1);
	close(fd);
	return length > 0 && strcmp(name, COLLECTOR_NAME) == 0;
}

/* The other collectors of the session of the first one. */
static void collectors_add_session(struct collectors *collectors)
{
	const uint32_t first = collectors->collector[0].pid;
	char session[CONTROL_SESSION_BYTES];
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	memcpy(session, collectors->collector[0].seen.session, sizeof(session));
	while (proc && *session && (entry = readdir(proc))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid && pid != first && is_collector(pid))
			(void)collectors_add(collectors, pid, session);
	}
	if (proc)
		closedir(proc);
}

/* --- what is named on the command line --- */

static bool is_pid_text(const char *what)
{
	struct stat info;
	size_t digits = strspn(what, "0123456789");

	return digits && !what[digits] && stat(what, &info);
}

static int say_no_process(const char *what, char *message, size_t message_bytes)
{
	char folder[PATH_ROOM];
	struct stat info;

	snprintf(folder, sizeof(folder), "/proc/%.20s", what);
	if (stat(folder, &info))
		snprintf(message, message_bytes,
			 "there is no process %s; name the pid of a program that is being "
			 "recorded, or its file",
			 what);
	else if (geteuid() && info.st_uid != geteuid())
		snprintf(message, message_bytes,
			 "process %s belongs to another user; only that user can ask it", what);
	else
		snprintf(
			message, message_bytes,
			"process %s is not being recorded; start it with INTERCEPT_CAPTURE=trigger "
			"under intercept",
			what);
	return -1;
}

/* The collector that has the file open. */
static int collector_of_file(const char *path, uint32_t *ret_pid, char *message,
			     size_t message_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct writer writer = { 0 };

	if (fd < 0) {
		snprintf(message, message_bytes, "cannot open '%s': %s", path, strerror(errno));
		return -1;
	}
	writer_look(&writer, fd);
	close(fd);
	*ret_pid = writer.pid;
	if (writer.pid)
		return 0;
	snprintf(message, message_bytes,
		 "nobody writes '%s' any more, as far as this user and this machine can see; name "
		 "the recording of a program that runs",
		 path);
	return -1;
}

int collectors_find(struct collectors *collectors, const char *what, char *message,
		    size_t message_bytes)
{
	char path[PATH_MAX];
	bool is_pid = is_pid_text(what);
	unsigned long long pid = is_pid ? strtoull(what, NULL, 10) : 0;
	uint32_t collector;

	*collectors = (struct collectors){ 0 };
	if (is_pid && (!pid || pid > INT32_MAX || !writer_find_file((uint32_t)pid, path)))
		return say_no_process(what, message, message_bytes);
	if (collector_of_file(is_pid ? path : what, &collector, message, message_bytes))
		return -1;
	if (!collectors_add(collectors, collector, NULL)) {
		snprintf(message, message_bytes,
			 errno == EACCES || errno == EPERM ? "the collector of '%s' belongs to "
							     "another user; only that user can "
							     "ask it"
			 : errno == ENOENT ? "'%s' was not started with INTERCEPT_CAPTURE=trigger, "
					     "so it cannot "
					     "be asked for a capture"
					   : "the collector of '%s' is of another version; use its "
					     "prof-report",
			 what);
		return -1;
	}
	if (!is_pid)
		collectors_add_session(collectors);
	return 0;
}

void collectors_release(struct collectors *collectors)
{
	for (size_t i = 0; i < collectors->count; i++)
		close(collectors->collector[i].fd);
	free(collectors->collector);
}

/* --- asking --- */

bool collector_look(struct asked_collector *collector)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%u/fd", collector->pid);
	/* the memory outlives the collector while we have it open */
	return control_read(collector->fd, &collector->seen) && !access(path, F_OK) &&
	       is_collector(collector->pid);
}

static bool control_lock(int fd)
{
	for (unsigned int i = 0; i < LOCK_NAPS; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return true;
		collectors_nap();
	}
	return false;
}

static uint64_t request_number(uint64_t before)
{
	struct timespec now;
	uint64_t number;

	clock_gettime(CLOCK_MONOTONIC, &now);
	number = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return number == before || !number ? number + 1 : number;
}

/* The text is written before the number that announces it. */
static bool control_write(struct asked_collector *collector, const char *request)
{
	char text[CONTROL_TEXT_BYTES] = "";
	uint64_t number = request_number(collector->seen.asked);

	snprintf(text, sizeof(text), "%s", request);
	collector->asked = number;
	return pwrite(collector->fd, text, sizeof(text), offsetof(struct control, request)) ==
		       (ssize_t)sizeof(text) &&
	       pwrite(collector->fd, &number, sizeof(number), offsetof(struct control, asked)) ==
		       (ssize_t)sizeof(number);
}

int collector_ask(struct asked_collector *collector, const char *request, char *message,
		  size_t message_bytes)
{
	bool is_alive = true, is_answered = false;

	if (!control_lock(collector->fd)) {
		snprintf(message, message_bytes,
			 "somebody else is asking for a capture of '%s'; "
			 "try again",
			 collector->path);
		return -1;
	}
	if (control_write(collector, request))
		for (unsigned int i = 0; i < ANSWER_NAPS && is_alive && !is_answered; i++) {
			is_alive = collector_look(collector);
			is_answered = collector->seen.answered == collector->asked;
			if (!is_answered)
				collectors_nap();
		}
	flock(collector->fd, LOCK_UN);
	if (is_answered)
		return 0;
	snprintf(message, message_bytes,
		 is_alive ? "the collector of '%s' does not answer; it may be stopped"
			  : "the collector of '%s' has ended: the program is over",
		 collector->path);
	return -1;
}
