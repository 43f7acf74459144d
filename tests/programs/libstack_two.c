/* SPDX-License-Identifier: MIT */
/*
 * The second of two libraries that differ in nothing but the size of one frame: see
 * dlclose_stacks.c.
 */
__asm__(".globl visit\n"
	".type visit, @function\n"
	"visit:\n"
	".cfi_startproc\n"
	"sub $104, %rsp\n"
	".cfi_adjust_cfa_offset 104\n"
	"call *%rdi\n"
	"add $104, %rsp\n"
	".cfi_adjust_cfa_offset -104\n"
	"ret\n"
	".cfi_endproc\n"
	".size visit, .-visit\n");
