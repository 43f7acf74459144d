/* SPDX-License-Identifier: MIT */
/*
 * A loop that tests the writer's lock every STEP_MS, and examines the file's size and the programs
 * in /proc every LOOK_MS. The time limit begins with the first file that was waited for.
 */
#include "report/session/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/format/file.h"
#include "report/session/writer.h"

#define STEP_MS 20
#define LOOK_MS 1000   /* also the time until the first message */
#define STALL_MS 10000 /* a frame takes a writer less than a tenth of a second */
#define WAIT_UNLIMITED_S 1000000000u
#define SURE_LOOKS 3   /* a killed program may take a moment to disappear */
#define UNSEEN_MS 1000 /* a writer that cannot be seen may be finishing */
#define NOTE_BYTES (PATH_MAX + 2 * WRITER_COMMAND_BYTES + 128)

/* A file that is being waited for. */
struct wait {
	int fd;
	const char *path;
	uint64_t now_ms, begun_ms;
	uint64_t looked_ms;
	uint64_t moved_ms; /* when the file was last seen to grow */
	int64_t size;
	unsigned int sure; /* consecutive looks at which one of its programs was alive */
	struct writer writer;
};

static uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool waiting_for_start(const char *path)
{
	bool is_there = !access(path, F_OK) || errno != ENOENT, starts = true;

	for (unsigned int ms = 0; !is_there && starts && ms < WAITING_START_MS; ms += STEP_MS) {
		starts = writer_is_starting();
		poll(NULL, 0, starts ? STEP_MS : 0);
		is_there = !access(path, F_OK); /* it may have been made while we looked */
	}
	return is_there;
}

bool waiting_is_held(int fd)
{
	struct flock lock = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_len = (off_t)FILE_LOCK_WRITER_BYTES };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static void wait_look(struct wait *wait)
{
	struct stat info;

	wait->looked_ms = wait->now_ms;
	if (fstat(wait->fd, &info) == 0 && info.st_size != wait->size) {
		wait->size = info.st_size;
		wait->moved_ms = wait->now_ms;
	}
	writer_look(&wait->writer, wait->fd);
}

/* Says what is waited for, how long, and how to avoid it. */
static void wait_note(const struct wait *wait, const struct source_options *options)
{
	const struct writer *writer = &wait->writer;
	char line[NOTE_BYTES], what[2 * WRITER_COMMAND_BYTES], limit[32];

	if (!options->note)
		return;
	if (writer->program_pid)
		snprintf(what, sizeof(what), "it records pid %u '%s'", writer->program_pid,
			 writer->command);
	else if (writer->pid)
		snprintf(what, sizeof(what), "its collector (pid %u) is finishing it", writer->pid);
	else
		snprintf(what, sizeof(what), "it is still being written");
	*limit = 0;
	if (options->wait_s < WAIT_UNLIMITED_S)
		snprintf(limit, sizeof(limit), " up to %u s", options->wait_s);
	snprintf(line, sizeof(line), "waiting%s for '%s': %s (--live reads what is there)", limit,
		 wait->path, what);
	options->note(options->note_context, line);
}

static void wait_explain(const struct wait *wait, char ret_why[WAITING_TEXT_BYTES])
{
	const struct writer *writer = &wait->writer;
	unsigned int seconds = (unsigned int)((wait->now_ms - wait->begun_ms + 500) / 1000);
	int used = snprintf(ret_why, WAITING_TEXT_BYTES, "still being written after %u s", seconds);
	char *at = ret_why + used;
	size_t room = WAITING_TEXT_BYTES - (size_t)used;

	if (writer->program_pid)
		snprintf(at, room, ": pid %u '%.48s' runs; what is there so far",
			 writer->program_pid, writer->command);
	else if (writer->pid)
		snprintf(at, room,
			 ": no process that it records lives, its collector (pid %u) does not "
			 "write; what is there so far",
			 writer->pid);
	else
		snprintf(at, room,
			 ", by a process that is not to be seen from here; what is there so far");
}

static bool wait_is_over(const struct wait *wait, uint64_t limit_ms)
{
	bool alone = wait->writer.pid && wait->writer.inode && !wait->writer.program_pid;

	return wait->now_ms - wait->begun_ms >= limit_ms ||
	       (alone && wait->now_ms - wait->moved_ms >= STALL_MS);
}

/* Not if its programs have ended: then the rest arrives within a moment. */
static bool wait_is_for_long(struct wait *wait)
{
	if (wait->sure >= SURE_LOOKS)
		return true;
	if (wait->sure || wait->now_ms == wait->looked_ms)
		wait_look(wait);
	wait->sure = wait->writer.program_pid ? wait->sure + 1 : 0;
	return !wait->writer.pid && wait->now_ms - wait->moved_ms >= UNSEEN_MS;
}

static void waiting_note_running(struct waiting *waiting, const struct wait *wait)
{
	if (waiting->running++)
		return;
	waiting->running_pid = wait->writer.program_pid;
	snprintf(waiting->running_path, sizeof(waiting->running_path), "%s", wait->path);
	snprintf(waiting->running_command, sizeof(waiting->running_command), "%s",
		 wait->writer.command);
}

void waiting_say_running(struct waiting *waiting)
{
	char line[NOTE_BYTES], more[64] = "", who[2 * WRITER_COMMAND_BYTES] = "somebody writes it";
	const struct source_options *options = waiting->options;

	if (!waiting->running || !options->note)
		return;
	if (waiting->running > 1)
		snprintf(more, sizeof(more), " and %u more", waiting->running - 1);
	if (waiting->running_pid)
		snprintf(who, sizeof(who), "pid %u '%s' runs", waiting->running_pid,
			 waiting->running_command);
	snprintf(line, sizeof(line),
		 "'%s'%s: %s; what is there so far is shown (--wait waits for the end)",
		 waiting->running_path, more, who);
	options->note(options->note_context, line);
	waiting->running = 0;
}

bool waiting_for(struct waiting *waiting, int fd, const char *path,
		 char ret_why[WAITING_TEXT_BYTES])
{
	const struct source_options *options = waiting->options;
	const uint64_t limit_ms = 1000ull * options->wait_s;
	struct wait wait = { .fd = fd, .path = path, .now_ms = clock_ms(), .size = -1 };
	unsigned int looks = 0;

	*ret_why = 0;
	if (!waiting->since_ms)
		waiting->since_ms = wait.now_ms;
	wait.begun_ms = waiting->since_ms;
	wait.moved_ms = wait.now_ms;
	wait.looked_ms = wait.now_ms;
	for (; waiting_is_held(fd); wait.now_ms = clock_ms()) {
		if (options->live)
			return false;
		if (!options->waits && (waiting->running || wait_is_for_long(&wait))) {
			waiting_note_running(waiting, &wait);
			return false;
		}
		if (wait.now_ms - wait.looked_ms >= LOOK_MS) {
			wait_look(&wait);
			wait.sure = !options->waits && wait.writer.program_pid;
			if (!wait.sure && !looks++ && !wait_is_over(&wait, limit_ms))
				wait_note(&wait, options);
		}
		if (wait_is_over(&wait, limit_ms)) {
			if (!looks)
				wait_look(&wait);
			wait_explain(&wait, ret_why);
			return false;
		}
		poll(NULL, 0, STEP_MS);
	}
	return true;
}
