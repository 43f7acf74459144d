/* SPDX-License-Identifier: MIT */
/*
 * NVTX version 3: header-only clients load the library that NVTX_INJECTION64_PATH names and let it
 * fill their tables of function pointers. Every shared object that contains NVTX is a client of its
 * own, so this happens several times per process. libnvToolsExt.so.1 (version 2) injects in the
 * same way.
 */
#include "preload/nvtx/nvtx.h"

#include "preload/hook/hook.h"
#include "preload/nvtx/nvtx_exports.h"
#include "preload/record/wake.h"
#include "preload/settings/settings.h"
#include "preload/steps/capture_range.h"

bool nvtx_touch(void)
{
	bool wanted = (settings.trace & 1u << SETTINGS_FAMILY_nvtx) ||
		      (settings.capture == SETTINGS_CAPTURE_RANGE && settings.capture_nvtx) ||
		      ((settings.capture == SETTINGS_CAPTURE_STEPS ||
			settings.capture == SETTINGS_CAPTURE_TRIGGER) &&
		       settings.step_name[0]);

	if (!wanted)
		return false;
	capture_range_init();
	(void)wake_program();
	return true;
}

/* --- the callbacks --- */

static void v3_MarkEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_event_read(&event, NULL, attributes);
	nvtx_mark(&event);
}

static void v3_MarkA(const char *message)
{
	const struct nvtx_event event = { .message = message, .message_type = NVTX_MESSAGE_TEXT };

	nvtx_mark(&event);
}

static void v3_MarkW(const wchar_t *message)
{
	const struct nvtx_event event = { .message = message, .message_type = NVTX_MESSAGE_WIDE };

	nvtx_mark(&event);
}

static uint64_t v3_RangeStartEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_event_read(&event, NULL, attributes);
	return nvtx_start(&event, 0);
}

static uint64_t v3_RangeStartA(const char *message)
{
	const struct nvtx_event event = { .message = message, .message_type = NVTX_MESSAGE_TEXT };

	return nvtx_start(&event, 0);
}

static uint64_t v3_RangeStartW(const wchar_t *message)
{
	const struct nvtx_event event = { .message = message, .message_type = NVTX_MESSAGE_WIDE };

	return nvtx_start(&event, 0);
}

static void v3_RangeEnd(uint64_t range)
{
	nvtx_end(NULL, range);
}

static int v3_RangePushEx(const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_event_read(&event, NULL, attributes);
	return nvtx_push(&event);
}

static int v3_RangePushA(const char *message)
{
	const struct nvtx_event event = { .message = message, .message_type = NVTX_MESSAGE_TEXT };

	return nvtx_push(&event);
}

static int v3_RangePushW(const wchar_t *message)
{
	const struct nvtx_event event = { .message = message, .message_type = NVTX_MESSAGE_WIDE };

	return nvtx_push(&event);
}

static int v3_RangePop(void)
{
	return nvtx_pop(NULL);
}

static void v3_DomainMarkEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_event_read(&event, domain, attributes);
	nvtx_mark(&event);
}

static uint64_t v3_DomainRangeStartEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_event_read(&event, domain, attributes);
	return nvtx_start(&event, 0);
}

static void v3_DomainRangeEnd(const void *domain, uint64_t range)
{
	nvtx_end(domain, range);
}

static int v3_DomainRangePushEx(const void *domain, const struct nvtx_attributes *attributes)
{
	struct nvtx_event event;

	nvtx_event_read(&event, domain, attributes);
	return nvtx_push(&event);
}

static int v3_DomainRangePop(const void *domain)
{
	return nvtx_pop(domain);
}

static void v3_NameCategoryA(uint32_t category, const char *text)
{
	struct string name = string_of(text);

	nvtx_name_category(NULL, category, &name);
}

static void v3_NameCategoryW(uint32_t category, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	nvtx_name_category(NULL, category, &name);
}

static void v3_DomainNameCategoryA(const void *domain, uint32_t category, const char *text)
{
	struct string name = string_of(text);

	nvtx_name_category(domain, category, &name);
}

static void v3_DomainNameCategoryW(const void *domain, uint32_t category, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	nvtx_name_category(domain, category, &name);
}

static void v3_NameOsThreadA(uint32_t tid, const char *text)
{
	struct string name = string_of(text);

	nvtx_name_thread(tid, &name);
}

static void v3_NameOsThreadW(uint32_t tid, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	nvtx_name_thread(tid, &name);
}

static const void *v3_DomainCreateA(const char *text)
{
	struct string name = string_of(text);

	return name_make(&name);
}

static const void *v3_DomainCreateW(const wchar_t *text)
{
	struct string name = string_of_wide(text);

	return name_make(&name);
}

/* Domains are names: destroying one does nothing, because records may still use it. */
static void v3_DomainDestroy(const void *domain)
{
	(void)domain;
}

static const void *v3_DomainRegisterStringA(const void *domain, const char *text)
{
	struct string name = string_of(text);

	(void)domain;
	return name_make(&name);
}

static const void *v3_DomainRegisterStringW(const void *domain, const wchar_t *text)
{
	struct string name = string_of_wide(text);

	(void)domain;
	return name_make(&name);
}

/* Any address but NULL can be the handle, because it is only used to destroy the resource. */
static const void *v3_DomainResourceCreate(const void *domain, const struct nvtx_resource *resource)
{
	static const char handle;

	(void)domain;
	nvtx_name_resource(resource);
	return &handle;
}

static void v3_DomainResourceDestroy(const void *resource)
{
	(void)resource;
}

static void v3_Initialize(const void *reserved)
{
	(void)reserved;
}

/* --- filling a client's tables --- */

