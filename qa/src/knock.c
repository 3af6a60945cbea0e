// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * knock NAME TIMES: TIMES processes, one after another, take the name NAME and end. The module
 * knock counts these ends, if NAME is the name that the module's object has in `knocker`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: knock NAME TIMES\n");
		return 1;
	}
	for (int i = atoi(argv[2]); i > 0; i--) {
		if (!fork()) {
			prctl(PR_SET_NAME, argv[1]);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
