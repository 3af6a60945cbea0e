/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.conf: settings by section and key. The parser skips a bad value,
 * and a setting that nothing reads, and reports each with file and line.
 */
#ifndef ESTAT_PMDA_LOAD_CONFIG_H
#define ESTAT_PMDA_LOAD_CONFIG_H

#include <stdbool.h>

struct config;

enum config_switch {
	SWITCH_AUTO, /* run if the kernel has what the module needs */
	SWITCH_ON,
	SWITCH_OFF,
};

/*
 * Read the file `path`. A file that does not exist is no error if `optional`. All
 * other errors are logged. Never returns NULL; the caller frees with config_free().
 */
struct config *config_read(const char *path, bool optional);

/* Why a file that exists cannot be read; "" if it can. If it cannot, config_switch() says off. */
const char *config_error(const struct config *config);

/*
 * The first error in the file, with file and line; "" if there is none. A malformed line
 * or a bad value comes before a setting that nothing has read so far. The text is valid
 * until the next call.
 */
const char *config_complaint(struct config *config);
void config_free(struct config *config);

/* The text of a setting; `fallback` if it is not set. */
const char *config_text(struct config *config, const char *section, const char *key,
			const char *fallback);

/*
 * The value of a setting; `fallback` if it is not set or bad. config_number() takes
 * a whole number from `low` to `high`, config_flag() on or off, config_switch() on,
 * off or auto (the fallback), config_demand() demand (true) or always (false).
 */
long config_number(struct config *config, const char *section, const char *key, long low, long high,
		   long fallback);
bool config_flag(struct config *config, const char *section, const char *key, bool fallback);
enum config_switch config_switch(struct config *config, const char *section, const char *key);
bool config_demand(struct config *config, const char *section, const char *key, bool fallback);

/* Nothing will read this section, as its module cannot be opened: do not report it as unknown. */
void config_leave(struct config *config, const char *section);

/* Log each setting that nothing has read. Call this when all modules are configured. */
void config_report_unknown(const struct config *config);

#endif /* ESTAT_PMDA_LOAD_CONFIG_H */
