/* SPDX-License-Identifier: MIT */
/* Calls of PyTorch's modules on their way to the model: see model_modules.h. */
#include "report/model_modules.h"

void model_take_module(struct model *model, const struct source_event *event, bool counts)
{
	uint32_t thread = event->thread->index;

	if (!model->options.wants_modules)
		return;
	if (event->event.id == EVT_torch_module_begin)
		ranges_push(&model->modules,
			    &(struct range_opening){
				    .time_ns = event->event.time_ns,
				    .owner = thread,
				    .name = model_name(
					    model, event,
					    EVENT_AS(torch_module_begin, &event->event)->name),
				    .work = model_work_of_thread(model, thread),
				    .counts = counts,
			    });
	else
		ranges_pop(&model->modules, &(struct range_closing){
						    .time_ns = event->event.time_ns,
						    .owner = thread,
						    .work = model_work_of_thread(model, thread),
					    });
}

void model_finish_modules(struct model *model, const struct source_thread *thread, uint64_t end_ns,
			  bool ended)
{
	if (model->options.wants_modules)
		ranges_finish_thread(&model->modules, thread->index, end_ns,
				     model_work_of_thread(model, thread->index), ended);
}

void model_cut_modules_of(struct model *model, const struct source_thread *thread, uint64_t time_ns)
{
	model_finish_modules(model, thread, time_ns, true);
}

void model_cut_modules(struct model *model, const struct source_process *process, uint64_t time_ns)
{
	struct source_thread *const *thread;
	size_t threads = source_threads(model->source, &thread);

	if (!model->options.wants_modules)
		return;
	for (size_t i = 0; i < threads; i++)
		if (thread[i]->process == process)
			model_cut_modules_of(model, thread[i], time_ns);
}
