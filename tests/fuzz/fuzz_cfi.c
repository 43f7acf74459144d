/* SPDX-License-Identifier: MIT */
/* links: cfi preload:stacks/rules.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c */
/*
 * Call frame information from anywhere: the input is an object, its .eh_frame_hdr first. Every
 * address near it is looked up, every offset taken for an entry. Nothing outside the input may be
 * read.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/cfi/cfi.h"
#include "preload/stacks/rules.h"

#define BYTES_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t bytes = size < BYTES_MAX ? size : BYTES_MAX;
	uint8_t *object = malloc(bytes ? bytes
				       : 1); /* exactly so large: whoever reads beyond is found */
	struct cfi_span span = { (uintptr_t)object, (uintptr_t)object + bytes, false, NULL };
	struct cfi_row row;
	uint64_t sum = 0;

	if (!object)
		return 0;
	memcpy(object, data, bytes);
	for (uintptr_t at = 0; at < 2 * bytes; at += 7)
		if (cfi_find_row(span, span.low, span.low + at, &row))
			sum += rule_pack(&row);
	for (uintptr_t at = 0; at < bytes; at += 4)
		if (cfi_run_entry(span, span.low + at, span.low + at / 2, &row))
			sum += rule_pack(&row);
	free(object);
	(void)*(volatile uint64_t *)&sum;
	return 0;
}
