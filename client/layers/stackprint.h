/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the layers of an interval. */
#ifndef ESTAT_CLIENT_LAYERS_STACKPRINT_H
#define ESTAT_CLIENT_LAYERS_STACKPRINT_H

#include "breakdown.h"
#include "waits.h"
#include "who.h"

/*
 * Print a table of the layers, and the verdict. "!" marks a layer in which an operation hangs or
 * hung; of the other layers, ">" marks the one of a slow verdict's last step.
 */
void stack_print_table(const struct stack *stack, const struct verdict *verdict,
		       const struct who *who, const struct waits *waits, const struct breakdowns *b,
		       const struct source *s, const struct interval *interval);

/* Print the layers and the verdict as one JSON document in one line. */
void stack_print_json(const struct stack *stack, const struct verdict *v, const struct who *who,
		      const struct waits *waits, const struct breakdowns *b, const struct source *s,
		      const struct interval *interval);

#endif /* ESTAT_CLIENT_LAYERS_STACKPRINT_H */
