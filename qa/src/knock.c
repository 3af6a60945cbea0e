// SPDX-License-Identifier: GPL-2.0-or-later
/* knock DOOR TIMES: TIMES threads with the name knock-DOOR end, which the module knock counts. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char name[16];

	if (argc != 3) {
		fprintf(stderr, "usage: knock DOOR TIMES\n");
		return 1;
	}
	snprintf(name, sizeof(name), "knock-%s", argv[1]);
	for (int i = atoi(argv[2]); i > 0; i--) {
		if (!fork()) {
			prctl(PR_SET_NAME, name);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
