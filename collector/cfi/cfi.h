/* SPDX-License-Identifier: MIT */
/*
 * Call frame information (DWARF 5, 6.4; the .eh_frame form of the LSB): finds the row that is valid
 * at an address, for rsp, rbp and the return address. Supported is what compilers, linkers and
 * glibc write for x86-64: a canonical frame address (CFA) by rsp or rbp, read from memory through
 * either (realigned frames), or computed (PLT); signal frames. Other registers, 64-bit lengths and
 * other pointer encodings are refused.
 *
 * Takes no lock and allocates nothing: any thread, signal handlers too. The time is bounded by
 * CFI_BYTES_MAX. Nothing outside of [low, high) is read, and with `probe` no page that
 * cfi_page_is_readable() has not confirmed.
 */
#ifndef COLLECTOR_CFI_CFI_H
#define COLLECTOR_CFI_CFI_H

#include <stdbool.h>
#include <stdint.h>

#define CFI_BYTES_MAX (64u << 10) /* limit for one CIE or FDE */

#define CFI_PAGE 4096u

/*
 * The memory that may be read: an object as it is mapped, here or in another process. All distances
 * are the same as there.
 */
struct cfi_span {
	uintptr_t low, high;
	bool probe;    /* pages are probed before they are read; otherwise all are readable */
	void *context; /* passed to cfi_page_is_readable() */
};

/* Defined by the program that links this: whether the page that begins there can be read. */
bool cfi_page_is_readable(void *context, uintptr_t page);

enum cfi_cfa {
	CFI_CFA_RSP,      /* rsp + offset */
	CFI_CFA_RBP,      /* rbp + offset */
	CFI_CFA_RSP_LOAD, /* the word at rsp + offset, plus after */
	CFI_CFA_RBP_LOAD,
};

enum cfi_saved {
	CFI_SAVED_SAME,   /* still in the register */
	CFI_SAVED_BY_CFA, /* in memory, at CFA + offset */
	CFI_SAVED_BY_RSP,
	CFI_SAVED_BY_RBP,
	CFI_SAVED_LOST, /* unknown */
};

struct cfi_saved_at {
	enum cfi_saved how;
	int64_t offset;
};

/* rsp and rbp are those of the frame; its caller's rsp is the CFA. */
struct cfi_row {
	enum cfi_cfa cfa;
	int64_t offset, after;
	struct cfi_saved_at rbp;
	/*
	 * CFI_SAVED_LOST: undefined, which marks the outermost frame. CFI_SAVED_SAME: in the link
	 * register (only with ARCH_CFI_HAS_LINK).
	 */
	struct cfi_saved_at ret;
	bool signal; /* its caller was interrupted and made no call */
};

/*
 * Looks `address` up in the search table of the .eh_frame_hdr at `header` and runs the entry found.
 */
bool cfi_find_row(struct cfi_span span, uintptr_t header, uintptr_t address,
		  struct cfi_row *ret_row);

/* The same for one entry of .eh_frame. Also returns false if the entry does not cover `address`. */
bool cfi_run_entry(struct cfi_span span, uintptr_t entry, uintptr_t address,
		   struct cfi_row *ret_row);

#endif
