// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drives a terminal by ncurses, which restores the terminal at a normal end. At a deadly signal a
 * handler writes a copy of ncurses' restoring sequences, because ncurses is not safe in a handler.
 */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#undef columns /* macros of term.h */
#undef lines

#include "base/signals.h"
#include "base/text.h"
#include "base/message.h"
#include "terminal.h"

#define LONGEST   1024 /* most characters that a call of draw_ascii() or draw_text() draws */
#define ESCAPE_MS 50   /* time to wait for the rest of a key's escape sequence */

static volatile sig_atomic_t entered;
static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;
static struct termios saved;
static char restore[512]; /* the sequences that restore the terminal */
static size_t nrestore;
static int errors = -1; /* duplicate of the standard error; -1: not redirected */
static int width, height;
static bool coloured;

static int add_restore_byte(int c)
{
	if (nrestore < sizeof(restore))
		restore[nrestore++] = c;
	return c;
}

/* Add a terminfo string to `restore`. NULL and -1 mean that the terminal lacks the string. */
static void add_restore_string(const char *string)
{
	if (string && string != (const char *)-1)
		tputs(string, 1, add_restore_byte);
}

/* Restore the terminal. Calls only functions that are safe in a signal handler. */
static void restore_terminal(void)
{
	if (!entered)
		return;
	entered = 0;
	if (write(STDOUT_FILENO, restore, nrestore) < 0)
		return; /* the terminal is gone, so nothing is left to restore */
	tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
	if (errors >= 0)
		dup2(errors, STDERR_FILENO);
}

static void restore_and_die(int sig)
{
	restore_terminal();
	signal(sig, SIG_DFL);
	raise(sig);
}

/*
 * Have each signal that ends the process restore the terminal first. The signals in `others` do not
 * end the process, or cannot be caught.
 */
static void catch_deadly_signals(void)
{
	struct sigaction action = { .sa_handler = restore_and_die, .sa_flags = SA_NODEFER };
	static const int others[] = { SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, SIGTSTP,
				      SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL };

	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction old;
		bool other = sigaction(sig, NULL, &old) || old.sa_handler != SIG_DFL;

		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			other |= sig == others[i];
		if (!other)
			sigaction(sig, &action, NULL);
	}
}

/*
 * If the standard error is a terminal, redirect the standard error to /dev/null, because a
 * library's message would spoil the drawing.
 */
static void turn_off_errors(void)
{
	int null;

	if (!isatty(STDERR_FILENO))
		return;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null >= 0 && errors >= 0)
		dup2(null, STDERR_FILENO);
	close(null);
}

static void turn_on_errors(void)
{
	if (errors < 0)
		return;
	dup2(errors, STDERR_FILENO);
	close(errors);
	errors = -1;
}

void terminal_check(void)
{
	const char *term = getenv("TERM");
	bool can_draw = term && *term && strcmp(term, "dumb");
	int error;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		die(EXIT_USAGE, "top needs a terminal as its input and output\n"
				"Without a terminal use: estat MODULE -m, or with --json.");
	if (can_draw && setupterm(NULL, STDOUT_FILENO, &error) != OK)
		die(EXIT_USAGE,
		    "this host has no description of the terminal '%s' (TERM)\n"
		    "Set TERM to a similar terminal: TERM=xterm estat top ...",
		    term);
	if (!can_draw || !cursor_address || !clear_screen)
		die(EXIT_USAGE,
		    "top cannot draw on the terminal '%s' (TERM)\n"
		    "Without such a terminal use: estat MODULE -m -P.",
		    term ? term : "");
}

static void choose_colours(void)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors() || start_color() != OK ||
	    COLOR_PAIRS < LEVELS + 2)
		return;
	coloured = true;
	use_default_colors();
	for (int l = 1; l <= LEVELS; l++) {
		struct shade_colour colour = shade_colour(l, COLORS >= 256 ? 256 : 8);

		init_pair(l, colour.text, colour.background);
	}
	init_pair(LEVELS + 1, COLOR_WHITE, COLOR_RED);
}

static void leave_by_signal(void)
{
	pthread_mutex_lock(&drawing); /* wait until the drawing is written to its end */
	restore_terminal();
}

/* die() calls leave_at_exit() before die() prints a message. */
static void leave_at_exit(void)
{
	if (entered)
		terminal_leave();
}

