/* SPDX-License-Identifier: MIT */
/*
 * Names of threads at the moment they start. From 3.12 on, CPython raises an audit event with what
 * the thread will run, `Thread._bootstrap` of an object that has the name, and then calls
 * pthread_create() on the same thread. Before 3.12 that method is found by what pthread_create() is
 * given. CPython gives up the GIL only afterwards, so the new thread lives when its id is read.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/base/own_memory.h"
#include "preload/base/symbols.h"
#include "preload/hook/hook.h"
#include "preload/python/python_api.h"
#include "preload/python/sampling.h"
#include "preload/python/thread_names.h"
#include "preload/python/thread_state.h"
#include "preload/record/recorder.h"

/*
 * The thread that starts another one, as pthread_self() says, and the name, a reference of ours.
 * Without a GIL a second one waits for nobody: it is named by a later look.
 */
static _Atomic uint64_t starter;
static void *starting;
static uint32_t starting_pool; /* of its pool: how many threads that may have */
static unsigned int tid_offset;

#define EVENTS_MINOR 12u /* the first version that raises an event */

static bool is_bootstrap(void *function)
{
	void *code = thread_names_attribute(function, "__func__"), *name;
	const char *text;
	size_t length;
	bool is;

	name = code ? thread_names_attribute(code, "__name__") : NULL;
	text = python_utf8(name, &length);
	is = text && strcmp(text, "_bootstrap") == 0;
	if (name)
		python_api.Py_DecRef(name);
	if (code)
		python_api.Py_DecRef(code);
	return is;
}

/*
 * A thread of ThreadPoolExecutor runs _worker(reference to the executor, ...). The executor says
 * how many threads it may have; 0: the thread is of no pool.
 */
static uint32_t pool_threads_of(void *thread)
{
	void *(*referent)(void *) = (void *(*)(void *))symbols_find_loaded("PyWeakref_GetObject");
	void *arguments = thread_names_attribute(thread, "_args"), *executor = NULL, *count = NULL;
	uint32_t threads = 0;

	if (referent && arguments && python_api.PyTuple_Size(arguments) >= 3)
		executor = referent(python_api.PyTuple_GetItem(arguments, 0)); /* borrowed */
	if (executor)
		count = thread_names_attribute(executor, "_max_workers");
	if (count) {
		threads = thread_names_number_of(count);
		python_api.Py_DecRef(count);
	}
	if (arguments)
		python_api.Py_DecRef(arguments);
	python_api.PyErr_Clear();
	return threads;
}

/* A new reference. */
static void *name_of(void *function, uint32_t *ret_pool)
{
	void *object, *name;

	if (!is_bootstrap(function))
		return NULL;
	object = thread_names_attribute(function, "__self__");
	name = object ? thread_names_attribute(object, "_name") : NULL;
	*ret_pool = name ? pool_threads_of(object) : 0;
	if (object)
		python_api.Py_DecRef(object);
	return name;
}

/* The function that the thread will run. */
static void start_of(void *function)
{
	uint64_t self = (uint64_t)pthread_self(), none = 0;
	bool is_first;
	uint32_t pool = 0;
	void *name;

	if (!tid_offset && !(tid_offset = sampling_tid_offset()))
		return;
	name = name_of(function, &pool);
	if (!name)
		return;
	is_first = atomic_compare_exchange_strong(&starter, &none, self);
	if (!is_first && none != self) {
		python_api.Py_DecRef(name);
		return;
	}
	if (!is_first) /* no thread came of it */
		python_api.Py_DecRef(starting);
	starting = name;
	starting_pool = pool;
}

void thread_starts_see(void *arguments)
{
	if (python_api.PyTuple_Size(arguments) >= 1)
		start_of(python_api.PyTuple_GetItem(arguments, 0));
}

/* --- before 3.12 --- */

/* Functions of CPython, and a method's type. Set before is_before. */
static struct {
	void *(*own)(void), *(*current)(void);
	uint64_t method_type;
} before;
static _Atomic bool is_before;

void thread_starts_begin(void)
{
	if (python_minor() >= EVENTS_MINOR)
		return;
	before.own = (void *(*)(void))symbols_find_loaded("PyGILState_GetThisThreadState");
	before.current = (void *(*)(void))symbols_find_loaded("_PyThreadState_UncheckedGet");
	before.method_type = (uint64_t)(uintptr_t)symbols_find_loaded("PyMethod_Type");
	if (before.own && before.current && before.method_type)
		atomic_store(&is_before, true);
}

static bool has_gil(void)
{
	void *own = before.own();

	return own && own == before.current();
}

/*
 * pthread_create() gets {function, argument} of CPython's thread; that argument is {interpreter,
 * method, ...}. Others give what they like, so all is read by a system call, and the method's type
 * is compared.
 */
static void *method_of(void *argument)
{
	uint64_t given[2], boot[2], object[2];

	if (!own_memory_read((uint64_t)(uintptr_t)argument, given, sizeof(given)) ||
	    !own_memory_read(given[1], boot, sizeof(boot)) ||
	    !own_memory_read(boot[1], object, sizeof(object)))
		return NULL;
	return object[1] == before.method_type ? (void *)(uintptr_t)boot[1] : NULL;
}

static __attribute__((noinline)) void look_for_start(void *argument)
{
	struct recorder_lane *lane;
	void *method = has_gil() ? method_of(argument) : NULL, *type, *value, *trace;

	if (!method || thread_names_are_over())
		return;
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	python_api.PyErr_Fetch(&type, &value, &trace);
	start_of(method);
	python_api.PyErr_Restore(type, value, trace);
	if (lane)
		recorder_leave(lane);
}

/* --- pthread_create() --- */

/* With the GIL. */
static __attribute__((noinline)) void thread_has_started(uint64_t thread)
{
	void *name = starting;
	uint32_t tid = 0, pool = starting_pool;

	atomic_store_explicit(&starter, 0, memory_order_release);
	if (thread && own_memory_read(thread + tid_offset, &tid, sizeof(tid)) && tid)
		thread_names_tell(tid, name, pool);
	python_api.Py_DecRef(name);
}

HOOK_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       void *(*start)(void *), void *argument)
{
	int error;

	if ((__builtin_expect(!hook_ready, 0) && !hook_resolve()) || !hook_real.pthread_create)
		return EAGAIN;
	if (__builtin_expect(atomic_load_explicit(&is_before, memory_order_acquire), 0))
		look_for_start(argument);
	error = hook_real.pthread_create(thread, attributes, start, argument);
	if (__builtin_expect(atomic_load_explicit(&starter, memory_order_relaxed) ==
				     (uint64_t)pthread_self(),
			     0))
		thread_has_started(error ? 0 : (uint64_t)*thread);
	return error;
}
