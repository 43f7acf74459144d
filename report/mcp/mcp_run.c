/* SPDX-License-Identifier: MIT */
/*
 * Starts this program's own file again, by no shell, with a report's words: it cannot take the
 * server down, and ends when it takes too long. It reads below the folder only (base/confine.h),
 * keeps no cache, and has no terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/base/confine.h"
#include "report/mcp/mcp.h"

#define LIMIT_S 120
#define PIECE 65536u

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* In the child. */
static void become_report(const struct mcp *mcp, const char *const *word, int out, int error)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(error, STDERR_FILENO) < 0 || chdir(mcp->folder))
		_exit(127);
	setenv(CONFINE_VARIABLE, mcp->folder, 1);
	setenv("COLUMNS", "100", 1);
	setenv("NO_COLOR", "1", 1);
	unsetenv("INTERCEPT_OWN");
	signal(SIGPIPE, SIG_DFL);
	execv("/proc/self/exe", (char *const *)(void *)word);
	_exit(127);
}

struct reading {
	int out, error;
	mcp_take *take;
	void *context;
	char *text; /* what it said on stderr */
	size_t room, used;
	uint64_t end_ms;
};

static void read_error(struct reading *reading)
{
	char piece[1024];
	ssize_t got = read(reading->error, piece, sizeof(piece));
	size_t keep;

	if (got <= 0) {
		close(reading->error);
		reading->error = -1;
		return;
	}
	keep = reading->room - 1 - reading->used;
	keep = (size_t)got < keep ? (size_t)got : keep;
	memcpy(reading->text + reading->used, piece, keep);
	reading->used += keep;
	reading->text[reading->used] = '\0';
}

/* Returns false if it needs no more. */
static bool read_output(struct reading *reading)
{
	static char piece[PIECE];
	ssize_t got = read(reading->out, piece, sizeof(piece));

	if (got > 0)
		return reading->take(reading->context, piece, (size_t)got);
	close(reading->out);
	reading->out = -1;
	return true;
}

/* Returns true if the child has closed both, or nothing more is needed of it. */
static bool read_all(struct reading *reading)
{
	while (reading->out >= 0 || reading->error >= 0) {
		struct pollfd polled[2] = { { reading->out, POLLIN, 0 },
					    { reading->error, POLLIN, 0 } };
		uint64_t now = now_ms();

		if (now >= reading->end_ms)
			return false;
		if (poll(polled, 2, (int)(reading->end_ms - now)) < 0 && errno != EINTR)
			return false;
		if (polled[1].revents)
			read_error(reading);
		if (polled[0].revents && !read_output(reading))
			return true;
	}
	return true;
}

static int await(pid_t child, bool is_enough)
{
	int status = 0;

	if (!is_enough)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_child(struct reading *reading, pid_t child)
{
	bool ended = read_all(reading), is_cut = ended && reading->out >= 0;
	int status;

	if (is_cut)
		kill(child, SIGKILL);
	status = await(child, ended);
	if (!ended && reading->room > 64)
		snprintf(reading->text, reading->room, "the report took more than %d s", LIMIT_S);
	if (reading->out >= 0)
		close(reading->out);
	if (reading->error >= 0)
		close(reading->error);
	return is_cut ? 0 : status;
}

int mcp_run_report(const struct mcp *mcp, const char *const *word, mcp_take *take, void *context,
		   char *error, size_t error_bytes)
{
	struct reading reading = { .take = take,
				   .context = context,
				   .text = error,
				   .room = error_bytes,
				   .end_ms = now_ms() + LIMIT_S * 1000 };
	int out[2], said[2];
	pid_t child;

	error[0] = '\0';
	if (pipe2(out, O_CLOEXEC))
		return -1;
	if (pipe2(said, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return -1;
	}
	child = fork();
	if (!child)
		become_report(mcp, word, out[1], said[1]);
	close(out[1]);
	close(said[1]);
	reading.out = out[0];
	reading.error = said[0];
	if (child > 0)
		return run_child(&reading, child);
	close(out[0]);
	close(said[0]);
	snprintf(error, error_bytes, "cannot start a report: %s", strerror(errno));
	return -1;
}
