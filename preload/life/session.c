/* SPDX-License-Identifier: MIT */
/*
 * Parses INTERCEPT_SESSION, decides whether the process records, and builds what children inherit.
 * Uses fixed buffers and system calls only.
 */
#include "preload/life/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/life/child_environment.h"
#include "preload/life/lineage.h"

#define NUMBER_DIGITS 20u /* of a long */

struct session session;
static bool place_was_handed_on; /* to this process, by its parent */

static bool session_text_copy(char *to, size_t room, const char *from, size_t length)
{
	if (length >= room)
		return false;
	memcpy(to, from, length);
	to[length] = 0;
	return true;
}

/* --- what this program is --- */

/* Appends the number, which is not negative, in decimal. */
static void number_append(char *text, long number)
{
	char digits[NUMBER_DIGITS + 1];
	size_t at = sizeof(digits);

	digits[--at] = 0;
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	strcat(text, digits + at);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum launcher_kind {
	LAUNCHER_NONE,
	LAUNCHER_OF_ANY,
	LAUNCHER_OF_ONE_PROGRAM, /* forks, and starts one program in the child */
};

/* `exe`: the link to the executable file in /proc. `name`: stands for it if it cannot be read. */
static enum launcher_kind launcher_kind_of(const char *exe, const char *name)
{
	static const struct {
		const char *name;
		enum launcher_kind kind;
	} launchers[] = {
#define LAUNCHER(name) { name, LAUNCHER_OF_ANY },
#define LAUNCHER_OF_ONE(name) { name, LAUNCHER_OF_ONE_PROGRAM },
#include "preload/life/launchers.def"
	};
	char path[REGION_PATH_BYTES];
	ssize_t length = readlink(exe, path, sizeof(path) - 1);

	if (length > 0) {
		path[length] = 0;
		name = base_name(path);
	}
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strcmp(name, launchers[i].name) == 0)
			return launchers[i].kind;
	return LAUNCHER_NONE;
}

static bool program_is_launcher(void)
{
	return launcher_kind_of("/proc/self/exe", program_invocation_short_name) != LAUNCHER_NONE;
}

/*
 * True if the process with the first place is our parent, and has started no other program:
 * `timeout`, which waits in the parent while the program runs in the child. If the parent has
 * ended already, its place is not handed on.
 */
static bool place_is_handed_on(long place)
{
	char exe[sizeof("/proc/") + NUMBER_DIGITS + sizeof("/exe")] = "/proc/";

	if (place <= 0 || place != (long)getppid())
		return false;
	number_append(exe, place);
	strcat(exe, "/exe");
	return launcher_kind_of(exe, "") == LAUNCHER_OF_ONE_PROGRAM;
}

/*
 * True if the program is linked with libpython, or is a static interpreter, which exports the API
 * for its extensions.
 */
static bool session_program_is_python(void)
{
	return dlsym(RTLD_DEFAULT, "Py_BytesMain") || dlsym(RTLD_DEFAULT, "Py_Main");
}

static void find_library(void)
{
	Dl_info info;
	char path[PATH_MAX];

	session.library[0] = 0;
	if (dladdr((void *)(uintptr_t)&session_begin, &info) && info.dli_fname &&
	    realpath(info.dli_fname, path))
		(void)session_text_copy(session.library, sizeof(session.library), path,
					strlen(path));
}

/*
 * True if we were opened with dlopen() (the driver does so, because of the injection variables) and
 * not preloaded: then heap calls do not pass through us. `preloaded` is the variable that ld.so
 * used. /etc/ld.so.preload and linking show in the global scope.
 */
static bool loaded_late(const char *preloaded)
{
	/* not RTLD_DEFAULT, which also searches the scope of the caller's library */
	void *program = dlopen(NULL, RTLD_LAZY);
	void *entry = program ? dlsym(program, "InitializeInjection") : NULL;
	Dl_info ours, found;

	if (preloaded && strstr(preloaded, base_name(session.library)))
		return false;
	if (!entry || !dladdr(entry, &found) || !dladdr((void *)(uintptr_t)&session_begin, &ours))
		return true;
	return found.dli_fbase != ours.dli_fbase;
}

/* --- the session --- */

static void session_make_id(void)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
		random = clock_ticks() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
	session_id_write(session.id, random);
}

/*
 * Reads "<id>:<pid>:<output>" into the session. Returns the pid, or -1 if the text is no session.
 */
