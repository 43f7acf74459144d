/* SPDX-License-Identifier: MIT */
/* The few declarations of torch that hooks.def needs: c10/core/Device.h. */
#ifndef PRELOAD_TENSORS_TORCH_API_H
#define PRELOAD_TENSORS_TORCH_API_H

#include <stdint.h>

/* c10::Device, passed in the low 16 bits of a register. */
struct torch_device {
	int8_t type, index; /* c10::DeviceType, 0 is the CPU; index -1: the current device */
};

#endif
