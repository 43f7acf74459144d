/* SPDX-License-Identifier: MIT */
/*
 * What a kernel is, by its name (kernel_patterns.def): of tensor cores, of communication, a helper. A name is looked at once, but
 * for one whose text is still to come. Memory grows with names. One thread.
 */
#ifndef REPORT_GPU_KERNEL_CLASS_H
#define REPORT_GPU_KERNEL_CLASS_H

#include "report/session/source.h"

#define KERNEL_IS_KNOWN 1u
#define KERNEL_IS_COMMUNICATION 2u
#define KERNEL_USES_TENSOR_CORES 4u
#define KERNEL_IS_OF_RECENT_GPU 16u /* made for a GPU that has tensor cores */
#define KERNEL_IS_SIMT 32u          /* it multiplies without tensor cores */
#define KERNEL_IS_DOUBLE 64u        /* it multiplies in double precision */
#define KERNEL_IS_HELPER 8u         /* of a product: it moves or adds up what the others compute */

struct kernel_classes {
	struct source *source;
	uint8_t *bits; /* by the index of the name */
	size_t room;
};

void kernel_classes_init(struct kernel_classes *classes, struct source *source);
void kernel_classes_release(struct kernel_classes *classes);

/* Bits KERNEL_; 0 while the name has no text. */
unsigned int kernel_classes_of(struct kernel_classes *classes, uint32_t name);
/* The same of a text. */
unsigned int kernel_class_of(const char *text, size_t length);

#endif