void terminal_enter(void)
{
	tcgetattr(STDIN_FILENO, &saved);
	if (!newterm(NULL, stdout, stdin))
		die(EXIT_USAGE, "the terminal cannot be used: %s", strerror(errno));
	add_restore_string(keypad_local);
	add_restore_string(orig_pair);
	add_restore_string(exit_attribute_mode);
	add_restore_string(cursor_normal);
	add_restore_string(exit_ca_mode);
	entered = 1;
	before_dying = leave_at_exit;
	turn_off_errors();
	catch_deadly_signals();
	catch_signals(leave_by_signal);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	set_escdelay(ESCAPE_MS);
	choose_colours();
	terminal_resize();
}

void terminal_leave(void)
{
	endwin();
	entered = 0;
	turn_on_errors();
}

void terminal_suspend(void)
{
	terminal_leave();
	kill(getpid(), SIGSTOP);
	entered = 1;
	turn_off_errors();
	terminal_resize();
	clearok(curscr, TRUE);
}

void terminal_resize(void)
{
	struct winsize size;

	width = COLS;
	height = LINES;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		width = size.ws_col;
		height = size.ws_row;
	}
	if (width != COLS || height != LINES)
		resizeterm(height, width);
}

int terminal_width(void)
{
	return width;
}

int terminal_height(void)
{
	return height;
}

void terminal_begin(void)
{
	pthread_mutex_lock(&drawing);
	erase();
}

void terminal_end(void)
{
	refresh();
	pthread_mutex_unlock(&drawing);
}

static bool is_ascii(char c)
{
	return c >= ' ' && c <= '~';
}

static attr_t attribute(enum look look)
{
	switch (look) {
	case LOOK_PLAIN:
		return A_NORMAL;
	case LOOK_BOLD:
		return A_BOLD;
	case LOOK_REVERSE:
		return A_REVERSE;
	case LOOK_WARNING:
		return A_BOLD | (coloured ? COLOR_PAIR(LEVELS + 1) : A_REVERSE);
	default:
		return coloured ? COLOR_PAIR(look - LOOK_LEVEL + 1) : A_NORMAL;
	}
}

/*
 * Draw a text up to its first character that is not printable ASCII. Returns the number of columns
 * drawn. draw_ascii() is faster than draw_text().
 */
static int draw_ascii(int y, int x, int room, attr_t attributes, const char *text)
{
	chtype cells[LONGEST];
	int n = 0;

	while (n < room && n < LONGEST && is_ascii(text[n])) {
		cells[n] = (unsigned char)text[n] | attributes;
		n++;
	}
	mvaddchnstr(y, x, cells, n);
	return n;
}

/* Draw a text in the locale's encoding. Returns the number of columns drawn. */
static int draw_text(int y, int x, int room, attr_t attributes, const char *text)
{
	wchar_t line[LONGEST];
	int n = 0, columns, used = 0;

	while (*text && n < LONGEST) {
		wchar_t c = next_character(&text, &columns);

		if (used + columns > room)
			break;
		line[n++] = c;
		used += columns;
	}
	attrset(attributes);
	mvaddnwstr(y, x, line, n);
	return used;
}

void terminal_text(int y, int x, int room, enum look look, const char *text)
{
	attr_t attributes = attribute(look);
	int used;

	if (room > width - x)
		room = width - x;
	if (y < 0 || y >= height || x < 0 || room <= 0)
		return;
	used = draw_ascii(y, x, room, attributes, text);
	if (text[used] && used < room)
		used += draw_text(y, x + used, room - used, attributes, text + used);
	/* in LOOK_PLAIN the rest of the width is blank already */
	if (look != LOOK_PLAIN && used < room)
		mvhline(y, x + used, ' ' | attributes, room - used);
}

/* Was the terminal closed? getch() returns ERR for a closed terminal, and for no input. */
static bool was_closed(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO };

	return poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int terminal_key(void)
{
	static const int keys[][2] = {
		{ KEY_UP, TERMINAL_UP },         { KEY_DOWN, TERMINAL_DOWN },
		{ KEY_LEFT, TERMINAL_LEFT },     { KEY_RIGHT, TERMINAL_RIGHT },
		{ KEY_HOME, TERMINAL_HOME },     { KEY_END, TERMINAL_END },
		{ KEY_PPAGE, TERMINAL_PAGE_UP }, { KEY_NPAGE, TERMINAL_PAGE_DOWN },
		{ KEY_ENTER, TERMINAL_ENTER },   { '\r', TERMINAL_ENTER },
		{ '\b', TERMINAL_ERASE },        { KEY_BACKSPACE, TERMINAL_ERASE },
	};
	int c = getch();

	if (c == ERR)
		return was_closed() ? TERMINAL_LOST : TERMINAL_NONE;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (c == keys[i][0])
			return keys[i][1];
	return c < 256 ? c : terminal_key(); /* skip function keys that `keys` lacks */
}
