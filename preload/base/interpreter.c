/* SPDX-License-Identifier: MIT */
/*
 * Examines the first loaded object that defines PyGILState_Check, once. A call comes from CPython
 * if its address lies in that object and its thread holds the GIL.
 */
#include "preload/base/interpreter.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/symbols.h"

static struct {
	uintptr_t low, high; /* span of the interpreter's object */
	int (*has_gil)(void);
	const char *(*version)(void);
} interpreter;

static bool begins(const char *path, const char *prefix)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, prefix, strlen(prefix)) == 0;
}

/*
 * ld.so has no name for the program. The name of its file is used, because argv[0] may be
 * anything.
 */
static bool interpreter_program_is_python(void)
{
	char path[PATH_MAX];
	long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path) - 1);

	if (length <= 0)
		return false;
	path[length] = 0;
	return begins(path, "python");
}

static int interpreter_look(struct dl_phdr_info *module, size_t bytes, void *unused)
{
	struct symbols s;
	void *has_gil, *version;

	(void)bytes;
	(void)unused;
	if (!symbols_of_module(module, &s))
		return 0;
	has_gil = symbols_address(&s, "PyGILState_Check");
	if (!has_gil)
		return 0;
	if (module->dlpi_name[0] ? begins(module->dlpi_name, "libpython")
				 : interpreter_program_is_python()) {
		version = symbols_address(&s, "Py_GetVersion");
		memcpy(&interpreter.has_gil, &has_gil, sizeof(has_gil));
		memcpy(&interpreter.version, &version, sizeof(version));
		interpreter.low = s.low;
		interpreter.high = s.high;
	}
	return 1;
}

void interpreter_find(void)
{
	(void)dl_iterate_phdr(interpreter_look, NULL);
}

/* "3.11.7 (main, ..." */
unsigned int interpreter_minor(void)
{
	const char *text = interpreter.version ? interpreter.version() : "";

	return strncmp(text, "3.", 2) == 0 ? (unsigned int)strtoul(text + 2, NULL, 10) : 0;
}

bool interpreter_calls(const void *address)
{
	return (uintptr_t)address - interpreter.low < interpreter.high - interpreter.low &&
	       interpreter.has_gil();
}
