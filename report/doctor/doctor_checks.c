/* SPDX-License-Identifier: MIT */
/* cases: doctor */
/* Each check tries what recording does, with the same arguments, and undoes it. */
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "report/base/units.h"
#include "report/doctor/doctor.h"

#define SPACE_LEAST ((uint64_t)1 << 30)
#define PERIOD_NS 10000000u /* as native samples have it */
#define REGISTERS_ALL 0xff0fffu
#define STACK_BYTES 16384u

void doctor_say(struct doctor_line *line, enum doctor_state state, const char *remedy,
		const char *format, ...)
{
	va_list arguments;

	line->state = state;
	snprintf(line->remedy, sizeof(line->remedy), "%s", remedy);
	va_start(arguments, format);
	vsnprintf(line->found, sizeof(line->found), format, arguments);
	va_end(arguments);
}

/* Returns the number behind `name` in /proc/self/status, or -1. */
static long status_number(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	char text[256];
	long number = -1;

	while (file && fgets(text, sizeof(text), file))
		if (!strncmp(text, name, strlen(name)))
			number = strtol(text + strlen(name), NULL, 10);
	if (file)
		fclose(file);
	return number;
}

static long file_number(const char *path, long otherwise)
{
	FILE *file = fopen(path, "re");
	long number;

	if (!file || fscanf(file, "%ld", &number) != 1)
		number = otherwise;
	if (file)
		fclose(file);
	return number;
}

static bool is_filtered(void)
{
	return status_number("Seccomp:") == 2;
}

void check_machine(const struct doctor *doctor, struct doctor_line *line)
{
	struct utsname name;

	(void)doctor;
	if (uname(&name))
		doctor_say(line, DOCTOR_LIMITED, "", "uname() fails: %s", strerror(errno));
	else if (strcmp(name.sysname, "Linux") != 0 || strcmp(name.machine, ARCH_NAME) != 0)
		doctor_say(line, DOCTOR_STOPS, "record on Linux " ARCH_TITLE, "%s %s", name.sysname,
			   name.machine);
	else
		doctor_say(line, DOCTOR_OK, "", "%s %s, %s", name.sysname, name.release,
			   name.machine);
}

void check_library(const struct doctor *doctor, struct doctor_line *line)
{
	if (!doctor->library[0])
		doctor_say(line, DOCTOR_STOPS, "install intercept, or run make",
			   "libintercept.so is not where this program looks for it");
	else if (access(doctor->library, R_OK))
		doctor_say(line, DOCTOR_STOPS, "make it readable for this user (chmod a+r)",
			   "'%s': %s", doctor->library, strerror(errno));
	else
		doctor_say(line, DOCTOR_OK, "", "%s", doctor->library);
}

/* Where the library looks for it: preload/life/session.c. */
void check_collector(const struct doctor *doctor, struct doctor_line *line)
{
	static const char *const places[] = { "/intercept-collector",
					      "/../libexec/intercept/intercept-collector",
					      "/../../libexec/intercept/intercept-collector" };
	const char *slash = strrchr(doctor->library, '/');
	char path[PATH_MAX + 64], there[PATH_MAX + 64] = "";

	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%.*s%s", (int)(slash - doctor->library),
			 doctor->library, places[i]);
		if (!access(path, X_OK)) {
			doctor_say(line, DOCTOR_OK, "", "%.*s", 400, path);
			return;
		}
		if (!access(path, F_OK))
			memcpy(there, path, sizeof(there));
	}
	if (there[0])
		doctor_say(line, DOCTOR_STOPS, "make it executable for this user (chmod a+rx)",
			   "'%.400s' cannot be run", there);
	else
		doctor_say(line, DOCTOR_STOPS, "keep it beside libintercept.so, or install again",
			   "intercept-collector is not found");
}

