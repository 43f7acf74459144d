/* SPDX-License-Identifier: MIT */
/*
 * The hook sees every audited event, so it compares first letters before names. Functions that want
 * to hear of an event have a line in listeners.def.
 */
#include "preload/python/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/interpreter.h"
#include "preload/pyframes/pyframes.h"
#include "preload/python/embedding.h"
#include "preload/python/facts.h"
#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/python/python_hook.h"
#include "preload/python/sampling.h"
#include "preload/python/tasks.h"
#include "preload/python/thread_names.h"
#include "preload/record/event.h"
#include "preload/record/family.h"
#include "preload/record/strings.h"
#include "preload/record/trouble.h"
#include "preload/settings/settings.h"

/* The bytes of bootstrap.py, followed by a 0. */
__asm__(".pushsection .rodata\n"
	"python_bootstrap:\n"
	".incbin \"preload/python/bootstrap.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char python_bootstrap[] __attribute__((visibility("hidden")));

static _Atomic bool is_begun, has_run;

/* Returns an item of the argument tuple; false if it is no str. */
static bool python_argument(void *arguments, ssize_t index, struct string *ret_text)
{
	size_t length;
	const char *bytes = python_utf8(python_api.PyTuple_GetItem(arguments, index), &length);

	if (bytes)
		*ret_text = string_of_bytes(bytes, length);
	return bytes != NULL;
}

/*
 * fact(key, value) of bootstrap.py. Returns its arguments, because None would have to be looked up.
 */
static void *python_fact(void *self, void *arguments)
{
	struct string key, value;

	(void)self;
	if (python_argument(arguments, 0, &key) && python_argument(arguments, 1, &value))
		facts_put(&key, &value);
	python_api.Py_IncRef(arguments);
	return arguments;
}

/* The last of the program's exit functions has run. */
static void *python_ended(void *self, void *arguments)
{
	const struct string name = string_of("python");

	(void)self;
	thread_names_end();
	(void)recorder_record(EVT_FAMILY_alloc, EVT_teardown_begin,
			      &(struct recorder_field){ .text = &name }, 1);
	python_api.Py_IncRef(arguments);
	return arguments;
}

/* check_layout(...): see sampling.h */
static void *python_check_layout(void *self, void *arguments)
{
	(void)self;
	sampling_check(arguments);
	python_api.Py_IncRef(arguments);
	return arguments;
}

/* keep(module): the module lives for ever, because python -v would otherwise report its end. */
static void *python_keep(void *self, void *arguments)
{
	(void)self;
	python_api.Py_IncRef(arguments);
	python_api.Py_IncRef(arguments);
	return arguments;
}

static bool torch_is_wanted(void)
{
	return (settings.trace & 1u << SETTINGS_FAMILY_torch) ||
	       settings.capture == SETTINGS_CAPTURE_STEPS ||
	       settings.capture == SETTINGS_CAPTURE_TRIGGER ||
	       (settings.capture == SETTINGS_CAPTURE_RANGE && settings.capture_labels);
}

/*
 * Runs with the GIL, as audit hooks do. `owns_program`: the interpreter runs the program, so its
 * end is the program's end. An interpreter that a program embeds may end long before the program.
 */
static void run_bootstrap(bool owns_program)
{
	static struct python_method methods[] = {
		{ "check_layout", python_check_layout, PYTHON_METH_VARARGS, NULL },
		{ "fact", python_fact, PYTHON_METH_VARARGS, NULL },
		{ "ended", python_ended, PYTHON_METH_VARARGS, NULL },
		{ "keep", python_keep, PYTHON_METH_VARARGS, NULL },
	};
	void *globals;

	if (!torch_is_wanted() && !sampling_is_wanted() && !pyframes_are_wanted())
		return;
	globals = python_globals();
	if (!globals)
		return;
	if (sampling_is_wanted() || pyframes_are_wanted())
		python_put_methods(globals, methods, 1);
	if (torch_is_wanted())
		python_put_methods(globals, methods + 1, owns_program ? 3 : 1);
	(void)python_run(python_bootstrap, globals);
	python_api.Py_DecRef(globals);
}

static void tell_listeners(const char *event, void *arguments)
{
	static const struct {
		const char *event;
		bool (*see)(void *arguments);
	} listeners[] = {
#define LISTENER(event, function) { event, function },
#include "preload/python/listeners.def"
	};

	for (size_t i = 0; i < sizeof(listeners) / sizeof(listeners[0]); i++)
		if (strcmp(event, listeners[i].event) == 0 && !listeners[i].see(arguments))
			return;
}

/* Called once, before the program's first line. */
static void begin_program(bool owns_program, void *arguments)
{
	if (atomic_exchange(&has_run, true))
		return;
	trouble_look();
	tasks_find();
	thread_starts_begin();
	run_bootstrap(owns_program);
	tell_listeners("intercept.run", arguments);
}

static int audit(const char *event, void *arguments, void *data)
{
	(void)data;
	if (__builtin_expect(!atomic_load_explicit(&is_begun, memory_order_relaxed), 0) &&
	    !atomic_exchange(&is_begun, true))
		tell_listeners("intercept.memory", NULL);
	if (__builtin_expect(!atomic_load_explicit(&has_run, memory_order_relaxed), 0) &&
	    embedding_begins(event, arguments))
		begin_program(false, arguments);
	if (atomic_load_explicit(&has_run, memory_order_relaxed))
		thread_names_see(event, arguments);
	if (event[0] == 'c' && strncmp(event, "cpython.", 8) == 0) {
		python_hook_see(event);
		if (strncmp(event + 8, "run_", 4) == 0)
			begin_program(true, arguments);
		else
			tell_listeners(event, arguments);
	} else if ((event[0] == 'i' &&
		    (strcmp(event, "import") == 0 || strncmp(event, "intercept.", 10) == 0)) ||
		   (event[0] == 's' && (strcmp(event, "sys.setprofile") == 0 ||
					strcmp(event, "subprocess.Popen") == 0)) ||
		   (event[0] == 'o' &&
		    (strcmp(event, "os.fork") == 0 || strcmp(event, "os.system") == 0 ||
		     strcmp(event, "os.posix_spawn") == 0))) {
		tell_listeners(event, arguments);
	}
	return 0;
}

static void python_begin(void)
{
	interpreter_find();
	if (!(torch_is_wanted() || tasks_are_wanted() || sampling_is_wanted() ||
	      pyframes_are_wanted() || settings_want_python()) ||
	    !python_api_find() || python_api.Py_IsInitialized())
		return;
	python_hook_add(audit);
	tell_listeners("intercept.memory", NULL);
}

const struct family family_python = { .loaded = python_begin,
				      .start = sampling_tell,
				      .opened = facts_tell,
				      .forked = sampling_tell };
