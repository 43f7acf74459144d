/* SPDX-License-Identifier: MIT */
/*
 * NVTX version 2: the functions of libnvToolsExt.so.1, interposed. Each records, then calls the
 * original when there is one: another tool may listen there. The original's own injection may call us
 * back (nvtx_v3.c), which nvtx_self.inside makes silent.
 *
 * The caller gets what the original returned when a tool stands behind it, else values of ours.
 */
#include "preload/nvtx_v2.h"

#include <link.h>
#include <string.h>

#include "preload/hook.h"

bool nvtx_v2_touched;

static int module_is_original(struct dl_phdr_info *module, size_t bytes, void *unused)
{
	(void)bytes;
	(void)unused;
	return module->dlpi_name && strstr(module->dlpi_name, "libnvToolsExt.so");
}

/* The library may have been opened with RTLD_LOCAL after us. Looked for without dlopen(), which
 * allocates when there is none; what it allocates else is not the program's, hence the lane. */
static void find_late_originals(void)
{
	struct recorder_lane *lane;

	if (!dl_iterate_phdr(module_is_original, NULL))
		return;
	lane = recorder_enter(RECORDER_ALLOC, RECORDER_IN_CALL);
	hook_resolve_late();
	if (lane)
		recorder_leave(lane);
}

void nvtx_v2_touch(void)
{
	(void)hook_resolve();
	find_late_originals();
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
	if (original_begin(hook_real.nvtxMarkEx)) {
		hook_real.nvtxMarkEx(attributes);
		original_end();
	}
}

HOOK_EXPORT void nvtxMarkA(const char *message)
{
	struct nvtx_event event = event_of_text(message);

	nvtx_v2_enter();
	nvtx_mark(&event);
	if (original_begin(hook_real.nvtxMarkA)) {
		hook_real.nvtxMarkA(message);
		original_end();
	}
}

HOOK_EXPORT void nvtxMarkW(const wchar_t *message)
{
	struct nvtx_event event = event_of_wide(message);

	nvtx_v2_enter();
	nvtx_mark(&event);
	if (original_begin(hook_real.nvtxMarkW)) {
		hook_real.nvtxMarkW(message);
		original_end();
	}
}

HOOK_EXPORT void nvtxDomainMarkEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_v2_enter();
	nvtx_event_read(&event, domain, attributes);
	nvtx_mark(&event);
	if (original_begin(hook_real.nvtxDomainMarkEx)) {
		hook_real.nvtxDomainMarkEx(domain, attributes);
		original_end();
	}
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
	if (original_begin(hook_real.nvtxRangePushEx)) {
		level = level_of_both(level, hook_real.nvtxRangePushEx(attributes));
		original_end();
	}
	return level;
}

HOOK_EXPORT int nvtxRangePushA(const char *message)
{
	struct nvtx_event event = event_of_text(message);
	int level;

	nvtx_v2_enter();
	level = nvtx_push(&event);
	if (original_begin(hook_real.nvtxRangePushA)) {
		level = level_of_both(level, hook_real.nvtxRangePushA(message));
		original_end();
	}
	return level;
}

HOOK_EXPORT int nvtxRangePushW(const wchar_t *message)
{
	struct nvtx_event event = event_of_wide(message);
	int level;

	nvtx_v2_enter();
	level = nvtx_push(&event);
	if (original_begin(hook_real.nvtxRangePushW)) {
		level = level_of_both(level, hook_real.nvtxRangePushW(message));
		original_end();
	}
	return level;
}

HOOK_EXPORT int nvtxRangePop(void)
{
	int level;

	nvtx_v2_enter();
	level = nvtx_pop(NULL);
	if (original_begin(hook_real.nvtxRangePop)) {
		level = level_of_both(level, hook_real.nvtxRangePop());
		original_end();
	}
	return level;
}

HOOK_EXPORT int nvtxDomainRangePushEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	int level;

	nvtx_v2_enter();
	nvtx_event_read(&event, domain, attributes);
	level = nvtx_push(&event);
	if (original_begin(hook_real.nvtxDomainRangePushEx)) {
		level = level_of_both(level, hook_real.nvtxDomainRangePushEx(domain, attributes));
		original_end();
	}
	return level;
}

HOOK_EXPORT int nvtxDomainRangePop(const void *domain)
{
	int level;

	nvtx_v2_enter();
	level = nvtx_pop(domain);
	if (original_begin(hook_real.nvtxDomainRangePop)) {
		level = level_of_both(level, hook_real.nvtxDomainRangePop(domain));
		original_end();
	}
	return level;
}

/* --- start and end: the original comes first, its number is the one that the program will end --- */

HOOK_EXPORT uint64_t nvtxRangeStartEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	uint64_t range = 0;

	nvtx_v2_enter();
	if (original_begin(hook_real.nvtxRangeStartEx)) {
		range = hook_real.nvtxRangeStartEx(attributes);
		original_end();
	}
	nvtx_event_read(&event, NULL, attributes);
	return nvtx_start(&event, range);
}

HOOK_EXPORT uint64_t nvtxRangeStartA(const char *message)
{
	struct nvtx_event event = event_of_text(message);
	uint64_t range = 0;

	nvtx_v2_enter();
	if (original_begin(hook_real.nvtxRangeStartA)) {
		range = hook_real.nvtxRangeStartA(message);
		original_end();
	}
	return nvtx_start(&event, range);
}

HOOK_EXPORT uint64_t nvtxRangeStartW(const wchar_t *message)
{
	struct nvtx_event event = event_of_wide(message);
	uint64_t range = 0;

	nvtx_v2_enter();
	if (original_begin(hook_real.nvtxRangeStartW)) {
		range = hook_real.nvtxRangeStartW(message);
		original_end();
	}
	return nvtx_start(&event, range);
}

HOOK_EXPORT uint64_t nvtxDomainRangeStartEx(const void *domain,
					    const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;
	uint64_t range = 0;

	nvtx_v2_enter();
	if (original_begin(hook_real.nvtxDomainRangeStartEx)) {
		range = hook_real.nvtxDomainRangeStartEx(domain, attributes);
		original_end();
	}
	nvtx_event_read(&event, domain, attributes);
	return nvtx_start(&event, range);
}

HOOK_EXPORT void nvtxRangeEnd(uint64_t range)
{
	nvtx_v2_enter();
	nvtx_end(NULL, range);
	if (original_begin(hook_real.nvtxRangeEnd)) {
		hook_real.nvtxRangeEnd(range);
		original_end();
	}
}

HOOK_EXPORT void nvtxDomainRangeEnd(const void *domain, uint64_t range)
{
	nvtx_v2_enter();
	nvtx_end(domain, range);
	if (original_begin(hook_real.nvtxDomainRangeEnd)) {
		hook_real.nvtxDomainRangeEnd(domain, range);
		original_end();
	}
}
