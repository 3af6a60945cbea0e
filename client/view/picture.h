/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes pictures to files, for estat heat, estat flame and estat trace. */
#ifndef ESTAT_CLIENT_VIEW_PICTURE_H
#define ESTAT_CLIENT_VIEW_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Write a text as XML. Characters below U+0020, except a newline, bytes that are not UTF-8, and
 * the bytes of U+FFFE and U+FFFF become "?".
 */
void picture_put(FILE *f, const char *text);

/*
 * Write a text as picture_put() does. If the text has more than `room` characters, write only its
 * first room - 2 characters, and "..". `room` is at least 2.
 */
void picture_put_cut(FILE *f, const char *text, size_t room);

/*
 * picture_open() opens a file, with the `mode` of fopen(3); picture_close() closes the file. Both
 * exit if the file cannot be written.
 */
FILE *picture_open(const char *file, const char *mode);
void picture_close(FILE *f, const char *file);

/* Exit if the file cannot be written. Creates an empty file if there is none. */
void picture_check(const char *file);

/*
 * An SVG. Browsers show the <title> of the element below the pointer, without a script. svg_begin()
 * defines the CSS variables --page and --text, with colours for light and dark pages.
 */
struct svg {
	const char *class, *title;
	const char *style; /* CSS of the elements that the caller draws */
	double width, height;
	bool alone; /* the SVG is a whole file: draw the title in the top 30 pixels */
};

/* svg_begin() begins an SVG element, svg_end() ends it. The background has the class `page`. */
void svg_begin(FILE *f, const struct svg *svg);
void svg_end(FILE *f);

#endif /* ESTAT_CLIENT_VIEW_PICTURE_H */
