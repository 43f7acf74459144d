/* SPDX-License-Identifier: MIT */
/*
 * Puts three functions into a fresh namespace and runs modules.py in it, which is embedded as bytes
 * and registers the hooks. module_begin records a name, module_end an end, and module_depth returns
 * the depth of the C stack.
 */
/* cases: torch_modules */
#include "preload/modules/modules.h"

#include <stdbool.h>
#include <stddef.h>

#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/python/python_string.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/settings/settings.h"
#include "preload/record/strings.h"

#define HOME "torch.nn.modules.module"

/* The bytes of modules.py, followed by a 0. */
__asm__(".pushsection .rodata\n"
	"modules_register:\n"
	".incbin \"preload/modules/modules.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char modules_register[] __attribute__((visibility("hidden")));

/* --- functions for the hooks: only module_depth()'s result is used --- */

static void *module_begin(void *self, void *text)
{
	struct string name = python_string(text); /* empty if it has no form in UTF-8 */

	(void)self;
	(void)recorder_record(EVT_FAMILY_modules, EVT_torch_module_begin,
			      &(struct recorder_field){ .text = &name }, 1);
	python_api.Py_IncRef(text);
	return text;
}

static void *module_end(void *self, void *nothing)
{
	(void)self;
	(void)recorder_record(EVT_FAMILY_modules, EVT_torch_module_end, NULL, 0);
	python_api.Py_IncRef(nothing);
	return nothing;
}

/* Returns where on the C stack the hook runs: smaller is deeper. */
static void *module_depth(void *self, void *nothing)
{
	(void)self;
	(void)nothing;
	return python_api.PyLong_FromVoidPtr(__builtin_frame_address(0));
}

/* --- registering --- */

static struct python_method methods[] = {
	{ "module_begin", module_begin, PYTHON_METH_O, NULL },
	{ "module_end", module_end, PYTHON_METH_O, NULL },
	{ "module_depth", module_depth, PYTHON_METH_O, NULL },
};

bool modules_begin(void *arguments)
{
	void *home, *globals;

	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_modules))
		return true;
	home = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(), HOME);
	globals = python_globals();
	if (!globals)
		return true;
	if (home)
		(void)python_api.PyDict_SetItemString(globals, "home", home);
	python_put_methods(globals, methods, sizeof(methods) / sizeof(methods[0]));
	if (!python_run(modules_register, globals))
		limitation_say(LIMITATION_modules_unknown, NULL);
	python_api.Py_DecRef(globals);
	return true;
}
