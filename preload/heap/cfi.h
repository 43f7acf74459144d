/* SPDX-License-Identifier: MIT */
/*
 * Call frame information (DWARF 5, 6.4; the .eh_frame form of the LSB): just enough of it to tell
 * where a small function, stopped in a call, keeps its return address. Understood is what compilers
 * write for functions with a fixed frame: the canonical frame address is rsp + n, or rbp + 16 in a
 * standard frame. Everything else (expressions, signal frames, 64-bit lengths, other pointer
 * encodings, frames above CFI_WORDS_MAX) is refused.
 *
 * Takes no lock, allocates nothing, makes no system call: any thread, signal handlers too. Bounded in
 * time by CFI_BYTES_MAX. Nothing outside of [low, high) is read.
 */
#ifndef PRELOAD_HEAP_CFI_H
#define PRELOAD_HEAP_CFI_H

#include <stdbool.h>
#include <stdint.h>

#define CFI_WORDS_MAX 64u
#define CFI_BYTES_MAX 4096u /* one CIE or FDE */

/* The memory that may be read: an object as it is mapped. */
struct cfi_span {
	uintptr_t low, high;
};

/*
 * `slot` is where the call has put its return address into the callee's frame. Then the function's
 * own return address is at slot + 8 * words, or when by_rbp at rbp + 8. rbp as its caller had it is
 * at that place + 8 - 8 * rbp_words, or still in rbp when rbp_words is 0.
 */
struct cfi_rule {
	uint8_t words; /* 1 to CFI_WORDS_MAX; 0 when by_rbp */
	uint8_t rbp_words;
	bool by_rbp;
};

/* Looks `address` up in the search table of the .eh_frame_hdr at `header` and runs what it finds. */
bool cfi_find_rule(struct cfi_span span, uintptr_t header, uintptr_t address,
		   struct cfi_rule *ret_rule);

/* The same, of one entry of .eh_frame. False when the entry is not about `address`, too. */
bool cfi_run_entry(struct cfi_span span, uintptr_t entry, uintptr_t address,
		   struct cfi_rule *ret_rule);

#endif
