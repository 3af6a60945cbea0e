/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_UTF8_H
#define ESTAT_LIB_UTF8_H

/*
 * The number of bytes, 1 to 4, of the first character of `text`; 1 if `text` is "". 0 if the
 * character is U+FFFE or U+FFFF, or is not UTF-8, as where a name is cut within a character.
 */
static inline unsigned int utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4 || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
	    (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe))
		return 0;
	for (unsigned int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

#endif /* ESTAT_LIB_UTF8_H */
