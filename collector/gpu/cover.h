/* SPDX-License-Identifier: MIT */
/*
 * How long each combination of kinds of work ran on a device: a sweep over pieces that come nearly
 * in order. They wait until the sweep passes them. A piece that comes after that counts from where
 * the sweep is, and in `late`. Memory is bounded by COVER_PIECES_MAX: beyond, the sweep goes on
 * early, unless its owner sweeps before (cover_full_ns()).
 */
#ifndef COLLECTOR_GPU_COVER_H
#define COLLECTOR_GPU_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cover_kind { COVER_KERNEL, COVER_COPY, COVER_SET, COVER_COMMUNICATION, COVER_KINDS };
#define COVER_MASKS (1u << COVER_KINDS)
/* three seconds of 170,000 kernels a second; 12 MiB, which only such a program needs */
#define COVER_PIECES_MAX (1u << 19)

/* Zeroed memory is an empty one. */
struct cover {
	struct cover_piece {
		uint64_t start_ns, end_ns;
		enum cover_kind kind;
	} * piece;
	size_t count, room;
	bool unsorted;
	uint64_t swept_ns;
	uint64_t until_ns[COVER_KINDS]; /* work of the kind runs until then */
	uint64_t mask_ns[COVER_MASKS];  /* time with exactly these kinds, 1 << enum cover_kind */
	uint64_t late;
	uint64_t first_ns, last_ns; /* of all pieces; 0: none */
};

void cover_release(struct cover *cover);
void cover_add(struct cover *cover, enum cover_kind kind, uint64_t start_ns, uint64_t end_ns);
void cover_sweep(struct cover *cover, uint64_t upto_ns);
/*
 * If there is no room for another piece: returns until when the owner should sweep before it adds
 * one, else 0.
 */
uint64_t cover_full_ns(struct cover *cover);
/* Time with at least one of `kinds`, and none of `without`. */
uint64_t cover_ns(const uint64_t mask_ns[COVER_MASKS], unsigned int kinds, unsigned int without);

#endif
