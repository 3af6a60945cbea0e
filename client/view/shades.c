// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "shades.h"

/* Colour numbers. Themes of terminals redefine colours 0 to 15, but seldom 16 to 255. */
#define BLACK    0
#define WHITE    7
#define BLACK256 16
#define WHITE256 231

const char shades[LEVELS + 2] = " .:-=+*#@";

void shades_find(uint64_t thresholds[LEVELS], uint64_t most)
{
	for (int i = 0; i < LEVELS; i++)
		thresholds[i] = ceil(pow(most, (double)i / (LEVELS - 1)) - 1e-6);
}

int shade_of(const uint64_t thresholds[LEVELS], uint64_t n)
{
	int i = LEVELS;

	while (i > 0 && n < thresholds[i - 1])
		i--;
	return n ? i : 0;
}

bool shade_in_legend(const uint64_t thresholds[LEVELS], int level)
{
	return level == LEVELS || thresholds[level] != thresholds[level - 1];
}

struct shade_colour shade_colour(int level, int colours)
{
	static const unsigned char of256[LEVELS] = { 25, 31, 37, 41, 76, 184, 208, 196 };
	static const unsigned char of8[LEVELS] = { 4, 4, 6, 6, 2, 3, 5, 1 };

	if (colours == 256)
		return (struct shade_colour){ level > 2 ? BLACK256 : WHITE256, of256[level - 1] };
	return (struct shade_colour){ level <= 2 || level == LEVELS ? WHITE : BLACK,
				      of8[level - 1] };
}
