/* SPDX-License-Identifier: MIT */
/* Names of kernels in the form that --names asks for. Each is made once. */
#ifndef REPORT_CUDA_KERNEL_NAMES_H
#define REPORT_CUDA_KERNEL_NAMES_H

#include "report/base/demangle.h"
#include "report/session/source.h"

/* The choices of option --names. */
enum kernel_form {
	NAMES_FULL,
	NAMES_SHORT,   /* without namespaces, template arguments and parameters */
	NAMES_MANGLED, /* as recorded */
};

struct kernel_names {
	const struct source *source;
	enum kernel_form form;
	struct demangler demangler;
	struct kernel_name {
		const char *text; /* NULL: not made yet */
		size_t length;
	} * name; /* by index in the source */
};

void kernel_names_init(struct kernel_names *names, const struct source *source,
		       enum kernel_form form);
void kernel_names_release(struct kernel_names *names);

/* `index`: of the name in the source. The text lives as long as `names`. */
const struct kernel_name *kernel_name_of(struct kernel_names *names, uint64_t index);

#endif