static long session_parse(const char *inherited)
{
	const char *first = strchr(inherited, ':');
	char *end;
	long pid;

	if (!first || first == inherited)
		return -1;
	pid = strtol(first + 1, &end, 10);
	if (end == first + 1 || *end != ':' || end[1] != '/' || pid <= 0)
		return -1;
	if (!session_text_copy(session.id, sizeof(session.id), inherited,
			       (size_t)(first - inherited)) ||
	    !session_text_copy(session.output, sizeof(session.output), end + 1, strlen(end + 1)))
		return -1;
	return pid;
}

static enum session_role role_of_child(enum settings_children children)
{
	if (children == SETTINGS_CHILDREN_NONE)
		return SESSION_NEVER;
	if (children == SETTINGS_CHILDREN_ALL || session_program_is_python())
		return SESSION_ACTIVE;
	return SESSION_DORMANT;
}

/*
 * No session was inherited: finds one that a parent belongs to, or begins one here. Returns the
 * process that has the session's first place. Returns 0 if the place is still free, because a
 * static parent cannot take it.
 */
static long session_find(void)
{
	struct lineage lineage;
	long place = -1;

	lineage_find(base_name(session.library), &lineage);
	if (lineage.told[0])
		place = session_parse(lineage.told);
	if (place > 0)
		return place;
	if (lineage.id[0])
		(void)session_text_copy(session.id, sizeof(session.id), lineage.id,
					strlen(lineage.id));
	else
		session_make_id();
	return lineage.own || !lineage.aware ? 0 : lineage.pid;
}

void session_begin(const char *output, const char *inherited, const char *preloaded,
		   enum settings_children children)
{
	long place = inherited ? session_parse(inherited) : -1;

	find_library();
	session.late = loaded_late(preloaded);
	if (place < 0)
		place = session_find();
	place_was_handed_on = children != SETTINGS_CHILDREN_NONE && place_is_handed_on(place);
	if (place_was_handed_on)
		place = (long)getpid();
	session.fresh = !place;
	session.place = place ? place : (long)getpid();
	session.plain = children != SETTINGS_CHILDREN_ALL && !session_program_is_python();
	session.first = session.place == (long)getpid();
	if (!session.output[0] || (settings.output_varies && *output))
		(void)session_text_copy(session.output, sizeof(session.output), output,
					strlen(output));
	if (session.late)
		session.role = SESSION_DORMANT;
	else if (session.first)
		session.role = program_is_launcher() ? SESSION_DORMANT : SESSION_ACTIVE;
	else
		session.role = role_of_child(children);
}

/* --- what children inherit --- */

/*
 * If an entry of LD_PRELOAD names our file by a relative path, it becomes absolute. All others
 * stay.
 */
static void export_preload(const char *preloaded)
{
	char out[2 * REGION_PATH_BYTES];
	size_t used = 0, length;
	bool changed = false;

	for (const char *at = preloaded; *at; at += length) {
		char one[REGION_PATH_BYTES], real[PATH_MAX];
		const char *entry = one;

		length = strcspn(at, ": ");
		if (!length) {
			length = 1;
			entry = NULL;
		} else if (!session_text_copy(one, sizeof(one), at, length)) {
			return;
		} else if (one[0] != '/' && strchr(one, '/') && realpath(one, real) &&
			   strcmp(real, session.library) == 0) {
			entry = session.library;
			changed = true;
		}
		if (!session_text_copy(out + used, sizeof(out) - used, entry ? entry : at,
				       entry ? strlen(entry) : 1))
			return;
		used += entry ? strlen(entry) : 1;
	}
	if (changed)
		environment_set("LD_PRELOAD", out, 1);
}

static void export_session(void)
{
	char text[REGION_TEXT_BYTES + REGION_PATH_BYTES + 32];

	text[0] = 0;
	strcat(text, session.id);
	strcat(text, ":");
	number_append(text, session.place);
	strcat(text, ":");
	strcat(text, session.output);
	environment_set("INTERCEPT_SESSION", text, session.fresh || place_was_handed_on);
}

void session_export(const char *preloaded)
{
	if (session.late)
		return;
	if (preloaded)
		export_preload(preloaded);
	export_session();
	if (session.library[0]) {
		environment_set("CUDA_INJECTION64_PATH", session.library, 0);
		environment_set("NVTX_INJECTION64_PATH", session.library, 0);
	}
}

bool session_find_collector(char *path, unsigned int bytes)
{
	static const char *const places[] = { "/intercept-collector",
					      "/../libexec/intercept/intercept-collector",
					      "/../../libexec/intercept/intercept-collector" };
	size_t folder = (size_t)(base_name(session.library) - session.library);

	if (!folder)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (folder - 1 + strlen(places[i]) >= bytes)
			continue;
		memcpy(path, session.library, folder - 1);
		memcpy(path + folder - 1, places[i], strlen(places[i]) + 1);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}
