/* SPDX-License-Identifier: MIT */
/*
 * In which steps the element types of operators' inputs are recorded. PyTorch boxes the inputs of
 * an operator only for a callback that needs them, so such a callback takes the place of the other
 * one in steps 3, 9, 27, 81, ... of what is recorded, and in no others.
 *
 * Called at edges of steps, on whatever thread they end. No lock of ours, no allocation of ours.
 */
#ifndef PRELOAD_TORCH_TORCH_TYPING_H
#define PRELOAD_TORCH_TORCH_TYPING_H

/* Call once, before the program has a step. */
void torch_typing_start(void);

#endif
