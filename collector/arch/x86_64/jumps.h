/* SPDX-License-Identifier: MIT */
/*
 * Functions that call one of ours and then jump to the original with their caller's registers and
 * stack, as top-level assembly. In C they would have a frame between the caller and the original.
 */
#ifndef COLLECTOR_ARCH_X86_64_JUMPS_H
#define COLLECTOR_ARCH_X86_64_JUMPS_H

/* vfork(): `begins` returns the function to jump to. */
#define ARCH_JUMP_VFORK(begins)               \
	__asm__(".text\n"                     \
		".globl vfork\n"              \
		".type vfork, @function\n"    \
		"vfork:\n"                    \
		".cfi_startproc\n"            \
		"endbr64\n"                   \
		"sub $8, %rsp\n"              \
		".cfi_adjust_cfa_offset 8\n"  \
		"call " #begins "\n"          \
		"add $8, %rsp\n"              \
		".cfi_adjust_cfa_offset -8\n" \
		"jmp *%rax\n"                 \
		".cfi_endproc\n"              \
		".size vfork, .-vfork\n")

/*
 * Defines `name`, to be called by C++ code that expects an object in memory. `function` is static
 * and used; its first argument is the object's place, which it returns. Here this is the ABI's own
 * way of calling it.
 */
#define ARCH_RETURNS_OBJECT(name, function) __asm__(".set " #name ", " #function "\n")

/*
 * Surround a call in between: the caller's arguments are kept, and the stack is aligned as the ABI
 * requires.
 */
#define ARCH_ARGUMENTS_KEEP           \
	"	push %rdi\n"                \
	"	.cfi_adjust_cfa_offset 8\n" \
	"	push %rsi\n"                \
	"	.cfi_adjust_cfa_offset 8\n" \
	"	sub $8, %rsp\n"             \
	"	.cfi_adjust_cfa_offset 8\n"
#define ARCH_ARGUMENTS_BACK            \
	"	add $8, %rsp\n"              \
	"	.cfi_adjust_cfa_offset -8\n" \
	"	pop %rsi\n"                  \
	"	.cfi_adjust_cfa_offset -8\n" \
	"	pop %rdi\n"                  \
	"	.cfi_adjust_cfa_offset -8\n"

/*
 * dlsym(handle, name): for names that begin with "cup", `answer` is asked first, and its result
 * returned unless it is NULL. Otherwise it jumps to the function in the word `next`, or, if that is
 * NULL, to the one that `original` returns.
 */
#define ARCH_JUMP_DLSYM(answer, next, original)                                         \
	__asm__(".pushsection .text\n"                                                  \
		".globl dlsym\n"                                                        \
		".type dlsym, @function\n"                                              \
		"dlsym:\n"                                                              \
		".cfi_startproc\n"                                                      \
		"endbr64\n"                                                             \
		"test %rsi, %rsi\n"                                                     \
		"je 1f\n"                                                               \
		"cmpb $'c', (%rsi)\n"                                                   \
		"jne 1f\n"                                                              \
		"cmpb $'u', 1(%rsi)\n"                                                  \
		"jne 1f\n"                                                              \
		"cmpb $'p', 2(%rsi)\n"                                                  \
		"jne 1f\n" ARCH_ARGUMENTS_KEEP "call " #answer "\n" ARCH_ARGUMENTS_BACK \
		"test %rax, %rax\n"                                                     \
		"je 1f\n"                                                               \
		"ret\n"                                                                 \
		"1: mov " #next "(%rip), %rax\n"                                        \
		"test %rax, %rax\n"                                                     \
		"je 2f\n"                                                               \
		"jmp *%rax\n"                                                           \
		"2:\n" ARCH_ARGUMENTS_KEEP "call " #original "\n" ARCH_ARGUMENTS_BACK   \
		"jmp *%rax\n"                                                           \
		".cfi_endproc\n"                                                        \
		".size dlsym, .-dlsym\n"                                                \
		".popsection\n")

#endif
