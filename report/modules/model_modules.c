/* SPDX-License-Identifier: MIT */
/* Calls of PyTorch's modules on their way to the model: see model_modules.h. */
#include "report/modules/model_modules.h"

void model_take_module(struct model *model, const struct source_event *event, bool counts)
{
	uint32_t thread = event->thread->index;

	if (!model->options.wants_modules)
		return;
	if (event->event.id == EVT_torch_module_begin)
		ranges_push(&model->modules,
			    &(struct range_opening){
				    .time_ns = event->event.time_ns,
				    .thread = thread,
				    .process = event->process->index,
				    .name = model_name(
					    model, event,
					    EVENT_AS(torch_module_begin, &event->event)->name),
				    .work = model_work_of_thread(model, event->thread),
				    .counts = counts,
			    });
	else
		ranges_pop(&model->modules,
			   &(struct range_closing){
				   .time_ns = event->event.time_ns,
				   .thread = thread,
				   .process = event->process->index,
				   .work = model_work_of_thread(model, event->thread),
			   });
}
