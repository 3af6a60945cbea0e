/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of estat.conf. A bad value, or a setting that no module reads, is logged and skipped. */
#ifndef ESTAT_PMDA_LOAD_CONFIG_H
#define ESTAT_PMDA_LOAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;

enum config_switch {
	SWITCH_AUTO, /* the agent decides by what the kernel has */
	SWITCH_ON,
	SWITCH_OFF,
};

/* Never returns NULL; free with config_free(). Logs errors; an `optional` file may be missing. */
struct config *config_read(const char *path, bool optional);

/* Why estat.conf cannot be read, so that config_switch() always says off; "": read, or missing. */
const char *config_error(const struct config *config);

/*
 * A text that names the first malformed line or bad value, else the first setting that nothing has
 * read so far; else "". Valid until the next call.
 */
const char *config_complaint(struct config *config);
void config_free(struct config *config);

/* The text of a setting; `fallback` if the setting is not set. */
const char *config_text(struct config *config, const char *section, const char *key,
			const char *fallback);

/*
 * A setting's value; `fallback` if the setting is not set or bad. config_number(): from `low` to
 * `high`. config_part(): N of `1/N`, from 1, which is the fallback, to `most`. config_time():
 * nanoseconds of `20us`, `100ms` or `1s`; 0 of `off`. config_switch(): SWITCH_AUTO is the
 * fallback. config_demand(): true means `demand`.
 */
long config_number(struct config *config, const char *section, const char *key, long low, long high,
		   long fallback);
unsigned int config_part(struct config *config, const char *section, const char *key,
			 unsigned int most);
uint64_t config_time(struct config *config, const char *section, const char *key,
		     uint64_t fallback);
bool config_flag(struct config *config, const char *section, const char *key, bool fallback);
enum config_switch config_switch(struct config *config, const char *section, const char *key);
bool config_demand(struct config *config, const char *section, const char *key, bool fallback);

/* Do not report settings of this section as unknown: the section's module cannot be opened. */
void config_leave(struct config *config, const char *section);

/* Log each setting that nothing has read. All modules must be configured before. */
void config_report_unknown(const struct config *config);

#endif /* ESTAT_PMDA_LOAD_CONFIG_H */
