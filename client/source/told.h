/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a value of estat.SERIES.oldest_op: "sector=2048 bytes=4096 pid=71 command=dd". */
#ifndef ESTAT_CLIENT_SOURCE_TOLD_H
#define ESTAT_CLIENT_SOURCE_TOLD_H

/*
 * The value of the word `name` in `text`, which can be NULL; NULL: the text lacks the word. The
 * caller frees the value.
 */
char *told_word(const char *text, const char *name);

#endif /* ESTAT_CLIENT_SOURCE_TOLD_H */
