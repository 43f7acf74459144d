/* SPDX-License-Identifier: MIT */
/* A plugin with an operator new of its own, out of an array that free() must not see. */
#include <stddef.h>

static char arena[4096];
static size_t used;

void *_Znwm(size_t size)
{
	void *block = arena + used;

	used += (size + 15) & ~(size_t)15;
	return block;
}

void _ZdlPv(void *ptr)
{
	(void)ptr;
}

const char *plugin_whose(void)
{
	char *block = _Znwm(24);
	const char *whose = block >= arena && block < arena + sizeof(arena) ? "its own"
									    : "another's";

	_ZdlPv(block);
	return whose;
}
