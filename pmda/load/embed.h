/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts BPF objects of the agent's own into the executable pmdaestat. */
#ifndef ESTAT_PMDA_LOAD_EMBED_H
#define ESTAT_PMDA_LOAD_EMBED_H

/*
 * Put the content of the file OBJECT into .rodata, and define NAME, the content's begin, and
 * NAME_end, the content's end. Link-time optimization may move this asm away from the code that
 * uses the symbols, so the symbols are global and hidden.
 */
#define EMBED(NAME, OBJECT)                                                      \
	extern const char NAME[], NAME##_end[];                                  \
	__asm__(".pushsection .rodata\n"                                         \
		".globl " #NAME ", " #NAME "_end\n"                              \
		".hidden " #NAME ", " #NAME "_end\n"                             \
		".balign 8\n" #NAME ": .incbin \"" OBJECT "\"\n" #NAME "_end:\n" \
		".popsection\n");

#endif /* ESTAT_PMDA_LOAD_EMBED_H */
