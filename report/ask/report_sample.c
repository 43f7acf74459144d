/* SPDX-License-Identifier: MIT */
/*
 * Report `sample`: asks first whether the process can be looked at, so that an error is one line,
 * and then runs the collector on it (collector/outside), which writes the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/control/trigger.h"
#include "report/base/shell_word.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/core/report_kind.h"

#define HZ_TEXT "100"
#define FOR_TEXT "10s"
#define PATH_ROOM 64
#define REQUEST_LINE_BYTES 128
#define STATUS_BYTES 4096
#define SAMPLE_NO_PYTHON 4 /* exit status of the collector */

struct sample {
	uint32_t pid;
	uint64_t for_ns;
	char output[PATH_MAX];
	char collector[PATH_MAX];
};

/* --- the command line --- */

static int sample_take_pid(struct sample *sample, struct report_request *request)
{
	const struct options *options = request->options;
	const char *text = options->file_count == 1 ? options->file[0] : "";
	unsigned long long pid = strtoull(text, NULL, 10);

	if (!*text || text[strspn(text, "0123456789")] || !pid || pid > INT32_MAX) {
		snprintf(request->message, sizeof(request->message),
			 "sample takes the pid of one process, as in: prof-report sample 4711");
		return STATUS_USAGE;
	}
	sample->pid = (uint32_t)pid;
	return STATUS_OK;
}

static int sample_take_time(struct sample *sample, struct report_request *request)
{
	const char *text = request->options->of_report[REPORT_OPTION_for].text;
	char line[REQUEST_LINE_BYTES], why[TRIGGER_WHY_BYTES];
	struct trigger trigger;

	snprintf(line, sizeof(line), "now for %.100s", text ? text : FOR_TEXT);
	if (trigger_parse(line, strlen(line), &trigger, why)) {
		snprintf(request->message, sizeof(request->message), "--for: %s", why);
		return STATUS_USAGE;
	}
	sample->for_ns = trigger.for_ns;
	return STATUS_OK;
}

static int sample_take_output(struct sample *sample, struct report_request *request)
{
	const char *name = request->options->output;
	char folder[PATH_MAX / 2] = "", own[PATH_ROOM];

	snprintf(own, sizeof(own), "sample.%u.evt", sample->pid);
	if (!name)
		name = own;
	if (*name != '/' && !getcwd(folder, sizeof(folder))) {
		snprintf(request->message, sizeof(request->message),
			 "this directory has no name any more: name a whole path with -o");
		return STATUS_INPUT;
	}
	if (snprintf(sample->output, sizeof(sample->output), "%s%s%s", folder, *folder ? "/" : "",
		     name) >= (int)sizeof(sample->output)) {
		snprintf(request->message, sizeof(request->message), "-o: the name is too long");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

/* Beside this program in the build tree, or where make install has put it. */
static int sample_find_collector(struct sample *sample, struct report_request *request)
{
	static const char *const places[] = { "intercept-collector",
					      "../libexec/intercept/intercept-collector" };
	char own[PATH_MAX / 2];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[length > 0 ? length : 0] = 0;
	slash = strrchr(own, '/');
	if (slash)
		slash[1] = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(sample->collector, sizeof(sample->collector), "%s%s", own, places[i]);
		if (!access(sample->collector, X_OK))
			return STATUS_OK;
	}
	snprintf(request->message, sizeof(request->message),
		 "intercept-collector is neither beside this program nor in ../libexec/intercept; "
		 "install intercept again");
	return STATUS_INPUT;
}

/* --- whether it can be looked at --- */

static int sample_refuse(struct report_request *request, uint32_t pid, const char *why)
{
	snprintf(request->message, sizeof(request->message), "process %u %s", pid, why);
	return STATUS_INPUT;
}

/* Reads /proc/PID/NAME; 0 if that is not possible. */
static size_t sample_read(uint32_t pid, const char *name, char *text, size_t room)
{
	char path[PATH_ROOM];
	size_t length = 0;
	ssize_t got = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && got > 0 && length < room - 1) {
		got = read(fd, text + length, room - 1 - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	text[length] = 0;
	return length;
}

static char sample_yama_scope(void)
{
	char scope = '0';
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, &scope, 1) != 1)
			scope = '0';
		close(fd);
	}
	return scope;
}

