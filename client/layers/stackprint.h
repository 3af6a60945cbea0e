/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the layers of an interval are printed.
 */
#ifndef ESTAT_CLIENT_LAYERS_STACKPRINT_H
#define ESTAT_CLIENT_LAYERS_STACKPRINT_H

#include "stack.h"

/* A table, and in a sentence why the marked layer is. */
void stack_print_table(const struct stack *stack, const struct source *s,
		       const struct interval *interval);

/* The same, one JSON document in a line. */
void stack_print_json(const struct stack *stack, const struct source *s,
		      const struct interval *interval);

#endif /* ESTAT_CLIENT_LAYERS_STACKPRINT_H */
