/* SPDX-License-Identifier: MIT */
/*
 * The function object nn.Module.__call__ gets module_call() as its vectorcall, which records a
 * begin, calls the original and records an end. modules.py, which is embedded as bytes, finds a
 * module's name when it is called in a place where it was not seen before.
 */
/* cases: torch_modules */
#include "preload/modules/modules.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/interpreter.h"
#include "preload/base/symbols.h"
#include "preload/modules/module_names.h"
#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/python/python_string.h"
#include "preload/python/vectorcall.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/settings/settings.h"
#include "preload/record/strings.h"

#define HOME "torch.nn.modules.module"
/* Python code that calls a function object itself enters its code: vectorcall.h */
#define MINOR_THAT_ENTERS 11

/* The bytes of modules.py, followed by a 0. */
__asm__(".pushsection .rodata\n"
	"modules_resolve:\n"
	".incbin \"preload/modules/modules.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char modules_resolve[] __attribute__((visibility("hidden")));

/* Set before the first call is seen; with the GIL. */
static struct {
	void *resolve, *lost;        /* of modules.py */
	void (*pause)(void *state);  /* the program's tracing and profiling; since 3.11 */
	void (*resume)(void *state); /* the same */
	void *(*state)(void);
	_Atomic(vectorcall *) whole, inner; /* of Module.__call__ and _call_impl */
} modules;

/* The call that a thread is in. */
struct module_place {
	uint64_t module;  /* its address; of a wrapper's, that of the module in it */
	uint64_t tree;    /* the number of the tree that it is named in */
	uintptr_t at;     /* where the call's frame is: inner ones are lower. 0: no call */
	void *entered;    /* the object whose __call__ has begun, and its _call_impl has not */
	bool is_wrappers; /* the next call of the module is a part of this call */
};

/*
 * A value, not a list: what is around a call is kept in that call's own frame, so that nothing is
 * left behind by a stack that is abandoned or copied away (greenlets).
 */
static __thread struct module_place module_around __attribute__((tls_model("initial-exec")));

/* --- names --- */

static bool as_number(void *tuple, ssize_t index, uint64_t *ret_number)
{
	void *item = python_api.PyTuple_GetItem(tuple, index);
	long number = item ? python_api.PyLong_AsLong(item) : -1;

	*ret_number = (uint64_t)number;
	return number >= 0;
}

/* Calls a function of modules.py: the result is to be released; NULL: it failed. */
static void *modules_call(void *function, void *first, void *second, void *third)
{
	void *state = modules.pause && modules.resume ? modules.state() : NULL, *answer;

	if (state)
		modules.pause(state);
	answer = python_api.PyObject_CallFunctionObjArgs(function, first, second, third, NULL);
	if (state)
		modules.resume(state);
	if (!answer)
		python_api.PyErr_Clear();
	return answer;
}

/* Returns resolve()'s answer, to be released; NULL: it has none. */
static void *modules_ask(void *self, const struct module_place *around)
{
	void *key = python_api.PyLong_FromVoidPtr((void *)(uintptr_t)around->module);
	void *tree = python_api.PyLong_FromVoidPtr((void *)(uintptr_t)around->tree);
	void *answer = key && tree ? modules_call(modules.resolve, self, key, tree) : NULL;

	if (key)
		python_api.Py_DecRef(key);
	if (tree)
		python_api.Py_DecRef(tree);
	return answer;
}

static bool module_record_begin(const struct string *name)
{
	return recorder_record(EVT_FAMILY_modules, EVT_torch_module_begin,
			       &(struct recorder_field){ .text = name }, 1);
}

/* For wrappers and for modules that are not known here. Returns whether a begin was recorded. */
static bool module_begin_asked(void *self, const struct module_place *around, uintptr_t at)
{
	struct module_place now = { .at = at, .entered = self };
	int saved = errno;
	void *answer = modules_ask(self, around), *text;
	bool is_recorded = false;

	if (answer && as_number(answer, 0, &now.module) && as_number(answer, 1, &now.tree)) {
		text = python_api.PyTuple_GetItem(answer, 2);
		now.is_wrappers = now.module != (uintptr_t)self;
		if (!around->is_wrappers || around->module != now.module) {
			struct string name = python_string(text);

			is_recorded = module_record_begin(&name);
			if (!now.is_wrappers && !vectorcall_is_free_threaded())
				module_names_put(self, around->at ? around->tree : MODULE_ALONE,
						 now.tree, text);
		}
		module_around = now;
	}
	if (answer)
		python_api.Py_DecRef(answer);
	errno = saved;
	return is_recorded;
}

/* --- calls --- */

static bool module_begin(void *self, uintptr_t at)
{
	struct module_place around = module_around;
	const struct module_name *known;

	if (around.at <= at) /* left by longjmp(), or none */
		around = (struct module_place){ 0 };
	if (around.is_wrappers && around.module == (uintptr_t)self) {
		module_around = (struct module_place){ around.module, around.tree, at, self,
						       false };
		return false;
	}
	known = module_names_find(self, around.at ? around.tree : MODULE_ALONE);
	if (!known)
		return module_begin_asked(self, &around, at);
	module_around = (struct module_place){ (uintptr_t)self, known->named_in, at, self, false };
	return module_record_begin(&known->name);
}

static void *module_run(vectorcall *original, void *callable, void *const *argument, size_t flags,
			void *names)
{
	const struct module_place before = module_around;
	bool is_recorded = module_begin(argument[0], (uintptr_t)__builtin_frame_address(0));
	void *result = original(callable, argument, flags, names);

	if (is_recorded)
		(void)recorder_record(EVT_FAMILY_modules, EVT_torch_module_end, NULL, 0);
	module_around = before;
	return result;
}

/* Module.__call__(self, ...) */
static void *module_call(void *callable, void *const *argument, size_t flags, void *names)
{
	vectorcall *original = vectorcall_original(&modules.whole);

	if (!(flags & ~PYTHON_ARGUMENTS_OFFSET))
		return original(callable, argument, flags, names);
	return module_run(original, callable, argument, flags, names);
}

/* Module._call_impl(self, ...): a call of its own if nobody has seen its __call__. */
static void *module_call_inner(void *callable, void *const *argument, size_t flags, void *names)
{
	vectorcall *original = vectorcall_original(&modules.inner);

	if ((flags & ~PYTHON_ARGUMENTS_OFFSET) && module_around.entered != argument[0])
		return module_run(original, callable, argument, flags, names);
	module_around.entered = NULL;
	return original(callable, argument, flags, names);
}

/* --- the way in --- */

static void *module_forget(void *self, void *key)
{
	(void)self;
	module_names_forget((uint64_t)python_api.PyLong_AsLong(key));
	python_api.Py_IncRef(key);
	return key;
}

/*
 * The callback of a weak reference whose module has ended. lost() may release the last reference to
 * `place` but ours.
 */
static void *module_gone(void *self, void *place)
{
	void *answer;

	(void)self;
	python_api.Py_IncRef(place);
	answer = modules_call(modules.lost, place, NULL, NULL);
	if (answer)
		python_api.Py_DecRef(answer);
	return place;
}

/* A new reference; NULL: there is none. */
static void *modules_take(void *globals, const char *name)
{
	void *function = python_api.PyDict_GetItemString(globals, name);

	if (function)
		python_api.Py_IncRef(function);
	return function;
}

/* Runs modules.py and takes its two functions. */
static bool modules_run(void)
{
	static struct python_method methods[] = {
		{ "forget", module_forget, PYTHON_METH_O, NULL },
		{ "gone", module_gone, PYTHON_METH_O, NULL },
	};
	void *globals = python_globals();

	if (!globals)
		return false;
	python_put_methods(globals, methods, sizeof(methods) / sizeof(methods[0]));
	if (python_run(modules_resolve, globals)) {
		modules.resolve = modules_take(globals, "resolve");
		modules.lost = modules_take(globals, "lost");
	}
	python_api.Py_DecRef(globals);
	return modules.resolve && modules.lost;
}

static bool modules_put(void *class, const char *name, vectorcall *ours,
			_Atomic(vectorcall *) *original)
{
	void *function = python_attribute(class, name);
	bool is_put = function && vectorcall_put(function, ours, original);

	if (function)
		python_api.Py_DecRef(function);
	return is_put;
}

static bool modules_follow(void)
{
	void *home = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(), HOME);
	void *class = python_attribute(home, "Module");
	bool follows;

	modules.pause = (void (*)(void *))symbols_find_loaded("PyThreadState_EnterTracing");
	modules.resume = (void (*)(void *))symbols_find_loaded("PyThreadState_LeaveTracing");
	modules.state = (void *(*)(void))symbols_find_loaded("PyThreadState_Get");
	follows = class && modules.state && vectorcall_find() && module_names_begin() &&
		  modules_run() && modules_put(class, "__call__", module_call, &modules.whole);
	if (follows && interpreter_minor() == MINOR_THAT_ENTERS)
		(void)modules_put(class, "_call_impl", module_call_inner, &modules.inner);
	if (class)
		python_api.Py_DecRef(class);
	return follows;
}

bool modules_begin(void *arguments)
{
	(void)arguments;
	if (settings.trace & 1u << SETTINGS_FAMILY_modules && !modules.resolve && !modules_follow())
		limitation_say(LIMITATION_modules_unknown, NULL);
	return true;
}