static int sample_refuse_memory(struct report_request *request, uint32_t pid)
{
	char why[256];

	if (sample_yama_scope() == '0' || !geteuid())
		return sample_refuse(
			request, pid,
			"cannot be looked at: it protects itself, or this container may "
			"not trace others (capability SYS_PTRACE)");
	snprintf(why, sizeof(why),
		 "cannot be looked at: kernel.yama.ptrace_scope is %c, so only root may; use sudo, "
		 "or set it to 0",
		 sample_yama_scope());
	return sample_refuse(request, pid, why);
}

/* The address of the first mapping, which can be read in every program. */
static uint64_t sample_first_address(uint32_t pid)
{
	char text[64];

	return sample_read(pid, "maps", text, sizeof(text)) ? strtoull(text, NULL, 16) : 0;
}

static bool is_in_other_namespace(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	size_t length = line ? strcspn(line + 1, "\n") : 0;
	unsigned int numbers = 0;

	for (size_t i = 1; i < length; i++)
		numbers += line[1 + i] >= '0' && line[1 + i] <= '9' &&
			   (line[i] == ' ' || line[i] == '\t');
	return numbers > 1;
}

static int sample_check(struct sample *sample, struct report_request *request)
{
	char path[PATH_ROOM], status[STATUS_BYTES], byte;
	struct iovec local = { &byte, 1 }, remote;
	struct stat st;
	const char *state;

	snprintf(path, sizeof(path), "/proc/%u", sample->pid);
	if (stat(path, &st))
		return sample_refuse(request, sample->pid, "does not exist");
	if (geteuid() && st.st_uid != geteuid())
		return sample_refuse(
			request, sample->pid,
			"belongs to another user; only that user or root may look at it");
	sample_read(sample->pid, "status", status, sizeof(status));
	state = strstr(status, "\nState:\t");
	if (state && (state[8] == 'Z' || state[8] == 'X'))
		return sample_refuse(request, sample->pid, "has ended");
	if (strstr(status, "\nKthread:\t1"))
		return sample_refuse(request, sample->pid, "is a thread of the kernel");
	if (is_in_other_namespace(status))
		return sample_refuse(
			request, sample->pid,
			"lives in another pid namespace; run this inside of its container");
	remote = (struct iovec){ (void *)(uintptr_t)sample_first_address(sample->pid), 1 };
	if (!remote.iov_base)
		return sample_refuse_memory(request, sample->pid);
	if (process_vm_readv((pid_t)sample->pid, &local, 1, &remote, 1, 0) < 0 &&
	    (errno == EPERM || errno == ENOSYS))
		return sample_refuse_memory(request, sample->pid);
	return STATUS_OK;
}

/* --- the collector --- */

static void sample_run_collector(const struct sample *sample)
{
	char pid[24], time[24];

	snprintf(pid, sizeof(pid), "%u", sample->pid);
	snprintf(time, sizeof(time), "%llu", (unsigned long long)sample->for_ns);
	execl(sample->collector, "intercept-collector", "--sample", pid, time, HZ_TEXT,
	      sample->output, (char *)NULL);
	_exit(127);
}

/* Ctrl-C reaches the collector, too, which then ends the file; this program waits for that. */
static int sample_wait(pid_t child)
{
	void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, interrupt);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int sample_make(const struct sample *sample, struct report_request *request)
{
	char word[PATH_MAX];
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0)
		sample_run_collector(sample);
	status = child < 0 ? 128 : sample_wait(child);
	if (status == 1) /* it has said why */
		return STATUS_INPUT;
	if (status && status != SAMPLE_NO_PYTHON) {
		snprintf(request->message, sizeof(request->message),
			 "intercept-collector could not be run, or was ended");
		return STATUS_INPUT;
	}
	if (status == SAMPLE_NO_PYTHON)
		talk_print(
			"process %u has no Python whose stacks can be read (CPython 3.8 to 3.14): "
			"only native stacks were sampled",
			sample->pid);
	text_print(stdout, sample->output);
	putchar('\n');
	if (shell_word(word, sizeof(word), sample->output))
		talk_print("next: prof-report %s", word);
	return STATUS_OK;
}

static int sample_files(struct report_request *request)
{
	struct sample sample = { 0 };
	int status = sample_take_pid(&sample, request);

	if (!status)
		status = sample_take_time(&sample, request);
	if (!status)
		status = sample_take_output(&sample, request);
	if (!status)
		status = sample_find_collector(&sample, request);
	if (!status)
		status = sample_check(&sample, request);
	return status ? status : sample_make(&sample, request);
}

const struct report_kind report_kind_sample = { .read_files = sample_files };
