/* SPDX-License-Identifier: MIT */
/*
 * What a kernel does, by its name (kernel_patterns.def): it uses tensor cores, communicates, or is
 * a helper. A name is examined once, when its text has come. Memory grows with names. To be used by
 * one thread.
 */
#ifndef REPORT_GPU_KERNEL_CLASS_H
#define REPORT_GPU_KERNEL_CLASS_H

#include "report/session/source.h"

#define KERNEL_IS_KNOWN 1u
#define KERNEL_IS_COMMUNICATION 2u
#define KERNEL_USES_TENSOR_CORES 4u
#define KERNEL_IS_OF_RECENT_GPU 16u /* compiled for a GPU that has tensor cores */
#define KERNEL_IS_SIMT 32u          /* a matrix product without tensor cores */
#define KERNEL_IS_DOUBLE 64u        /* a matrix product in double precision */
/* part of a matrix product: it moves or adds up what other kernels compute */
#define KERNEL_IS_HELPER 8u

struct kernel_classes {
	struct source *source;
	uint8_t *bits; /* by index of the name */
	size_t room;
};

void kernel_classes_init(struct kernel_classes *classes, struct source *source);
void kernel_classes_release(struct kernel_classes *classes);

/* Returns bits KERNEL_; 0 while the name has no text. */
unsigned int kernel_classes_of(struct kernel_classes *classes, uint32_t name);
/* The same for a text. */
unsigned int kernel_class_of(const char *text, size_t length);

#endif
