/* SPDX-License-Identifier: MIT */
/*
 * Counts calls of functions and copies; injects failures and delays.
 *
 * The environment is read when a library is opened. A forked child starts at zero.
 */
#include "tests/fake/device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread struct fake_thread fake_thread;
struct fake_library fake_libraries[FAKE_LIBRARIES];
_Atomic uint64_t fake_stub_calls;
_Atomic uint64_t fake_copy_calls[EVT_CUDA_COPY_LIMIT], fake_copy_bytes[EVT_CUDA_COPY_LIMIT];

static pthread_mutex_t libraries_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fake_function *function_find(struct fake_library *library, const char *name,
					   size_t length)
{
	unsigned int i;

	for (i = 0; i < library->count; i++) {
		struct fake_function *function = &library->functions[i];

		if (strlen(function->name) == length && !memcmp(function->name, name, length))
			return function;
	}
	return NULL;
}

static void rule_add(struct fake_function *function, uint64_t nth, int code)
{
	struct fake_rule *rule = calloc(1, sizeof(*rule));

	if (!rule)
		return;
	rule->nth = nth;
	rule->code = code;
	rule->next = function->rules;
	function->rules = rule;
}

/* NAME[:NTH]=NUMBER, commas between. Names of other libraries are left to them. */
static void settings_apply(struct fake_library *library, const char *text, bool is_delay)
{
	while (text && *text) {
		size_t length = strcspn(text, ":=,");
		struct fake_function *function = function_find(library, text, length);
		const char *nth = text[length] == ':' ? text + length + 1 : NULL;
		const char *value = strchr(text + length, '=');

		if (function && value && is_delay)
			function->delay_ns = strtoull(value + 1, NULL, 0);
		else if (function && value)
			rule_add(function, nth && *nth != '*' ? strtoull(nth, NULL, 0) : 0,
				 atoi(value + 1));
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
}

/* CUPTI's number of a function that has the device do something. */
static uint32_t callback_of(const char *name, bool is_runtime)
{
	static const struct {
		const char *name;
		uint32_t id;
		bool is_runtime;
	} known[] = {
#define RUNTIME(id, name, constant) { #name, id, true },
#define DRIVER(id, name) { #name, id, false },
#include "preload/gpu/callbacks.def"
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].is_runtime == is_runtime && !strcmp(known[i].name, name))
			return known[i].id;
	return 0;
}

static struct fake_library *library_fill(struct fake_library *library, const char *soname,
					 const char *const *names, unsigned int count)
{
	unsigned int i;

	library->functions = calloc(count, sizeof(*library->functions));
	library->soname = strdup(soname);
	if (!library->functions || !library->soname)
		abort();
	library->is_runtime = strstr(soname, "libcudart") != NULL;
	for (i = 0; i < count; i++) {
		library->functions[i].name = strdup(names[i]);
		library->functions[i].callback = callback_of(names[i], library->is_runtime);
	}
	library->count = count;
	settings_apply(library, getenv("FAKE_CUDA_FAIL"), false);
	settings_apply(library, getenv("FAKE_CUDA_DELAY"), true);
	return library;
}

struct fake_library *fake_library_open(const char *soname, const char *const *names,
				       unsigned int count, unsigned int hooked)
{
	struct fake_library *found = NULL;
	unsigned int i;

	pthread_mutex_lock(&libraries_lock);
	for (i = 0; !found && i < FAKE_LIBRARIES; i++) {
		struct fake_library *library = &fake_libraries[i];

		if (!library->soname) {
			found = library_fill(library, soname, names, count);
			found->hooked = hooked;
		} else if (!strcmp(library->soname, soname)) {
			found = library;
		}
	}
	pthread_mutex_unlock(&libraries_lock);
	if (!found)
		abort();
	return found;
}

uint64_t fake_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Waits as a driver that spins does. The first half of a second or more is slept, by the kernel's
 * call, so that a thread of a machine of any load is seen waiting, too, not only ready to run.
 */
static void wait_in_call(uint64_t ns)
{
	uint64_t end = fake_now() + ns;
	struct timespec half = { (time_t)(ns / 2000000000), (long)(ns / 2 % 1000000000) };

	if (ns >= 1000000000)
		syscall(SYS_nanosleep, &half, NULL);
	while (fake_now() < end)
		continue;
}

/* Of all calls so far. */
static _Atomic uint32_t correlations;

void fake_correlations_begin(void)
{
	atomic_store(&correlations, 0);
}

void fake_call_tell(struct fake_call *call, bool is_done, int result)
{
	const struct fake_tool *tool = atomic_load(&fake_tool);

	if (!is_done) {
		call->outer_correlation = fake_thread.correlation;
		fake_thread.correlation = atomic_fetch_add(&correlations, 1) + 1;
	}
	if (tool && call->function->callback)
		tool->call(call, is_done, result);
	if (is_done)
		fake_thread.correlation = call->outer_correlation;
}

static void driver_start(void)
{
	void (*start)(void), *driver;

	if (!getenv("CUDA_INJECTION64_PATH"))
		return;
	driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	start = driver ? (void (*)(void))dlsym(driver, "cuda_fake_start") : NULL;
	if (start)
		start();
}

/*
 * As the real runtime: the first call that needs a device starts the driver, and that the tools;
 * others wait for it.
 */
