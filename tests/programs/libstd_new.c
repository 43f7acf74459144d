/* SPDX-License-Identifier: MIT */
/* build: -Wl,--no-as-needed -lstdc++ */
/* A plugin that is linked with libstdc++, and whose program is not. */
#include <dlfcn.h>
#include <string.h>

void *_Znwm(size_t size);
void _ZdlPv(void *ptr);

const char *plugin_whose(void)
{
	Dl_info info;
	void *block = _Znwm(24);

	_ZdlPv(block);
	return dladdr((void *)_Znwm, &info) && strrchr(info.dli_fname, '/')
		       ? strrchr(info.dli_fname, '/') + 1
		       : "nobody's";
}
