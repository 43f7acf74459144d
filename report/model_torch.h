/* SPDX-License-Identifier: MIT */
/* PyTorch's events on their way from the source to the model: the torch part of model.c. */
#ifndef REPORT_MODEL_TORCH_H
#define REPORT_MODEL_TORCH_H

#include "report/model.h"

/* An event of family torch. */
void model_take_torch(struct model *model, const struct source_event *event, bool counts);
/* Recording stops or starts in the event's process. */
void model_cut_torch(struct model *model, const struct source_event *event);
/* An event `lost`: begins and ends of the thread may be among what is missing. */
void model_cut_lossy_thread(struct model *model, const struct source_event *event);
void model_finish_torch(struct model *model, const struct source_thread *thread, uint64_t end_ns,
			bool ended);

/* A CUDA call, for the operator that it was made in. */
void model_note_cuda(struct model *model, const struct source_event *event,
		     const struct range_work *work);
/* Name of the innermost operator of the event's thread + 1; 0: none, or they are not followed. */
uint64_t model_operator(struct model *model, const struct source_event *event);
/* An NVTX range opens or closes: actions, where there are no better ones. */
void model_note_range(struct model *model, const struct source_event *event, bool counts);

static inline struct operator_place event_place(const struct source_event *event)
{
	return (struct operator_place){ event->thread->index, event->process->index };
}

static inline struct operator_text name_text(const struct source_name *name)
{
	return (struct operator_text){ name->text, name->length };
}

#endif
