/* SPDX-License-Identifier: MIT */
/*
 * Which blocks are copies that a program made for itself: by aten::clone as outermost operator,
 * as deepcopy() and state_dict() snapshots do, and not as a node of autograd's graph. An operator
 * has made a node if the thread's sequence number is higher at the operator after it. Clones after
 * a pass' first node are taken for a part of the forward pass.
 *
 * Memory grows with threads and with different sizes of parameters. To be used by one thread.
 */
#ifndef REPORT_TENSORS_COPIES_H
#define REPORT_TENSORS_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"

#define COPY_NONE UINT32_MAX

struct copy_thread {
	uint64_t pass;            /* + 1: the pass that `first` is of; 0: none yet */
	uint64_t first, sequence; /* numbers at the first operator of that pass, and now */
	uint32_t block;           /* + 1: made by a clone that may be a node; 0: none */
};

struct copies {
	struct map sizes; /* of parameters: process, device and bytes */
	struct copy_thread *thread;
	size_t thread_room;
};

void copies_init(struct copies *copies);
void copies_release(struct copies *copies);

/* An operator with a sequence number begins. Returns the block that is known for a copy now. */
uint32_t copies_take_operator(struct copies *copies, uint32_t thread, uint64_t pass,
			      uint64_t sequence);

/* An outermost clone makes the block. True: it is a copy. Else copies_take_operator() may tell. */
bool copies_take_clone(struct copies *copies, uint32_t thread, bool has_sequence, uint32_t block);

/* Blocks of a parameter's size: a copy of that size is one of a model, as far as one can say. */
void copies_add_size(struct copies *copies, uint32_t process, uint32_t device, uint64_t bytes);
bool copies_have_size(const struct copies *copies, uint32_t process, uint32_t device,
		      uint64_t bytes);

#endif
