/* SPDX-License-Identifier: MIT */
/*
 * preload/nvtx/nvtx_api.h against the real headers, at compile time. Without them there is nothing
 * to check: skipped, status 77.
 */
#include <stdio.h>

#if !defined(HAVE_NVTX3) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#define HAVE_NVTX3
#endif
#endif

#ifdef HAVE_NVTX3

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "preload/nvtx/nvtx_api.h"

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define SAME_PLACE(ours, our_field, theirs, their_field)                             \
	_Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
			       sizeof(((ours *)0)->our_field) ==                     \
				       sizeof(((theirs *)0)->their_field),           \
		       #theirs "." #their_field)
#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)

SAME_SIZE(struct nvtx_attributes, nvtxEventAttributes_t);
SAME_PLACE(struct nvtx_attributes, version, nvtxEventAttributes_t, version);
SAME_PLACE(struct nvtx_attributes, size, nvtxEventAttributes_t, size);
SAME_PLACE(struct nvtx_attributes, category, nvtxEventAttributes_t, category);
SAME_PLACE(struct nvtx_attributes, color_type, nvtxEventAttributes_t, colorType);
SAME_PLACE(struct nvtx_attributes, color, nvtxEventAttributes_t, color);
SAME_PLACE(struct nvtx_attributes, payload_type, nvtxEventAttributes_t, payloadType);
SAME_PLACE(struct nvtx_attributes, payload, nvtxEventAttributes_t, payload);
SAME_PLACE(struct nvtx_attributes, message_type, nvtxEventAttributes_t, messageType);
SAME_PLACE(struct nvtx_attributes, message, nvtxEventAttributes_t, message);

SAME_SIZE(struct nvtx_resource, nvtxResourceAttributes_t);
SAME_PLACE(struct nvtx_resource, identifier_type, nvtxResourceAttributes_t, identifierType);
SAME_PLACE(struct nvtx_resource, identifier, nvtxResourceAttributes_t, identifier);
SAME_PLACE(struct nvtx_resource, message_type, nvtxResourceAttributes_t, messageType);
SAME_PLACE(struct nvtx_resource, message, nvtxResourceAttributes_t, message);
SAME_VALUE(NVTX_RESOURCE_THREAD_NATIVE, NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE);

SAME_VALUE(NVTX_MESSAGE_TEXT, NVTX_MESSAGE_TYPE_ASCII);
SAME_VALUE(NVTX_MESSAGE_WIDE, NVTX_MESSAGE_TYPE_UNICODE);
SAME_VALUE(NVTX_MESSAGE_REGISTERED, NVTX_MESSAGE_TYPE_REGISTERED);
SAME_VALUE(NVTX_COLOR_ARGB_BITS, NVTX_COLOR_ARGB);
SAME_VALUE(NVTX_PAYLOAD_UINT64, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
SAME_VALUE(NVTX_PAYLOAD_INT64, NVTX_PAYLOAD_TYPE_INT64);
SAME_VALUE(NVTX_PAYLOAD_FLOAT64, NVTX_PAYLOAD_TYPE_DOUBLE);
SAME_VALUE(NVTX_PAYLOAD_UINT32, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32);
SAME_VALUE(NVTX_PAYLOAD_INT32, NVTX_PAYLOAD_TYPE_INT32);
SAME_VALUE(NVTX_PAYLOAD_FLOAT32, NVTX_PAYLOAD_TYPE_FLOAT);
SAME_VALUE(NVTX_LEVEL_UNTRACKED, NVTX_NO_PUSH_POP_TRACKING);

SAME_SIZE(nvtxRangeId_t, uint64_t);
SAME_VALUE(NVTX_TABLE_CALLBACKS, NVTX_ETID_CALLBACKS);
SAME_VALUE(NVTX_TABLE_VERSION, NVTX_ETID_VERSIONINFO);
SAME_VALUE(NVTX_MODULE_CORE, NVTX_CB_MODULE_CORE);
SAME_VALUE(NVTX_MODULE_CORE2, NVTX_CB_MODULE_CORE2);
SAME_SIZE(struct nvtx_table_callbacks, NvtxExportTableCallbacks);
SAME_PLACE(struct nvtx_table_callbacks, get_module, NvtxExportTableCallbacks,
	   GetModuleFunctionTable);
SAME_SIZE(struct nvtx_table_version, NvtxExportTableVersionInfo);
SAME_PLACE(struct nvtx_table_version, set_injection_version, NvtxExportTableVersionInfo,
	   SetInjectionNvtxVersion);

#define SAME_CORE(name) SAME_VALUE(NVTX_CORE_##name, NVTX_CBID_CORE_##name)
#define SAME_CORE2(name) SAME_VALUE(NVTX_CORE2_##name, NVTX_CBID_CORE2_##name)
SAME_CORE(MarkEx);
SAME_CORE(MarkA);
SAME_CORE(MarkW);
SAME_CORE(RangeStartEx);
SAME_CORE(RangeStartA);
SAME_CORE(RangeStartW);
SAME_CORE(RangeEnd);
SAME_CORE(RangePushEx);
SAME_CORE(RangePushA);
SAME_CORE(RangePushW);
SAME_CORE(RangePop);
SAME_CORE(NameCategoryA);
SAME_CORE(NameCategoryW);
SAME_CORE(NameOsThreadA);
SAME_CORE(NameOsThreadW);
SAME_CORE2(DomainMarkEx);
SAME_CORE2(DomainRangeStartEx);
SAME_CORE2(DomainRangeEnd);
SAME_CORE2(DomainRangePushEx);
SAME_CORE2(DomainRangePop);
SAME_CORE2(DomainResourceCreate);
SAME_CORE2(DomainResourceDestroy);
SAME_CORE2(DomainNameCategoryA);
SAME_CORE2(DomainNameCategoryW);
SAME_CORE2(DomainRegisterStringA);
SAME_CORE2(DomainRegisterStringW);
SAME_CORE2(DomainCreateA);
SAME_CORE2(DomainCreateW);
SAME_CORE2(DomainDestroy);
SAME_CORE2(Initialize);

SAME_SIZE(struct nvtx_extension, nvtxExtModuleInfo_t);
SAME_PLACE(struct nvtx_extension, bytes, nvtxExtModuleInfo_t, structSize);
SAME_PLACE(struct nvtx_extension, module, nvtxExtModuleInfo_t, moduleId);
SAME_PLACE(struct nvtx_extension, segments, nvtxExtModuleInfo_t, segmentsCount);
SAME_PLACE(struct nvtx_extension, segment, nvtxExtModuleInfo_t, segments);
SAME_SIZE(struct nvtx_extension_segment, nvtxExtModuleSegment_t);
SAME_PLACE(struct nvtx_extension_segment, slots, nvtxExtModuleSegment_t, slotCount);
SAME_PLACE(struct nvtx_extension_segment, slot, nvtxExtModuleSegment_t, functionSlots);
SAME_VALUE(NVTX_EXTENSION_PAYLOAD, NVTX_EXT_PAYLOAD_MODULEID);
#define SAME_SLOT(name) SAME_VALUE(NVTX_PAYLOAD_SLOT_##name, NVTX3EXT_CBID_nvtx##name)
SAME_SLOT(MarkPayload);
SAME_SLOT(RangePushPayload);
SAME_SLOT(RangePopPayload);
SAME_SLOT(RangeStartPayload);
SAME_SLOT(RangeEndPayload);
SAME_SLOT(DomainIsEnabled);

int main(void)
{
	puts("the declarations are those of the headers");
	return 0;
}

#else

int main(void)
{
	puts("no NVTX 3 headers on this machine");
	return 77;
}

#endif
