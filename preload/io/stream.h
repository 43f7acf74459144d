/* SPDX-License-Identifier: MIT */
/* What buffered input and output and its formatted part (print.c) share. errno is preserved. */
#ifndef PRELOAD_IO_STREAM_H
#define PRELOAD_IO_STREAM_H

#include "preload/io/io.h"

/* Below 0: the stream has no descriptor. */
int stream_descriptor(FILE *stream);
/* As io_record_bytes(). Does nothing without a descriptor. */
void stream_record(uint32_t type, const struct io_call *call, int64_t result);

#endif