/* What the folder's disk has room for; `name` says whose disk it is. */
static void doctor_say_room(struct doctor_line *line, const char *folder, const char *name)
{
	struct statvfs disk;
	char bytes[UNIT_TEXT_BYTES];
	uint64_t room;

	if (statvfs(folder, &disk)) {
		doctor_say(line, DOCTOR_LIMITED, "", "the space on the disk of %s is not known: %s",
			   name, strerror(errno));
		return;
	}
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	unit_format(bytes, UNIT_BYTES, room);
	doctor_say(line, room < SPACE_LEAST ? DOCTOR_LIMITED : DOCTOR_OK,
		   room < SPACE_LEAST ? "make room, or bound the file by INTERCEPT_MAX_FILE or "
					"INTERCEPT_KEEP_LAST"
				      : "",
		   "%s left on the disk of %s", bytes, name);
}

static bool doctor_is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

/* Folders are not made by recording; a pattern in a folder's name is not expanded here. */
static void doctor_look_at_output(struct doctor_line *line, const char *given, const char *folder)
{
	char name[PATH_MAX + 64];

	snprintf(name, sizeof(name), "INTERCEPT_OUTPUT='%.400s'", given);
	if (doctor_is_below(folder, "/dev") || doctor_is_below(folder, "/proc"))
		doctor_say(line, DOCTOR_STOPS, "name a file in another folder",
			   "%s: /dev and /proc are no place for it", name);
	else if (strchr(folder, '%'))
		doctor_say(line, DOCTOR_LIMITED, "make the folders before programs start",
			   "%s: its folder is another one for each program", name);
	else if (access(folder, W_OK | X_OK))
		doctor_say(line, DOCTOR_STOPS, "make it, or name another one by INTERCEPT_OUTPUT",
			   "%s: no file can be made in the folder '%.400s': %s", name, folder,
			   strerror(errno));
	else
		doctor_say_room(line, folder, name);
}

void check_output(const struct doctor *doctor, struct doctor_line *line)
{
	const char *given = getenv("INTERCEPT_OUTPUT");
	const char *slash = given ? strrchr(given, '/') : NULL;
	char folder[PATH_MAX];

	(void)doctor;
	if (slash && slash[1]) {
		snprintf(folder, sizeof(folder), "%.*s", slash == given ? 1 : (int)(slash - given),
			 given);
		doctor_look_at_output(line, given, folder);
	} else if (access(".", W_OK)) {
		doctor_say(line, DOCTOR_STOPS,
			   "change to another folder, or name one by INTERCEPT_OUTPUT",
			   "the current folder cannot be written: %s", strerror(errno));
	} else {
		doctor_say_room(line, ".", "the current folder");
	}
}

void check_allocator(const struct doctor *doctor, struct doctor_line *line)
{
	static const char *const others[] = { "jemalloc", "tcmalloc", "mimalloc" };
	const char *preloaded = getenv("LD_PRELOAD");

	(void)doctor;
	for (size_t i = 0; preloaded && i < 3; i++) {
		const char *other = strstr(preloaded, others[i]),
			   *own = strstr(preloaded, "libintercept.so");

		if (!other)
			continue;
		if (own && own > other)
			doctor_say(line, DOCTOR_MISSING, "put libintercept.so first in LD_PRELOAD",
				   "%s comes before libintercept.so in LD_PRELOAD: the heap is not "
				   "recorded",
				   others[i]);
		else
			doctor_say(line, DOCTOR_OK, "", "%s, by LD_PRELOAD", others[i]);
		return;
	}
	doctor_say(line, DOCTOR_OK, "", "that of the program; LD_PRELOAD names no other");
}

void check_stacks(const struct doctor *doctor, struct doctor_line *line)
{
	unsigned int major = 0, minor = 0;

	(void)doctor;
	sscanf(gnu_get_libc_version(), "%3u.%3u", &major, &minor);
	if (major == 2 && minor < 35)
		doctor_say(line, DOCTOR_LIMITED, "record where glibc is 2.35 or newer",
			   "glibc %s: INTERCEPT_STACKS=native and python record callers only",
			   gnu_get_libc_version());
	else
		doctor_say(line, DOCTOR_OK, "", "glibc %s", gnu_get_libc_version());
}

