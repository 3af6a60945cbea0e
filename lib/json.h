/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes JSON. The writer puts the commas; the caller opens and closes objects and arrays. */
#ifndef ESTAT_LIB_JSON_H
#define ESTAT_LIB_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *f;
	const char *comma; /* the text between two values; NULL: "," */
	bool filled;       /* the open object or array already has a value */
};

/*
 * Write a value. `name`: the name of an object's member; NULL: the value is in an array, or is the
 * whole document. In names and texts, bytes that are not UTF-8 become U+FFFD. If `text` is NULL,
 * json_put_string() writes null.
 */
void json_put_string(struct json *j, const char *name, const char *text);
void json_put_integer(struct json *j, const char *name, uint64_t n);

/* Write a number by a format of printf(3), such as "%.3f"; NAN: null. */
void json_put_number(struct json *j, const char *name, const char *format, double n);

/* Write a text that is JSON already: a number, true, false or null. */
void json_put_raw(struct json *j, const char *name, const char *text);

/* json_begin() begins an object ('{') or an array ('['); json_end() ends it ('}' or ']'). */
void json_begin(struct json *j, const char *name, char bracket);
void json_end(struct json *j, char bracket);

#endif /* ESTAT_LIB_JSON_H */
