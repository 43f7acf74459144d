/* SPDX-License-Identifier: MIT */
/*
 * Calls of PyTorch's modules on their way from the source to the model: ranges that nest per thread
 * (ranges.h), kept by their path, with what the thread did inside of them.
 */
#ifndef REPORT_MODEL_MODULES_H
#define REPORT_MODEL_MODULES_H

#include "report/model.h"

/* An event of family modules. */
void model_take_module(struct model *model, const struct source_event *event, bool counts);
/* What is open ends here, and its own ends will not be seen: recording stopped in the process, ... */
void model_cut_modules(struct model *model, const struct source_process *process, uint64_t time_ns);
/* ... or events of the thread were lost. */
void model_cut_modules_of(struct model *model, const struct source_thread *thread,
			  uint64_t time_ns);
/* What is open at the end: `ended` at `end_ns`, or running on. */
void model_finish_modules(struct model *model, const struct source_thread *thread, uint64_t end_ns,
			  bool ended);

#endif
