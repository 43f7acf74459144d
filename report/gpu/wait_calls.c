/* SPDX-License-Identifier: MIT */
/* A name is examined once, when its text has come. */
#include "report/gpu/wait_calls.h"

#include "report/base/text.h"

void wait_calls_init(struct wait_calls *calls, struct source *source)
{
	calls->source = source;
	map_init(&calls->kinds);
}

void wait_calls_release(struct wait_calls *calls)
{
	map_release(&calls->kinds);
}

enum wait_call_kind wait_call_kind_of(const char *name, size_t length)
{
	static const struct {
		const char *begin;
		enum wait_call_kind kind;
	} waits[] = {
		{ "cudaEventSynchronize", WAIT_CALL_EVENT },
		{ "cuEventSynchronize", WAIT_CALL_EVENT },
		{ "cudaStreamWaitEvent", WAIT_CALL_STREAM_FOR_EVENT },
		{ "cuStreamWaitEvent", WAIT_CALL_STREAM_FOR_EVENT },
		{ "cudaStreamSynchronize", WAIT_CALL_STREAM },
		{ "cuStreamSynchronize", WAIT_CALL_STREAM },
		{ "cudaDeviceSynchronize", WAIT_CALL_DEVICE },
		{ "cudaThreadSynchronize", WAIT_CALL_DEVICE },
		{ "cudaExecutionCtxSynchronize", WAIT_CALL_DEVICE },
		{ "cuCtxSynchronize", WAIT_CALL_DEVICE },
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (text_begins(name, length, waits[i].begin))
			return waits[i].kind;
	return WAIT_CALL_NONE;
}

enum wait_call_kind wait_calls_kind_of(struct wait_calls *calls, uint32_t index)
{
	const struct source_name *name = source_name_at(calls->source, index);
	struct map_entry *known;
	bool added;

	if (!name->text)
		return WAIT_CALL_NONE;
	known = map_put(&calls->kinds, (uint64_t)index + 1, &added);
	if (added)
		known->value = wait_call_kind_of(name->text, name->length);
	return (enum wait_call_kind)known->value;
}
