/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's modules as an analysis of a run: their calls, the backward functions of their
 * operators, on whichever thread these run, and what the GPU did for both.
 *
 * Without operators (family torch), or where only some of them were recorded (INTERCEPT_OPERATORS),
 * backward functions are not known.
 */
#ifndef REPORT_MODULES_MODULE_EVENTS_H
#define REPORT_MODULES_MODULE_EVENTS_H

#include "report/core/analysis.h"
#include "report/modules/autograd_nodes.h"
#include "report/modules/module_scopes.h"
#include "report/tensors/categories.h"

struct modules {
	struct module_scopes scopes;
	struct autograd_nodes nodes;
	const struct categories *categories; /* NULL: tensors are not wanted */
	bool has_operators;                  /* all of them were recorded, with sequence numbers */
	/*
	 * FSDP puts gradients of several parameters into one block, which it sends to other ranks:
	 * what is kept of gradients is not the parameters of a module
	 */
	bool is_sharded;
	bool has_compiled; /* code of torch.compile ran in a module */
	bool has_inputs;   /* sizes of inputs were recorded, so FLOPs are known */
	/* backward functions whose operators were in no module, or are not known */
	uint64_t backward_elsewhere;
};

struct modules_options {
	uint32_t work; /* kinds of work inside, as bits WORK_BIT() */
};
ANALYSIS(modules, struct modules)

/* True if backward functions could be joined with modules. */
bool modules_know_backward(const struct modules *modules);

#endif
