/* SPDX-License-Identifier: MIT */
/*
 * NVTX version 2: the functions of libnvToolsExt.so.1, interposed. Each records, then calls the
 * original if there is one, because another tool may listen there. The original's own injection may
 * call us back (nvtx_v3.c); nvtx_self.inside keeps that call from being recorded.
 *
 * The caller gets what the original returned if a tool is behind it, else our values.
 */
#include "preload/nvtx/nvtx_v2.h"

#include <link.h>

#include "preload/base/symbols.h"
#include "preload/hook/hook.h"

bool nvtx_v2_touched;
struct nvtx_originals nvtx_real;

/*
 * Goes through the objects in load order, without ours and those before it. That is what RTLD_NEXT
 * does, and also covers libraries that were opened with RTLD_LOCAL, which RTLD_NEXT does not
 * search.
 */
static int module_gives_originals(struct dl_phdr_info *module, size_t bytes, void *context)
{
	bool *is_behind_us = context;
	struct symbols s;

	(void)bytes;
	if (!symbols_of_module(module, &s))
		return 0;
	if (symbols_contain(&s, &nvtx_real)) {
		*is_behind_us = true;
	} else if (*is_behind_us) {
#define HOOK(library, returns, name, parameters, arguments) \
	if (!nvtx_real.name)                                \
		*(void **)(void *)&nvtx_real.name = symbols_address(&s, #name);
#define ENTRY(returns, name, parameters)
#include "preload/nvtx/hooks.def"
#undef HOOK
#undef ENTRY
	}
	return 0;
}

/* Takes ld.so's lock: not from within a function of the heap. */
void nvtx_v2_touch(void)
{
	bool is_behind_us = false;

	(void)hook_resolve();
	(void)dl_iterate_phdr(module_gives_originals, &is_behind_us);
	(void)nvtx_touch();
	__atomic_store_n(&nvtx_v2_touched, true, __ATOMIC_RELEASE);
}

static inline struct nvtx_event event_of_text(const char *message)
{
	return (struct nvtx_event){ .message = message, .message_type = NVTX_MESSAGE_TEXT };
}

static inline struct nvtx_event event_of_wide(const wchar_t *message)
{
	return (struct nvtx_event){ .message = message, .message_type = NVTX_MESSAGE_WIDE };
}

/* --- marks --- */

HOOK_EXPORT void nvtxMarkEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_v2_enter();
	nvtx_event_read(&event, NULL, attributes);
	nvtx_mark(&event);
	CALL_ORIGINAL(nvtxMarkEx, nvtx_real.nvtxMarkEx(attributes));
}

HOOK_EXPORT void nvtxMarkA(const char *message)
{
	struct nvtx_event event = event_of_text(message);

	nvtx_v2_enter();
	nvtx_mark(&event);
	CALL_ORIGINAL(nvtxMarkA, nvtx_real.nvtxMarkA(message));
}

HOOK_EXPORT void nvtxMarkW(const wchar_t *message)
{
	struct nvtx_event event = event_of_wide(message);

	nvtx_v2_enter();
	nvtx_mark(&event);
	CALL_ORIGINAL(nvtxMarkW, nvtx_real.nvtxMarkW(message));
}

HOOK_EXPORT void nvtxDomainMarkEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_v2_enter();
	nvtx_event_read(&event, domain, attributes);
	nvtx_mark(&event);
	CALL_ORIGINAL(nvtxDomainMarkEx, nvtx_real.nvtxDomainMarkEx(domain, attributes));
}

/* --- push and pop --- */

static inline int level_of_both(int ours, int theirs)
{
	return theirs >= 0 ? theirs : ours;
}

HOOK_EXPORT int nvtxRangePushEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	int level;

	nvtx_v2_enter();
	nvtx_event_read(&event, NULL, attributes);
	level = nvtx_push(&event);
	CALL_ORIGINAL(nvtxRangePushEx,
		      level = level_of_both(level, nvtx_real.nvtxRangePushEx(attributes)));
	return level;
}

HOOK_EXPORT int nvtxRangePushA(const char *message)
{
	struct nvtx_event event = event_of_text(message);
	int level;

	nvtx_v2_enter();
	level = nvtx_push(&event);
	CALL_ORIGINAL(nvtxRangePushA,
		      level = level_of_both(level, nvtx_real.nvtxRangePushA(message)));
	return level;
}

HOOK_EXPORT int nvtxRangePushW(const wchar_t *message)
{
	struct nvtx_event event = event_of_wide(message);
	int level;

	nvtx_v2_enter();
	level = nvtx_push(&event);
	CALL_ORIGINAL(nvtxRangePushW,
		      level = level_of_both(level, nvtx_real.nvtxRangePushW(message)));
	return level;
}

HOOK_EXPORT int nvtxRangePop(void)
{
	int level;

	nvtx_v2_enter();
	level = nvtx_pop(NULL);
	CALL_ORIGINAL(nvtxRangePop, level = level_of_both(level, nvtx_real.nvtxRangePop()));
	return level;
}

HOOK_EXPORT int nvtxDomainRangePushEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	int level;

	nvtx_v2_enter();
	nvtx_event_read(&event, domain, attributes);
	level = nvtx_push(&event);
	CALL_ORIGINAL(
		nvtxDomainRangePushEx,
		level = level_of_both(level, nvtx_real.nvtxDomainRangePushEx(domain, attributes)));
	return level;
}

HOOK_EXPORT int nvtxDomainRangePop(const void *domain)
{
	int level;

	nvtx_v2_enter();
	level = nvtx_pop(domain);
	CALL_ORIGINAL(nvtxDomainRangePop,
		      level = level_of_both(level, nvtx_real.nvtxDomainRangePop(domain)));
	return level;
}

/*
 * --- start and end: the original is called first, because the program will end the range with its
 * number ---
 */

HOOK_EXPORT uint64_t nvtxRangeStartEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	uint64_t range = 0;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxRangeStartEx, range = nvtx_real.nvtxRangeStartEx(attributes));
	nvtx_event_read(&event, NULL, attributes);
	return nvtx_start(&event, range);
}

HOOK_EXPORT uint64_t nvtxRangeStartA(const char *message)
{
	struct nvtx_event event = event_of_text(message);
	uint64_t range = 0;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxRangeStartA, range = nvtx_real.nvtxRangeStartA(message));
	return nvtx_start(&event, range);
}

HOOK_EXPORT uint64_t nvtxRangeStartW(const wchar_t *message)
{
	struct nvtx_event event = event_of_wide(message);
	uint64_t range = 0;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxRangeStartW, range = nvtx_real.nvtxRangeStartW(message));
	return nvtx_start(&event, range);
}

HOOK_EXPORT uint64_t nvtxDomainRangeStartEx(const void *domain,
					    const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	uint64_t range = 0;

	nvtx_v2_enter();
	CALL_ORIGINAL(nvtxDomainRangeStartEx,
		      range = nvtx_real.nvtxDomainRangeStartEx(domain, attributes));
	nvtx_event_read(&event, domain, attributes);
	return nvtx_start(&event, range);
}

HOOK_EXPORT void nvtxRangeEnd(uint64_t range)
{
	nvtx_v2_enter();
	nvtx_end(NULL, range);
	CALL_ORIGINAL(nvtxRangeEnd, nvtx_real.nvtxRangeEnd(range));
}

HOOK_EXPORT void nvtxDomainRangeEnd(const void *domain, uint64_t range)
{
	nvtx_v2_enter();
	nvtx_end(domain, range);
	CALL_ORIGINAL(nvtxDomainRangeEnd, nvtx_real.nvtxDomainRangeEnd(domain, range));
}