static void driver_need(const struct fake_function *function)
{
	enum { NOT, STARTING, STARTED };
	static _Atomic int stage;
	static __thread bool is_mine;
	int not = NOT;

	if (stage == STARTED || is_mine || !strncmp(function->name, "__cuda", 6))
		return;
	/* set first, and for ever: a handler of the starting thread must not wait for it */
	is_mine = true;
	if (atomic_compare_exchange_strong(&stage, &not, STARTING)) {
		driver_start();
		stage = STARTED;
	}
	while (stage != STARTED)
		sched_yield();
}

int fake_enter(struct fake_call *call, struct fake_library *library, unsigned int number)
{
	struct fake_function *function = &library->functions[number];
	const char *self = fake_thread.self;
	const struct fake_rule *rule;
	uint64_t nth;

	call->function = function;
	call->is_runtime = library->is_runtime;
	call->outer_nested = fake_thread.nested;
	fake_thread.nested = self && !strcmp(self, function->name);
	if (fake_thread.nested) {
		fake_thread.self = NULL;
		return 0;
	}
	if (library->is_runtime)
		driver_need(function);
	nth = atomic_fetch_add(&function->calls, 1) + 1;
	if (function->callback)
		fake_call_tell(call, false, 0);
	if (function->delay_ns)
		wait_in_call(function->delay_ns);
	for (rule = function->rules; rule; rule = rule->next) {
		if (!rule->nth || rule->nth == nth)
			return rule->code;
	}
	return 0;
}

int fake_leave(struct fake_call *call, int result)
{
	if (result && result != CUDA_NOT_READY && !fake_thread.nested)
		atomic_fetch_add(&call->function->errors, 1);
	if (result && call->is_runtime)
		fake_thread.last_error = result;
	if (call->function->callback && !fake_thread.nested)
		fake_call_tell(call, true, result);
	fake_leave_plain(call);
	return result;
}

static bool is_finished;

void fake_leave_plain(struct fake_call *call)
{
	bool was_nested = fake_thread.nested;

	fake_thread.nested = call->outer_nested;
	/* after our destructor nothing else would write it */
	if (is_finished && !was_nested)
		fake_cuda_write();
}

int fake_copied(unsigned int kind, size_t bytes)
{
	struct fake_work work = { .kind = kind == EVT_CUDA_COPY_MEMSET ? FAKE_SET : FAKE_COPY,
				  .copy = kind,
				  .is_pinned = fake_thread.copy_is_pinned,
				  .bytes = bytes };

	if (kind >= EVT_CUDA_COPY_LIMIT)
		return FAKE_BAD_DIRECTION;
	if (!fake_thread.nested) {
		atomic_fetch_add(&fake_copy_calls[kind], 1);
		atomic_fetch_add(&fake_copy_bytes[kind], bytes);
	}
	fake_device_submit(&work, fake_thread.copy_stream);
	fake_device_stage(&work);
	fake_thread.copy_stream = NULL;
	fake_thread.copy_is_pinned = false;
	return 0;
}

unsigned int fake_device_count(void)
{
	const char *text = getenv("FAKE_CUDA_DEVICES"), *visible = getenv("CUDA_VISIBLE_DEVICES");
	unsigned int count = text ? (unsigned int)atoi(text) : 1, shown = 0;

	if (count > FAKE_DEVICES)
		count = FAKE_DEVICES;
	if (!visible || !*visible)
		return count;
	for (shown = 1; (visible = strchr(visible, ',')); visible++)
		shown++;
	return shown < count ? shown : count;
}

unsigned int fake_device_physical(unsigned int device)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");

	if (!visible || !*visible)
		return device;
	while (device-- && strchr(visible, ','))
		visible = strchr(visible, ',') + 1;
	return (unsigned int)atoi(visible);
}

static void name_forget(struct fake_name *name, void *context)
{
	(void)context;
	atomic_store(&name->launches, 0);
	atomic_store(&name->device_calls, 0);
	atomic_store(&name->device_ns, 0);
}

static void child_start(void)
{
	unsigned int i, j;

	for (i = 0; i < FAKE_LIBRARIES; i++) {
		for (j = 0; j < fake_libraries[i].count; j++) {
			atomic_store(&fake_libraries[i].functions[j].calls, 0);
			atomic_store(&fake_libraries[i].functions[j].errors, 0);
		}
	}
	for (i = 0; i < EVT_CUDA_COPY_LIMIT; i++) {
		atomic_store(&fake_copy_calls[i], 0);
		atomic_store(&fake_copy_bytes[i], 0);
	}
	/* a tool of the parent is none of ours */
	atomic_store(&fake_tool, NULL);
	memset(fake_device_copies, 0, sizeof(fake_device_copies));
	memset(&fake_device_overheads, 0, sizeof(fake_device_overheads));
	atomic_store(&fake_device_waits, 0);
	atomic_store(&fake_device_dropped, 0);
	atomic_store(&fake_stub_calls, 0);
	fake_memory_forget();
	fake_names_each(name_forget, NULL);
	fake_memory_unlock();
}

__attribute__((constructor)) static void counts_start(void)
{
	pthread_atfork(fake_memory_lock, fake_memory_unlock, child_start);
}

__attribute__((destructor)) static void counts_end(void)
{
	is_finished = true;
	fake_cuda_write();
}
