/* SPDX-License-Identifier: MIT */
/*
 * NVTX version 2: the functions of libnvToolsExt.so.1 that name things or return handles; the rest
 * is in nvtx_v2.c. If another tool is behind the original, the program gets that tool's handle, and
 * we remember its name.
 */
#include "preload/nvtx/nvtx_v2.h"

#include "preload/hook/hook.h"

static const void *handle_of_both(const struct name *ours, const void *theirs)
{
	if (!theirs || theirs == ours)
		return ours;
	if (ours)
		nvtx_name_link(theirs, ours);
	return theirs;
}

/* --- domains and strings --- */

HOOK_EXPORT const void *nvtxDomainCreateA(const char *text)
{
	struct string name = string_of(text);
	const void *handle = NULL;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainCreateA, handle = nvtx_real.nvtxDomainCreateA(text));
	return handle_of_both(name_make(&name), handle);
}

HOOK_EXPORT const void *nvtxDomainCreateW(const wchar_t *text)
{
	struct string name = string_of_wide(text);
	const void *handle = NULL;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainCreateW, handle = nvtx_real.nvtxDomainCreateW(text));
	return handle_of_both(name_make(&name), handle);
}

HOOK_EXPORT void nvtxDomainDestroy(const void *domain)
{
	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainDestroy, nvtx_real.nvtxDomainDestroy(domain));
}

HOOK_EXPORT const void *nvtxDomainRegisterStringA(const void *domain, const char *text)
{
	struct string name = string_of(text);
	const void *handle = NULL;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainRegisterStringA,
		      handle = nvtx_real.nvtxDomainRegisterStringA(domain, text));
	return handle_of_both(name_make(&name), handle);
}

HOOK_EXPORT const void *nvtxDomainRegisterStringW(const void *domain, const wchar_t *text)
{
	struct string name = string_of_wide(text);
	const void *handle = NULL;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainRegisterStringW,
		      handle = nvtx_real.nvtxDomainRegisterStringW(domain, text));
	return handle_of_both(name_make(&name), handle);
}

HOOK_EXPORT const void *nvtxDomainResourceCreate(const void *domain, struct nvtx_resource *resource)
{
	static const char handle_of_ours;
	const void *handle = NULL;

	nvtx_v2_enter();
	nvtx_name_resource(resource);
	CALL_ORIGINAL(nvtxDomainResourceCreate,
		      handle = nvtx_real.nvtxDomainResourceCreate(domain, resource));
	return handle ? handle : &handle_of_ours;
}

HOOK_EXPORT void nvtxDomainResourceDestroy(const void *resource)
{
	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainResourceDestroy, nvtx_real.nvtxDomainResourceDestroy(resource));
}

/* --- categories and threads --- */

HOOK_EXPORT void nvtxNameCategoryA(uint32_t category, const char *text)
{
	struct string name = string_of(text);

	nvtx_v2_enter();
	nvtx_name_category(NULL, category, &name);
	CALL_ORIGINAL(nvtxNameCategoryA, nvtx_real.nvtxNameCategoryA(category, text));
}

HOOK_EXPORT void nvtxNameCategoryW(uint32_t category, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	nvtx_v2_enter();
	nvtx_name_category(NULL, category, &name);
	CALL_ORIGINAL(nvtxNameCategoryW, nvtx_real.nvtxNameCategoryW(category, text));
}

HOOK_EXPORT void nvtxDomainNameCategoryA(const void *domain, uint32_t category, const char *text)
{
	struct string name = string_of(text);

	nvtx_v2_enter();
	nvtx_name_category(domain, category, &name);
	CALL_ORIGINAL(nvtxDomainNameCategoryA,
		      nvtx_real.nvtxDomainNameCategoryA(domain, category, text));
}

HOOK_EXPORT void nvtxDomainNameCategoryW(const void *domain, uint32_t category, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	nvtx_v2_enter();
	nvtx_name_category(domain, category, &name);
	CALL_ORIGINAL(nvtxDomainNameCategoryW,
		      nvtx_real.nvtxDomainNameCategoryW(domain, category, text));
}

HOOK_EXPORT void nvtxNameOsThreadA(uint32_t tid, const char *text)
{
	struct string name = string_of(text);

	nvtx_v2_enter();
	nvtx_name_thread(tid, &name);
	CALL_ORIGINAL(nvtxNameOsThreadA, nvtx_real.nvtxNameOsThreadA(tid, text));
}

HOOK_EXPORT void nvtxNameOsThreadW(uint32_t tid, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	nvtx_v2_enter();
	nvtx_name_thread(tid, &name);
	CALL_ORIGINAL(nvtxNameOsThreadW, nvtx_real.nvtxNameOsThreadW(tid, text));
}

HOOK_EXPORT void nvtxInitialize(const void *reserved)
{
	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxInitialize, nvtx_real.nvtxInitialize(reserved));
}
