/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of estat.conf. A bad value, or a setting that nothing reads, is logged and skipped. */
#ifndef ESTAT_PMDA_LOAD_CONFIG_H
#define ESTAT_PMDA_LOAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;

enum config_switch {
	/*
	 * as SWITCH_ON, with one difference. `enabled = auto`: if the kernel lacks what the module
	 * probes, the module waits, and does not fail. `fentry = auto`: the agent prefers
	 * kprobe.multi where a thread can be preempted in a BPF program at fentry
	 */
	SWITCH_AUTO,
	SWITCH_ON,
	SWITCH_OFF,
};

/*
 * Read the file. Never returns NULL; free with config_free(). Logs malformed lines and, unless
 * `optional`, that the file is missing; config_error() has other errors.
 */
struct config *config_read(const char *path, bool optional);

/*
 * Why estat.conf cannot be read; config_switch() then returns SWITCH_OFF for each setting. "": the
 * file was read, or there is no such file.
 */
const char *config_error(const struct config *config);

/*
 * A text that names the malformed line or bad value that was found first; if none was found, the
 * file's first setting that nothing has read so far. "": there is no such line, value or setting.
 * Valid until the next call.
 */
const char *config_complaint(struct config *config);
void config_free(struct config *config);

/* The text of a setting; `fallback` if the setting is not set. */
const char *config_text(struct config *config, const char *section, const char *key,
			const char *fallback);

/*
 * The value of a setting, a number from `low` to `high`. Returns `fallback` if the setting is not
 * set or has a bad value, as each function below with a parameter `fallback` does.
 */
long config_number(struct config *config, const char *section, const char *key, long low, long high,
		   long fallback);

/* The N of a value `1/N`, from 1 to `most`; 1 if the setting is not set or has a bad value. */
unsigned int config_part(struct config *config, const char *section, const char *key,
			 unsigned int most);

/* The nanoseconds of a value such as `20us`, `100ms` or `1s`; 0 if the value is `off`. */
uint64_t config_time(struct config *config, const char *section, const char *key,
		     uint64_t fallback);

/* True if the value is `on`, false if the value is `off`. */
bool config_flag(struct config *config, const char *section, const char *key, bool fallback);

/*
 * SWITCH_AUTO if the setting is not set or has a bad value; SWITCH_OFF if config_error() is not "".
 */
enum config_switch config_switch(struct config *config, const char *section, const char *key);

/* True if the value is `demand`, false if the value is `always`. */
bool config_demand(struct config *config, const char *section, const char *key, bool fallback);

/*
 * Do not report settings of this section as unknown. Nothing reads them, because the file of the
 * section's module is refused or gone.
 */
void config_leave(struct config *config, const char *section);

/* Log each setting that nothing has read. To be called once all modules have read theirs. */
void config_report_unknown(const struct config *config);

#endif /* ESTAT_PMDA_LOAD_CONFIG_H */
