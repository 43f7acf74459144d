/* SPDX-License-Identifier: MIT */
/*
 * `threading` has a dict of its threads by identity; the name and the kernel's id are attributes.
 * They are read as the base class reads them, so that no code of a program's class runs.
 */
#include "preload/python/thread_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/symbols.h"
#include "preload/python/python_api.h"
#include "preload/record/event.h"
#include "preload/record/recorder.h"

#define TOLD 2048u /* remembered names, a power of two */
/* number of threads; with more, a look waits until this fraction of them is new */
#define FEW 64
#define PART 16
/* audit events to look at after a change: a thread that begins is listed before it has its id */
#define LOOKS_MAX 64u

static uint64_t told[TOLD]; /* marks made of thread and name; 0: none */
static void *active;        /* the dict; NULL: not known yet */
static ssize_t seen;        /* its size when it was last examined */
static unsigned int looks_left;
static bool has_ended;
static int (*is_finalizing)(void);

static bool is_told(uint64_t key)
{
	uint64_t *at = &told[(key ^ key >> 32) % TOLD];
	bool is_known = *at == key;

	*at = key;
	return is_known;
}

void *thread_names_attribute(void *object, const char *name)
{
	void *text = python_api.PyUnicode_InternFromString(name), *value = NULL;

	if (text) {
		value = python_api.PyObject_GenericGetAttr(object, text);
		python_api.Py_DecRef(text);
	}
	if (!value)
		python_api.PyErr_Clear();
	return value;
}

uint32_t thread_names_number_of(void *value)
{
	long number = value ? python_api.PyLong_AsLong(value) : 0;

	if (number == -1)
		python_api.PyErr_Clear(); /* None: the thread has not begun */
	return number > 0 && number <= INT32_MAX ? (uint32_t)number : 0;
}

void thread_names_tell(uint32_t tid, void *value, uint32_t pool_threads)
{
	size_t length;
	const char *bytes = python_utf8(value, &length);
	struct string name;
	uint64_t key;

	if (!bytes)
		return;
	name = string_of_bytes(bytes, length);
	key = name.hash ^ (uint64_t)tid * 0x9e3779b97f4a7c15u;
	if (is_told(key))
		return;
	if (!recorder_record(RECORDER_ANY, EVT_nvtx_thread_name,
			     (const struct recorder_field[]){ { .number = tid },
							      { .text = &name },
							      { .number = pool_threads } },
			     3))
		told[(key ^ key >> 32) % TOLD] = 0;
}

/* The main thread keeps the program's name. */
static void look_at_thread(void *thread)
{
	void *number = thread_names_attribute(thread, "_native_id"),
	     *name = thread_names_attribute(thread, "_name");
	uint32_t tid = thread_names_number_of(number);

	if (tid && name && tid != (uint32_t)syscall(SYS_getpid))
		thread_names_tell(tid, name, 0);
	if (number)
		python_api.Py_DecRef(number);
	if (name)
		python_api.Py_DecRef(name);
}

/* Examines a copy, because without a GIL other threads may change the dict. */
static void look_at_all(void)
{
	void *copy = python_api.PyDict_Copy(active), *key, *thread;
	ssize_t at = 0;

	if (!copy) {
		python_api.PyErr_Clear();
		return;
	}
	seen = 0;
	while (python_api.PyDict_Next(copy, &at, &key, &thread)) {
		look_at_thread(thread);
		seen++;
	}
	python_api.Py_DecRef(copy);
}

/* Finds `threading._active` once that module has been imported, and keeps it for ever. */
static void *active_find(void)
{
	void *modules = python_api.PyImport_GetModuleDict();
	void *module = modules ? python_api.PyDict_GetItemString(modules, "threading") : NULL;

	void *found = module ? thread_names_attribute(module, "_active") : NULL;

	if (!found || python_api.PyDict_Size(found) >= 0)
		return found;
	python_api.PyErr_Clear(); /* the program has replaced it by something that is no dict */
	python_api.Py_DecRef(found);
	return NULL;
}

/*
 * `starting`: the arguments of a thread's start, or NULL. What it allocates is no event of the
 * program's.
 */
static void names_look(void *starting)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	void *type, *value, *trace;

	python_api.PyErr_Fetch(&type, &value, &trace);
	if (!active)
		active = active_find();
	if (active && looks_left) {
		looks_left--;
		look_at_all();
	}
	if (starting)
		thread_starts_see(starting);
	python_api.PyErr_Restore(type, value, trace);
	if (lane)
		recorder_leave(lane);
}

bool thread_names_are_over(void)
{
	if (!is_finalizing)
		is_finalizing = (int (*)(void))symbols_find_loaded("Py_IsFinalizing");
	if (!is_finalizing)
		is_finalizing = (int (*)(void))symbols_find_loaded("_Py_IsFinalizing");
	return has_ended || !is_finalizing || is_finalizing();
}

/*
 * True if threads have begun or ended since the last look. With many threads, only if enough of
 * them are new.
 */
static bool has_changed(bool starts)
{
	ssize_t size = active ? python_api.PyDict_Size(active) : 0;
	ssize_t change = size > seen ? size - seen : seen - size;

	if (seen > FEW)
		return change * PART >= seen;
	return starts || change;
}

void thread_names_see(const char *event, void *arguments)
{
	bool starts = strncmp(event, "_thread.start_", 14) == 0;

	if (!active && !starts && strcmp(event, "import") != 0)
		return;
	if (has_changed(starts) || !active)
		looks_left = seen > FEW ? 1 : LOOKS_MAX;
	if ((looks_left || starts) && !thread_names_are_over())
		names_look(starts ? arguments : NULL);
}

void thread_names_end(void)
{
	looks_left = 1;
	if (!thread_names_are_over())
		names_look(NULL);
	has_ended = true;
}
