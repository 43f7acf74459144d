/* SPDX-License-Identifier: MIT */
/* Events of tensors' memory on their way from the source to the model: the tensors' part of model.c. */
#ifndef REPORT_TENSORS_MODEL_TENSORS_H
#define REPORT_TENSORS_MODEL_TENSORS_H

#include "report/core/model.h"

/* An event of family tensors; operators that are followed are told of their bytes, too. */
void model_take_tensors(struct model *model, const struct source_event *event, bool counts);

/* A key of --by op: name of the operator, and for aten::empty of the one around it; 1 more than the index, or 0. */
static inline uint64_t tensor_key_of_names(uint64_t name, uint64_t around)
{
	return around << 32 | name;
}

#endif
