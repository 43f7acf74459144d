/* SPDX-License-Identifier: MIT */
/* PyTorch's events on their way from the source to the model: the torch part of model.c. */
#ifndef REPORT_TORCH_MODEL_TORCH_H
#define REPORT_TORCH_MODEL_TORCH_H

#include "report/core/cut.h"
#include "report/core/model.h"

/* An event of family torch. */
void model_take_torch(struct model *model, const struct source_event *event, bool counts);

/* A CUDA call, for the operator that it was made in. */
void model_note_cuda(struct model *model, const struct source_event *event,
		     const struct range_work *work);
/* Name of the innermost operator of the event's thread + 1; 0: none, or they are not followed. */
uint64_t model_operator(const struct model *model, const struct source_event *event);
/* An NVTX range opens or closes: actions, where there are no better ones. */
void model_note_range(struct model *model, const struct source_event *event, bool counts);

static inline struct operator_text operator_text_of(const struct source_name *name)
{
	return (struct operator_text){ name->text, name->length };
}

#endif
