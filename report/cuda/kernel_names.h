/* SPDX-License-Identifier: MIT */
/* The names of kernels in the form that --names asks for, each made once. */
#ifndef REPORT_CUDA_KERNEL_NAMES_H
#define REPORT_CUDA_KERNEL_NAMES_H

#include "report/base/demangle.h"
#include "report/session/source.h"

/* The choices of option --names. */
enum kernel_form {
	NAMES_FULL,
	NAMES_SHORT,   /* no namespaces, template arguments and parameters */
	NAMES_MANGLED, /* as recorded */
};

struct kernel_names {
	const struct source *source;
	enum kernel_form form;
	struct demangler demangler;
	struct kernel_name {
		const char *text; /* NULL: not yet made */
		size_t length;
	} * name; /* by the source's index */
};

void kernel_names_init(struct kernel_names *names, const struct source *source,
		       enum kernel_form form);
void kernel_names_release(struct kernel_names *names);

/* By the source's index of the name; its text lives as long as `names`. */
const struct kernel_name *kernel_name_of(struct kernel_names *names, uint64_t index);

#endif