void check_seccomp(const struct doctor *doctor, struct doctor_line *line)
{
	long mode = status_number("Seccomp:");

	(void)doctor;
	if (mode == 2)
		doctor_say(line, DOCTOR_OK, "",
			   "a filter of system calls is in force; the lines below say what it "
			   "refuses");
	else if (mode < 0)
		doctor_say(line, DOCTOR_LIMITED, "", "not known: /proc/self/status has no Seccomp");
	else
		doctor_say(line, DOCTOR_OK, "", "no filter of system calls");
}

static void say_perf_refused(struct doctor_line *line, int error, long paranoid)
{
	if (error == ENOSYS && !is_filtered())
		doctor_say(line, DOCTOR_MISSING, "", "the kernel has no perf_event_open()");
	else if ((error == EACCES || error == EPERM) && paranoid > 2)
		doctor_say(line, DOCTOR_MISSING,
			   "set kernel.perf_event_paranoid to 2 or less, or give the program "
			   "CAP_PERFMON",
			   "kernel.perf_event_paranoid is %ld: perf_event_open() is refused",
			   paranoid);
	else if (is_filtered())
		doctor_say(line, DOCTOR_MISSING,
			   "in a container use --cap-add PERFMON, or a seccomp profile that allows "
			   "it",
			   "a filter of system calls refuses perf_event_open(): %s",
			   strerror(error));
	else
		doctor_say(line, DOCTOR_MISSING, "look for a security module or sandbox",
			   "perf_event_open() is refused: %s", strerror(error));
}

/* As collector/native/perf_open.c opens it, for this thread. */
void check_perf(const struct doctor *doctor, struct doctor_line *line)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_regs_user = REGISTERS_ALL,
		.sample_stack_user = STACK_BYTES,
	};
	long file = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int error = errno;

	(void)doctor;
	if (file < 0) {
		say_perf_refused(line, error,
				 file_number("/proc/sys/kernel/perf_event_paranoid", 0));
		return;
	}
	close((int)file);
	doctor_say(line, DOCTOR_OK, "",
		   "perf_event_open() works; ask for them by "
		   "INTERCEPT_TRACE=+native-samples");
}

void check_memory(const struct doctor *doctor, struct doctor_line *line)
{
	int64_t from = 41, to = 0;
	struct iovec local = { &to, sizeof(to) }, remote = { &from, sizeof(from) };

	(void)doctor;
	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)sizeof(to))
		doctor_say(line, DOCTOR_OK, "", "process_vm_readv() works");
	else
		doctor_say(line, DOCTOR_MISSING,
			   is_filtered() ? "in a container use a seccomp profile that allows it, "
					   "or --cap-add SYS_PTRACE"
					 : "look for a security module or sandbox",
			   "process_vm_readv() is refused: %s; no line of Python has a time",
			   strerror(errno));
}

void check_scope(const struct doctor *doctor, struct doctor_line *line)
{
	long scope = file_number("/proc/sys/kernel/yama/ptrace_scope", 0);

	(void)doctor;
	if (scope <= 0 || !geteuid())
		doctor_say(line, scope > 2 ? DOCTOR_LIMITED : DOCTOR_OK, "",
			   scope <= 0 ? "programs of this user may be looked at"
				      : "it is %ld, and this user is root",
			   scope);
	else if (scope == 1)
		doctor_say(line, DOCTOR_OK, "for `intercept sample` use sudo",
			   "it is 1: programs that were started under intercept are sampled");
	else
		doctor_say(line, DOCTOR_MISSING,
			   "set kernel.yama.ptrace_scope to 1 or 0, or record as root",
			   "it is %ld: the kernel lets nobody but root read a program's memory",
			   scope);
}

static bool has_python(const struct doctor_python *python, struct doctor_line *line)
{
	if (python->path[0] && !python->why[0])
		return true;
	doctor_say(line, DOCTOR_MISSING, "", "no interpreter to ask");
	return false;
}

