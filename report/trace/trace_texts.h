/* SPDX-License-Identifier: MIT */
/*
 * Texts of a trace: a name of the recording in the form for events, made once and numbered. A name
 * whose text has not arrived yet has no number.
 *
 * Memory grows with names. One thread.
 */
#ifndef REPORT_TRACE_TRACE_TEXTS_H
#define REPORT_TRACE_TRACE_TEXTS_H

#include "report/base/demangle.h"
#include "report/session/source.h"
#include "report/trace/trace.h"

enum trace_form {
	TRACE_AS_IS,
	TRACE_AS_MODULE, /* with TRACE_MODULE_LABEL */
	TRACE_AS_KERNEL, /* demangled, with its return type if texts.whole_kernel_names is set */
	TRACE_AS_SHAPES, /* of inputs: a list if it is one */
	TRACE_AS_TYPES,
	TRACE_FORMS
};

/* Numbers of our own texts. */
enum trace_own_text {
	TRACE_OWN_NONE,
	TRACE_OWN_TENSOR,
	TRACE_OWN_TENSORS_CPU,
	TRACE_OWN_GPU_CLOCK,
	TRACE_OWN_GPU_POWER,
	TRACE_OWN_GPU_TEMPERATURE,
	TRACE_OWN_GPU_THROTTLED,
	TRACE_OWN_TENSORS_DEVICE,
	TRACE_OWN_RESIDENT,
	TRACE_OWN_HEAP,
	TRACE_OWN_COLLECTION,
	TRACE_OWN_WORK, /* of a device, by its kind */
	TRACE_OWN_LIMIT = TRACE_OWN_WORK + 1024
};
#define TRACE_OWN(literal, id) \
	((struct trace_text){ .text = literal, .length = sizeof(literal) - 1, .number = id })

struct trace_texts {
	struct source *source;
	struct trace_text *text[TRACE_FORMS]; /* by index of a name; number 0: not yet */
	size_t room[TRACE_FORMS];
	uint32_t count; /* number of names with a number */
	struct text_store store;
	struct text_store passing; /* text of the last one without a number */
	struct demangler demangler;
	bool whole_kernel_names;
};

struct trace_text trace_text(struct trace_texts *texts, enum trace_form form, uint32_t name);
void trace_texts_release(struct trace_texts *texts);

#endif
