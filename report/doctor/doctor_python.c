/* SPDX-License-Identifier: MIT */
/* cases: doctor */
/*
 * Asks the interpreter itself, by one program without imports of anybody's packages: PyTorch's
 * version and libcupti are looked for by name. It may be any program that is called python3, so it
 * has ten seconds, and of what it prints only known words are taken.
 */
#include "report/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS 10000
#define ANSWER_BYTES 8192u

static const char question[] =
	"import sys\n"
	"print('implementation', sys.implementation.name)\n"
	"print('version', '%d.%d.%d' % sys.version_info[:3])\n"
	"try:\n"
	"    import ctypes\n"
	"    ctypes.c_char.in_dll(ctypes.pythonapi, '_PyRuntime')\n"
	"    print('runtime yes')\n"
	"except ValueError:\n"
	"    print('runtime no')\n"
	"except Exception:\n"
	"    print('runtime unknown')\n"
	"try:\n"
	"    from importlib import metadata\n"
	"    print('torch', metadata.version('torch'))\n"
	"except Exception:\n"
	"    pass\n"
	"try:\n"
	"    import glob, os\n"
	"    for folder in sys.path:\n"
	"        for found in glob.glob(os.path.join(glob.escape(folder), 'nvidia', '*', 'lib', "
	"'libcupti.so*')):\n"
	"            print('cupti', found)\n"
	"except Exception:\n"
	"    pass\n";

/* PYTHON of the environment, else python3 or python of PATH. */
static bool find_python(char ret_path[PATH_MAX])
{
	static const char *const names[] = { "python3", "python" };
	const char *own = getenv("PYTHON"), *path = getenv("PATH");

	if (own && *own)
		return snprintf(ret_path, PATH_MAX, "%s", own) < PATH_MAX;
	for (size_t i = 0; i < 2; i++)
		for (const char *at = path ? path : ""; *at; at += strspn(at, ":")) {
			size_t length = strcspn(at, ":");

			snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)length, at, names[i]);
			if (!access(ret_path, X_OK))
				return true;
			at += length;
		}
	ret_path[0] = '\0';
	return false;
}

/* `without`: a variable of the environment, or NULL. */
static void become_python(const char *path, int out, const char *without)
{
	char *const word[] = { (char *)(uintptr_t)path, (char *)"-c", (char *)(uintptr_t)question,
			       NULL };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(nothing, STDERR_FILENO) < 0)
		_exit(127);
	unsetenv("LD_PRELOAD");
	if (without)
		unsetenv(without);
	execv(path, word);
	_exit(127);
}

static int64_t doctor_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns false if it took too long. */
static bool doctor_read_answer(int from, char answer[ANSWER_BYTES])
{
	int64_t end = doctor_now_ms() + LIMIT_MS, left = LIMIT_MS;
	size_t used = 0;
	ssize_t got = 1;

	for (; left > 0 && got > 0 && used < ANSWER_BYTES - 1; left = end - doctor_now_ms()) {
		struct pollfd polled = { from, POLLIN, 0 };

		if (poll(&polled, 1, (int)left) <= 0)
			continue;
		got = read(from, answer + used, ANSWER_BYTES - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	}
	answer[used] = '\0';
	return left > 0;
}

static void take_word(struct doctor_python *python, const char *line)
{
	if (sscanf(line, "implementation %31[a-z]", python->implementation) == 1 ||
	    sscanf(line, "torch %63[0-9A-Za-z.+_-]", python->torch) == 1 ||
	    sscanf(line, "runtime %15[a-z]", python->runtime) == 1)
		return;
	if (sscanf(line, "version %63[0-9.]", python->version) == 1)
		sscanf(python->version, "%3u.%3u", &python->major, &python->minor);
	else if (!strncmp(line, "cupti ", 6))
		snprintf(python->cupti, sizeof(python->cupti), "%s", line + 6);
}

static void take_answer(struct doctor_python *python, char *answer)
{
	for (char *line = strtok(answer, "\n"); line; line = strtok(NULL, "\n"))
		take_word(python, line);
	if (!python->implementation[0] || !python->version[0])
		snprintf(python->why, sizeof(python->why),
			 "it does not answer as an interpreter of Python does");
}

/* Returns whether it ended well; otherwise says why it did not. */
static bool doctor_question(struct doctor_python *python, const char *without,
			    char answer[ANSWER_BYTES])
{
	int pipes[2], status = 0;
	bool in_time;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC))
		return false;
	child = fork();
	if (!child)
		become_python(python->path, pipes[1], without);
	close(pipes[1]);
	in_time = child > 0 && doctor_read_answer(pipes[0], answer);
	close(pipes[0]);
	if (child > 0 && !in_time)
		kill(child, SIGKILL);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		snprintf(python->why, sizeof(python->why), "it does not answer in %d s",
			 LIMIT_MS / 1000);
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		snprintf(python->why, sizeof(python->why), "it cannot be started, or fails");
	else
		return true;
	return false;
}

/* An interpreter that ends badly may do so because of the environment. */
static void doctor_find_spoiler(struct doctor_python *python)
{
	static const char *const names[] = { "PYTHONHOME", "PYTHONPATH" };
	struct doctor_python without = *python;
	char answer[ANSWER_BYTES];

	for (size_t i = 0; i < 2 && !python->spoiler; i++) {
		if (!getenv(names[i]) || !doctor_question(&without, names[i], answer))
			continue;
		python->spoiler = names[i];
		snprintf(python->why, sizeof(python->why), "it fails with %s='%.150s'", names[i],
			 getenv(names[i]));
	}
}

void doctor_ask_python(struct doctor_python *python)
{
	char answer[ANSWER_BYTES];

	if (!find_python(python->path))
		return;
	if (doctor_question(python, NULL, answer))
		take_answer(python, answer);
	else
		doctor_find_spoiler(python);
}