void check_interpreter(const struct doctor *doctor, struct doctor_line *line)
{
	const struct doctor_python *python = &doctor->python;

	if (!python->path[0])
		doctor_say(line, DOCTOR_MISSING, "name one by PYTHON in the environment",
			   "no python3 in PATH");
	else if (python->why[0])
		doctor_say(line, DOCTOR_MISSING,
			   python->spoiler ? "correct or unset that variable"
					   : "name another one by PYTHON in the environment",
			   "'%.200s': %s", python->path, python->why);
	else if (strcmp(python->implementation, "cpython") != 0)
		doctor_say(line, DOCTOR_MISSING, "run the program with CPython 3.8 to 3.14",
			   "'%.200s' is %s %s: no stacks of Python", python->path,
			   python->implementation, python->version);
	else if (python->major != 3 || python->minor < 8 || python->minor > 14)
		doctor_say(line, DOCTOR_MISSING, "run the program with CPython 3.8 to 3.14",
			   "'%.200s' is CPython %s, which is not known: no stacks of Python",
			   python->path, python->version);
	else
		doctor_say(line, DOCTOR_OK, "", "%.200s, CPython %s", python->path,
			   python->version);
}

void check_runtime(const struct doctor *doctor, struct doctor_line *line)
{
	if (!has_python(&doctor->python, line))
		return;
	if (!strcmp(doctor->python.runtime, "yes"))
		doctor_say(line, DOCTOR_OK, "", "_PyRuntime is visible");
	else if (!strcmp(doctor->python.runtime, "no"))
		doctor_say(line, DOCTOR_MISSING,
			   "use an interpreter that was not stripped of its dynamic symbols",
			   "_PyRuntime is not visible: no stacks of Python");
	else
		doctor_say(line, DOCTOR_LIMITED, "",
			   "not known: this interpreter has no ctypes to look with");
}

void check_torch(const struct doctor *doctor, struct doctor_line *line)
{
	if (!has_python(&doctor->python, line))
		return;
	if (doctor->python.torch[0])
		doctor_say(line, DOCTOR_OK, "", "%s", doctor->python.torch);
	else
		doctor_say(line, DOCTOR_MISSING, "name the program's interpreter by PYTHON",
			   "not installed in this interpreter: no operators");
}

void check_driver(const struct doctor *doctor, struct doctor_line *line)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);

	(void)doctor;
	if (driver) {
		doctor_say(line, DOCTOR_OK, "", "libcuda.so.1 can be loaded");
		dlclose(driver);
		return;
	}
	doctor_say(line, DOCTOR_MISSING, "install NVIDIA's driver; in a container use --gpus all",
		   "libcuda.so.1 cannot be loaded: nothing of a GPU");
}

void check_cupti(const struct doctor *doctor, struct doctor_line *line)
{
	static const char *const names[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
					     "libcupti.so" };
	void *found = NULL;
	size_t i = 0;

	if (doctor->python.cupti[0]) {
		doctor_say(line, DOCTOR_OK, "", "%.400s", doctor->python.cupti);
		return;
	}
	for (; !found && i < sizeof(names) / sizeof(names[0]); i++)
		found = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	if (found) {
		doctor_say(line, DOCTOR_OK, "", "%s", names[i - 1]);
		dlclose(found);
		return;
	}
	doctor_say(line, DOCTOR_MISSING,
		   "install the program's nvidia-cuda-cupti package, or the CUDA Toolkit",
		   "no libcupti beside this interpreter's packages or in the loader's folders: "
		   "calls of CUDA only, no work of the GPU");
}

/* Only loads it: nvmlInit() could wait for the driver. */
void check_nvml(const struct doctor *doctor, struct doctor_line *line)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);

	(void)doctor;
	if (library) {
		doctor_say(line, DOCTOR_OK, "", "libnvidia-ml.so.1 can be loaded");
		dlclose(library);
		return;
	}
	doctor_say(line, DOCTOR_MISSING,
		   "it comes with NVIDIA's driver; in a container set "
		   "NVIDIA_DRIVER_CAPABILITIES=compute,utility",
		   "libnvidia-ml.so.1 cannot be loaded: no clocks, power and throttling of a GPU");
}
