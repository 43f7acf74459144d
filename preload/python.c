/* SPDX-License-Identifier: MIT */
/* See python.h. */
#include "preload/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "preload/init.h"
#include "preload/lightning.h"
#include "preload/modules.h"
#include "preload/python_api.h"
#include "preload/python_hook.h"
#include "preload/settings.h"
#include "preload/tensor_memory.h"
#include "preload/torch.h"

/* The bytes of bootstrap.py and a 0 behind them. */
__asm__(".pushsection .rodata\n"
	"python_bootstrap:\n"
	".incbin \"preload/bootstrap.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char python_bootstrap[] __attribute__((visibility("hidden")));

static _Atomic bool has_run;

/* Runs with the GIL, as audit hooks do. */
static void run_bootstrap(void)
{
	void *globals = python_globals();

	if (!globals)
		return;
	(void)python_run(python_bootstrap, globals);
	python_api.Py_DecRef(globals);
}

static int audit(const char *event, void *arguments, void *data)
{
	(void)data;
	if (event[0] == 'c' && strncmp(event, "cpython.", 8) == 0) {
		python_hook_see(event);
		if (strncmp(event + 8, "run_", 4) == 0 && !atomic_exchange(&has_run, true))
			run_bootstrap();
	} else if (event[0] == 'i' && strcmp(event, "import") == 0) {
		lightning_see_import(arguments);
	} else if (event[0] == 'i' && strcmp(event, "intercept.torch") == 0) {
		torch_begin();
		modules_begin();
	} else if (event[0] == 'i' && strcmp(event, "intercept.torch.shown") == 0) {
		if (torch_calibrate())
			tensor_memory_check();
	} else if (event[0] == 'i' && strcmp(event, "intercept.torch.inputs") == 0) {
		torch_calibrate_inputs();
	}
	return 0;
}

void python_begin(void)
{
	bool wanted = (settings.trace & 1u << SETTINGS_FAMILY_torch) ||
		      settings.capture == SETTINGS_CAPTURE_STEPS;

	if (!wanted || !python_api_find() || python_api.Py_IsInitialized())
		return;
	python_hook_add(audit);
}
