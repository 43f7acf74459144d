/* SPDX-License-Identifier: MIT */
/*
 * Compares the sonames of loaded objects; dlopen() is called only if no libcupti is loaded. Also
 * finds a CUPTI that is linked into another object, by its symbols, and known profilers, by their
 * file names.
 */
#include "preload/gpu/gpu_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/symbols.h"

/* Finds a loaded library by the beginning of its soname. */
struct loaded {
	const char *soname;
	const char *function; /* a function that it must define, or NULL */
	void *address;
	char path[512];
	bool is_found;
};

static void path_copy(char *to, size_t room, const char *from)
{
	size_t length = strlen(from) < room ? strlen(from) : room - 1;

	memcpy(to, from, length);
	to[length] = 0;
}

static int loaded_look(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct loaded *loaded = context;
	const char *soname;
	struct symbols s;

	(void)bytes;
	if (!symbols_of_module(module, &s))
		return 0;
	soname = symbols_string(&s, DT_SONAME, 0);
	if (!soname || strncmp(soname, loaded->soname, strlen(loaded->soname)) != 0)
		return 0;
	loaded->is_found = true;
	path_copy(loaded->path, sizeof(loaded->path), module->dlpi_name ? module->dlpi_name : "");
	if (loaded->function)
		loaded->address = symbols_address(&s, loaded->function);
	return 1;
}

static bool loaded_find(struct loaded *loaded)
{
	(void)dl_iterate_phdr(loaded_look, loaded);
	return loaded->is_found;
}

static int static_look(struct dl_phdr_info *module, size_t bytes, void *context)
{
	const char **ret_path = context, *soname;
	struct symbols s;

	(void)bytes;
	if (!symbols_of_module(module, &s) || symbols_contain(&s, (void *)(uintptr_t)static_look))
		return 0;
	soname = symbols_string(&s, DT_SONAME, 0);
	if ((soname && strncmp(soname, "libcupti.so", 11) == 0) ||
	    !symbols_address(&s, "cuptiActivityRegisterCallbacks"))
		return 0;
	*ret_path = module->dlpi_name && *module->dlpi_name ? module->dlpi_name
							    : program_invocation_name;
	return 1;
}

const char *gpu_library_static(void)
{
	const char *path = NULL;

	(void)dl_iterate_phdr(static_look, &path);
	return path;
}

struct profiler {
	const char *text, *path;
};

static int profiler_look(struct dl_phdr_info *module, size_t bytes, void *context)
{
	static const struct {
		const char *file, *text;
	} known[] = {
#define PROFILER(file, text) { file, text },
#include "preload/gpu/profilers.def"
	};
	const char *path = module->dlpi_name ? module->dlpi_name : "";
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	struct profiler *profiler = context;

	(void)bytes;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(file, known[i].file, strlen(known[i].file)) != 0)
			continue;
		*profiler = (struct profiler){ known[i].text, path };
		return 1;
	}
	return 0;
}

static int loads_look(struct dl_phdr_info *module, size_t bytes, void *loads)
{
	(void)bytes; /* glibc has this member since 2.4 */
	*(uint16_t *)loads = (uint16_t)module->dlpi_adds;
	return 1;
}

bool gpu_library_new_profiler(_Atomic uint16_t *loads, char *ret_path, size_t room)
{
	uint16_t now = 0;
	struct profiler profiler = { 0 };

	(void)dl_iterate_phdr(loads_look, &now);
	if (atomic_exchange(loads, now) == now)
		return false;
	(void)dl_iterate_phdr(profiler_look, &profiler);
	if (profiler.path)
		/* copied, because the library may be closed again */
		path_copy(ret_path, room, profiler.path);
	return profiler.path != NULL;
}

const char *gpu_library_profiler(const char **ret_text)
{
	struct profiler profiler = { 0 };

	(void)dl_iterate_phdr(profiler_look, &profiler);
	*ret_text = profiler.text;
	return profiler.path;
}

void *gpu_library_find(const char *name)
{
	struct loaded cupti = { .soname = "libcupti.so", .function = name };

	return loaded_find(&cupti) ? cupti.address : NULL;
}

/* Opens folder + place + version, if it exists. */
static bool open_at(const char *folder, size_t length, const char *place, const char *version)
{
	char path[1024];

	if (length + strlen(place) + strlen(version) >= sizeof(path))
		return false;
	memcpy(path, folder, length);
	strcpy(path + length, place);
	strcat(path, version);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL;
}

/*
 * For libcudart.so.12 it is libcupti.so.12, in the same folder, or where NVIDIA's PyPI packages put
 * it.
 */
static bool open_beside_runtime(void)
{
	static const char *const places[] = { "/libcupti.so.", "/../../cuda_cupti/lib/libcupti.so.",
					      "/../extras/CUPTI/lib64/libcupti.so." };
	struct loaded runtime = { .soname = "libcudart.so." };
	const char *slash, *version;

	if (!loaded_find(&runtime))
		return false;
	slash = strrchr(runtime.path, '/');
	version = strstr(slash ? slash : runtime.path, ".so.");
	if (!slash || !version)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char major[16] = { 0 };

		/* also for libcudart.so.12.4.127 */
		for (size_t at = 0;
		     at + 1 < sizeof(major) && version[4 + at] >= '0' && version[4 + at] <= '9';
		     at++)
			major[at] = version[4 + at];
		if (open_at(runtime.path, (size_t)(slash - runtime.path), places[i],
			    strcmp(major, "11") == 0 ? "11.8" : major))
			return true;
	}
	return false;
}

static bool open_of_toolkit(void)
{
	static const char *const paths[] = {
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
		"/usr/local/cuda/lib64/libcupti.so",
		"libcupti.so.13",
		"libcupti.so.12",
		"libcupti.so.11.8",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (dlopen(paths[i], RTLD_NOW | RTLD_LOCAL))
			return true;
	return false;
}

bool gpu_library_open(struct gpu_library *library, const char **ret_missing)
{
	struct loaded cupti = { .soname = "libcupti.so" };
	const char *missing = NULL;

	*ret_missing = NULL;
	if (!loaded_find(&cupti) && (open_beside_runtime() || open_of_toolkit()))
		(void)loaded_find(&cupti);
	if (!cupti.is_found)
		return false;
	memcpy(library->path, cupti.path, sizeof(library->path));
#define FIND(name, parameters, is_needed)                           \
	*(void **)(void *)&library->name = gpu_library_find(#name); \
	if (!library->name && (is_needed))                          \
		missing = #name;
	CUPTI_FUNCTIONS(FIND)
#undef FIND
	*ret_missing = missing;
	return !missing;
}
