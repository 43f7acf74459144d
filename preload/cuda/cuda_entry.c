/* SPDX-License-Identifier: MIT */
/*
 * The driver's functions that are obtained by name (cuGetProcAddress, cudaGetDriverEntryPoint). The
 * program gets our wrapper if there is one with the same parameters. We keep the function that it
 * would have got.
 *
 * A name has had several parameter lists over the years; the version that the program asks for
 * selects one. Our wrappers have the parameters since the version `since` of hooks.def. If CUDA is
 * newer than the headers that the list was compared with, functions are passed on unchanged.
 */
#include "preload/cuda/cuda.h"

#include <stddef.h>
#include <string.h>

/* CUDA 13.3: the list was compared with the headers of 13.0 and 13.2 */
#define VERSION_LIMIT 13030u

static void *const wrappers[CUDA_FUNCTIONS] = {
#define CUDA(library, since, per_thread, name, parameters, arguments, record) \
	[CUDA_FN_##name] = (void *)name,
#define CUDA_OWN(library, returns, name, parameters, arguments) [CUDA_FN_##name] = (void *)name,
#include "preload/cuda/hooks.def"
};

static const struct {
	const char *name;
	uint32_t version;
} ends[] = {
#define DRIVER_UNTIL(name_, version_) { #name_, version_ },
#include "preload/cuda/hooks.def"
};

/* True if the function has other parameters in this version than in the list. */
static bool name_has_ended(const char *name, uint32_t version)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (version >= ends[i].version && strcmp(name, ends[i].name) == 0)
			return true;
	return false;
}

/* cuMemAlloc_v2 and cuMemcpyAsync_ptsz are asked for as cuMemAlloc and cuMemcpyAsync. */
static bool name_fits(const struct cuda_function_info *info, const char *name, size_t length)
{
	const char *rest = info->name + length;

	if (strncmp(info->name, name, length) != 0)
		return false;
	if (rest[0] == '_' && rest[1] == 'v' && rest[2] >= '2' && rest[2] <= '9')
		rest += 3;
	return strcmp(rest, info->per_thread ? "_ptsz" : "") == 0 ||
	       (info->per_thread && strcmp(rest, "_ptds") == 0);
}

static const struct cuda_function_info *cuda_entry_entry_find(const char *name, uint32_t version,
							      bool per_thread)
{
	const struct cuda_function_info *best = NULL;
	size_t length = strlen(name);

	for (unsigned int f = 0; f < CUDA_FUNCTIONS; f++) {
		const struct cuda_function_info *info = &cuda_functions[f];

		if (info->kind != CUDA_KIND_cuda || info->per_thread != per_thread ||
		    info->since > version || !name_fits(info, name, length))
			continue;
		if (!best || info->since > best->since)
			best = info;
	}
	return best;
}

void cuda_replace_entry(const struct cuda_call *call, const char *name, void **function,
			uint32_t version, uint64_t flags)
{
	const struct cuda_function_info *info = NULL;
	enum cuda_function index;

	if (call->result || call->nested || !name || !function || !*function)
		return;
	if (!version)
		version = cuda_library_version(call->origin.library);
	if (!version || version >= VERSION_LIMIT || name_has_ended(name, version))
		return;
	if (flags & CUDA_ENTRY_PER_THREAD)
		info = cuda_entry_entry_find(name, version, true);
	if (!info)
		info = cuda_entry_entry_find(name, version, false);
	if (!info)
		return;
	index = (enum cuda_function)(info - cuda_functions);
	if (*function == wrappers[index])
		return;
	cuda_library_note_driver(index, *function);
	*function = wrappers[index];
}
