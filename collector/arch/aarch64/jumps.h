/* SPDX-License-Identifier: MIT */
/* aarch64: see x86_64/jumps.h. `hint 34` is `bti c`: calls through pointers may lead there. */
#ifndef COLLECTOR_ARCH_AARCH64_JUMPS_H
#define COLLECTOR_ARCH_AARCH64_JUMPS_H

#define ARCH_JUMP_VFORK(begins)              \
	__asm__(".text\n"                    \
		".globl vfork\n"             \
		".type vfork, %function\n"   \
		"vfork:\n"                   \
		".cfi_startproc\n"           \
		"hint 34\n"                  \
		"stp x29, x30, [sp, -16]!\n" \
		".cfi_def_cfa_offset 16\n"   \
		".cfi_offset 29, -16\n"      \
		".cfi_offset 30, -8\n"       \
		"mov x29, sp\n"              \
		"bl " #begins "\n"           \
		"ldp x29, x30, [sp], 16\n"   \
		".cfi_restore 30\n"          \
		".cfi_restore 29\n"          \
		".cfi_def_cfa_offset 0\n"    \
		"mov x16, x0\n"              \
		"br x16\n"                   \
		".cfi_endproc\n"             \
		".size vfork, .-vfork\n")

/* The place of an object that is returned in memory comes in x8. */
#define ARCH_RETURNS_OBJECT(name, function)                \
	__asm__(".text\n"                                  \
		".type " #name ", %function\n" #name ":\n" \
		".cfi_startproc\n"                         \
		"hint 34\n"                                \
		"mov x1, x0\n"                             \
		"mov x0, x8\n"                             \
		"b " #function "\n"                        \
		".cfi_endproc\n"                           \
		".size " #name ", .-" #name "\n")

/* Surround a call in between: the caller's two arguments are kept. */
#define ARCH_ARGUMENTS_KEEP          \
	"stp x29, x30, [sp, -32]!\n" \
	".cfi_def_cfa_offset 32\n"   \
	".cfi_offset 29, -32\n"      \
	".cfi_offset 30, -24\n"      \
	"stp x0, x1, [sp, 16]\n"     \
	"mov x29, sp\n"
#define ARCH_ARGUMENTS_BACK        \
	"mov x16, x0\n"            \
	"ldp x0, x1, [sp, 16]\n"   \
	"ldp x29, x30, [sp], 32\n" \
	".cfi_restore 30\n"        \
	".cfi_restore 29\n"        \
	".cfi_def_cfa_offset 0\n"

#define ARCH_JUMP_DLSYM(answer, next, original)                                                \
	__asm__(".pushsection .text\n"                                                         \
		".globl dlsym\n"                                                               \
		".type dlsym, %function\n"                                                     \
		"dlsym:\n"                                                                     \
		".cfi_startproc\n"                                                             \
		"hint 34\n"                                                                    \
		"cbz x1, 1f\n"                                                                 \
		"ldrb w16, [x1]\n"                                                             \
		"cmp w16, 'c'\n"                                                               \
		"b.ne 1f\n"                                                                    \
		"ldrb w16, [x1, 1]\n"                                                          \
		"cmp w16, 'u'\n"                                                               \
		"b.ne 1f\n"                                                                    \
		"ldrb w16, [x1, 2]\n"                                                          \
		"cmp w16, 'p'\n"                                                               \
		"b.ne 1f\n" ARCH_ARGUMENTS_KEEP "bl " #answer "\n" ARCH_ARGUMENTS_BACK         \
		"cbz x16, 1f\n"                                                                \
		"mov x0, x16\n"                                                                \
		"ret\n"                                                                        \
		"1: adrp x16, " #next "\n"                                                     \
		"add x16, x16, :lo12:" #next "\n"                                              \
		"ldar x16, [x16]\n"                                                            \
		"cbz x16, 2f\n"                                                                \
		"br x16\n"                                                                     \
		"2:\n" ARCH_ARGUMENTS_KEEP "bl " #original "\n" ARCH_ARGUMENTS_BACK "br x16\n" \
		".cfi_endproc\n"                                                               \
		".size dlsym, .-dlsym\n"                                                       \
		".popsection\n")

#endif
