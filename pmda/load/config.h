/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.conf: settings by section and key. What nobody asks for, and what has
 * a bad value, is reported with its file and line and skipped.
 */
#ifndef ESTAT_PMDA_LOAD_CONFIG_H
#define ESTAT_PMDA_LOAD_CONFIG_H

#include <stdbool.h>

struct config;

enum config_switch {
	SWITCH_AUTO, /* run where the kernel has what it takes */
	SWITCH_ON,
	SWITCH_OFF,
};

/*
 * Read a file. A missing file is no error if `optional`; anything wrong is
 * logged. Returns settings, to be freed with config_free(), never NULL.
 */
struct config *config_read(const char *path, bool optional);

/* Why the file, which is there, cannot be read; "" if it can. All switches are off then. */
const char *config_error(const struct config *config);

/*
 * The first thing in it that is wrong and skipped, with file and line, "" if nothing is: a line or
 * a value, else a setting that nobody has asked for until now. It is valid until the next call.
 */
const char *config_complaint(struct config *config);
void config_free(struct config *config);

/* A setting's text, or fallback where it is not set. */
const char *config_text(struct config *config, const char *section, const char *key,
			const char *fallback);

/* A whole number from low to high; on and off; on, off and auto; always (false) and demand. */
long config_number(struct config *config, const char *section, const char *key, long low, long high,
		   long fallback);
bool config_flag(struct config *config, const char *section, const char *key, bool fallback);
enum config_switch config_switch(struct config *config, const char *section, const char *key);
bool config_demand(struct config *config, const char *section, const char *key, bool fallback);

/* Nobody can ask for what a section has now: that is not to say that it is unknown. */
void config_leave(struct config *config, const char *section);

/* Log each setting that was never asked for. Call it when all modules are set up. */
void config_report_unknown(const struct config *config);

#endif /* ESTAT_PMDA_LOAD_CONFIG_H */