#define ENTRY_OF(module, name) [NVTX_##module##_##name] = (nvtx_function)v3_##name

static const nvtx_function core_functions[] = {
	ENTRY_OF(CORE, MarkEx),        ENTRY_OF(CORE, MarkA),         ENTRY_OF(CORE, MarkW),
	ENTRY_OF(CORE, RangeStartEx),  ENTRY_OF(CORE, RangeStartA),   ENTRY_OF(CORE, RangeStartW),
	ENTRY_OF(CORE, RangeEnd),      ENTRY_OF(CORE, RangePushEx),   ENTRY_OF(CORE, RangePushA),
	ENTRY_OF(CORE, RangePushW),    ENTRY_OF(CORE, RangePop),      ENTRY_OF(CORE, NameCategoryA),
	ENTRY_OF(CORE, NameCategoryW), ENTRY_OF(CORE, NameOsThreadA), ENTRY_OF(CORE, NameOsThreadW),
};

static const nvtx_function core2_functions[] = {
	ENTRY_OF(CORE2, DomainMarkEx),
	ENTRY_OF(CORE2, DomainRangeStartEx),
	ENTRY_OF(CORE2, DomainRangeEnd),
	ENTRY_OF(CORE2, DomainRangePushEx),
	ENTRY_OF(CORE2, DomainRangePop),
	ENTRY_OF(CORE2, DomainResourceCreate),
	ENTRY_OF(CORE2, DomainResourceDestroy),
	ENTRY_OF(CORE2, DomainNameCategoryA),
	ENTRY_OF(CORE2, DomainNameCategoryW),
	ENTRY_OF(CORE2, DomainRegisterStringA),
	ENTRY_OF(CORE2, DomainRegisterStringW),
	ENTRY_OF(CORE2, DomainCreateA),
	ENTRY_OF(CORE2, DomainCreateW),
	ENTRY_OF(CORE2, DomainDestroy),
	ENTRY_OF(CORE2, Initialize),
};

/* An older client's table is shorter, a newer one's is longer, and an entry may be missing. */
static void fill_module(const struct nvtx_table_callbacks *callbacks, unsigned int module,
			const nvtx_function *functions, unsigned int count)
{
	nvtx_function **table = NULL;
	unsigned int size = 0;

	if (!callbacks->get_module(module, &table, &size) || !table)
		return;
	for (unsigned int i = 1; i < count && i < size; i++)
		if (table[i])
			*table[i] = functions[i];
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

HOOK_EXPORT int InitializeInjectionNvtx2(nvtx_get_table get_table)
{
	const struct nvtx_table_callbacks *callbacks = get_table ? get_table(NVTX_TABLE_CALLBACKS)
								 : NULL;
	const struct nvtx_table_version *version = get_table ? get_table(NVTX_TABLE_VERSION) : NULL;

	/* the client replaces functions that we leave alone by empty ones */
	if (!callbacks || callbacks->bytes < sizeof(*callbacks) || !nvtx_touch())
		return 1;
	if (version && version->bytes >= sizeof(*version) && version->set_injection_version)
		version->set_injection_version(3);
	fill_module(callbacks, NVTX_MODULE_CORE, core_functions, COUNT(core_functions));
	fill_module(callbacks, NVTX_MODULE_CORE2, core2_functions, COUNT(core2_functions));
	return 1;
}

/* --- the payload extension: its schemas are not read, its ranges are recorded --- */

static struct nvtx_event payload_event(const void *domain)
{
	return (struct nvtx_event){ .domain = domain };
}

static void v3_MarkPayload(const void *domain, const void *data, size_t count)
{
	struct nvtx_event event = payload_event(domain);

	(void)data, (void)count;
	nvtx_mark(&event);
}

static int v3_RangePushPayload(const void *domain, const void *data, size_t count)
{
	struct nvtx_event event = payload_event(domain);

	(void)data, (void)count;
	return nvtx_push(&event);
}

static int v3_RangePopPayload(const void *domain, const void *data, size_t count)
{
	(void)data, (void)count;
	return nvtx_pop(domain);
}

static uint64_t v3_RangeStartPayload(const void *domain, const void *data, size_t count)
{
	struct nvtx_event event = payload_event(domain);

	(void)data, (void)count;
	return nvtx_start(&event, 0);
}

static void v3_RangeEndPayload(const void *domain, uint64_t range, const void *data, size_t count)
{
	(void)data, (void)count;
	nvtx_end(domain, range);
}

/*
 * NVTX 3.2.0 and 3.2.1 return 0 if the tool has no answer, and their clients then skip everything.
 */
static uint8_t v3_DomainIsEnabled(const void *domain)
{
	(void)domain;
	return 1;
}

#define SLOT_OF(name) [NVTX_PAYLOAD_SLOT_##name] = (nvtx_function)v3_##name

static const nvtx_function payload_functions[] = {
	SLOT_OF(MarkPayload),       SLOT_OF(RangePushPayload), SLOT_OF(RangePopPayload),
	SLOT_OF(RangeStartPayload), SLOT_OF(RangeEndPayload),  SLOT_OF(DomainIsEnabled),
};

HOOK_EXPORT int InitializeInjectionNvtxExtension(struct nvtx_extension *extension)
{
	const struct nvtx_extension_segment *segment;

	if (!extension || extension->bytes < offsetof(struct nvtx_extension, get_export) ||
	    extension->module != NVTX_EXTENSION_PAYLOAD || !extension->segments || !nvtx_touch())
		return 1;
	segment = extension->segment;
	for (size_t i = 0; i < COUNT(payload_functions) && i < segment->slots; i++)
		if (payload_functions[i])
			segment->slot[i] = (intptr_t)payload_functions[i];
	return 1;
}
