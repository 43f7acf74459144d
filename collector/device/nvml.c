/* SPDX-License-Identifier: MIT */
/* dlopen() and dlsym(), which may block as well: they run on the same thread. */
#include "collector/device/nvml.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/core/clock.h"

void nvml_call_begins(struct nvml *nvml, const char *function)
{
	atomic_store(&nvml->since_ns, clock_read_ns(CLOCK_MONOTONIC));
	atomic_store(&nvml->function, function);
}

void nvml_call_ends(struct nvml *nvml)
{
	atomic_store(&nvml->function, NULL);
}

const char *nvml_now(const struct nvml *nvml, uint64_t *ret_since_ns)
{
	const char *function = atomic_load(&nvml->function);

	if (function)
		*ret_since_ns = atomic_load(&nvml->since_ns);
	return function;
}

static void *nvml_library_beside(const char *beside)
{
	const char *slash = strrchr(beside, '/');
	char path[PATH_MAX];
	int length;

	if (!slash)
		return NULL;
	length = snprintf(path, sizeof(path), "%.*s/" NVML_LIBRARY, (int)(slash - beside), beside);
	return length > 0 && (size_t)length < sizeof(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
							   : NULL;
}

static const char *nvml_find_functions(struct nvml *nvml)
{
	const char *missing = NULL;

#define NVML_FIND(name)                                     \
	do {                                                \
		void *found = dlsym(nvml->library, #name);  \
		memcpy(&nvml->name, &found, sizeof(found)); \
	} while (0);
#define NVML(name, parameters) NVML_FIND(name)
#define NVML_NEEDED(name, parameters) NVML_FIND(name) missing = nvml->name ? missing : #name;
#include "collector/device/nvml_functions.def"
#undef NVML_FIND
	return missing;
}

static void nvml_close(struct nvml *nvml)
{
	if (nvml->library)
		dlclose(nvml->library);
	nvml->library = NULL;
}

const char *nvml_open(struct nvml *nvml, const char *beside)
{
	const char *missing;

	nvml_call_begins(nvml, "dlopen");
	nvml->library = nvml_library_beside(beside);
	if (!nvml->library)
		nvml->library = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	missing = nvml->library ? nvml_find_functions(nvml) : NVML_LIBRARY;
	nvml_call_ends(nvml);
	if (missing)
		nvml_close(nvml);
	return missing;
}
