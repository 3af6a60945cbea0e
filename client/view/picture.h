/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with pictures share. */
#ifndef ESTAT_CLIENT_VIEW_PICTURE_H
#define ESTAT_CLIENT_VIEW_PICTURE_H

#include <stdio.h>

/* Write a text as XML. Control characters and bytes that are not UTF-8 become "?". */
void picture_put(FILE *f, const char *text);

/* Open a file (`mode` as of fopen(3)), and close the file. Exit if it cannot be written. */
FILE *picture_open(const char *file, const char *mode);
void picture_close(FILE *f, const char *file);

/* Exit if the file cannot be written. Creates an empty file if there is none. */
void picture_check(const char *file);

#endif /* ESTAT_CLIENT_VIEW_PICTURE_H */
