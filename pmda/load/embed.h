/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF objects of the agent's own, which are a part of its program. */
#ifndef ESTAT_PMDA_LOAD_EMBED_H
#define ESTAT_PMDA_LOAD_EMBED_H

/*
 * Define NAME and NAME_end, the begin and the end of the file OBJECT. Link-time optimization may
 * move this asm away from the code that uses the symbols, so the symbols are global and hidden.
 */
#define EMBED(NAME, OBJECT)                                                      \
	extern const char NAME[], NAME##_end[];                                  \
	__asm__(".pushsection .rodata\n"                                         \
		".globl " #NAME ", " #NAME "_end\n"                              \
		".hidden " #NAME ", " #NAME "_end\n"                             \
		".balign 8\n" #NAME ": .incbin \"" OBJECT "\"\n" #NAME "_end:\n" \
		".popsection\n");

#endif /* ESTAT_PMDA_LOAD_EMBED_H */
