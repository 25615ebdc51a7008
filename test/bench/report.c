/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints results: each as a line of JSON at once, or all as aligned tables
 * when they are complete.
 *
 * A failing allocation ends the program: see bench.h.
 */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FIELDS 20

struct field {
	char *key;
	char *value; /* as printed, without quotes */
	bool quoted; /* text: quoted in JSON, left-aligned in a table */
};

struct row {
	struct row *next;
	unsigned int nr_fields;
	struct field fields[MAX_FIELDS];
};

struct report {
	const char *bench;
	const char *hidden;
	unsigned int forms;
	char *title;	  /* of the table being collected, or NULL */
	struct row *rows; /* of that table, oldest first */
	struct row **tail;
	struct row *open; /* between report_begin() and report_end() */
};

struct report *report_create(const char *bench, unsigned int forms,
			     const char *hidden)
{
	struct report *report = bench_alloc(1, sizeof(*report));

	if (!forms)
		forms = isatty(STDOUT_FILENO) ? REPORT_TABLE : REPORT_JSON;
	report->bench = bench;
	report->hidden = hidden;
	report->forms = forms;
	report->tail = &report->rows;
	return report;
}

static char *__attribute__((format(printf, 1, 0)))
format(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		bench_fail("out of memory");
	return text;
}

static void add_field(struct report *report, const char *key, bool quoted,
		      const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void add_field(struct report *report, const char *key, bool quoted,
		      const char *fmt, ...)
{
	struct row *row = report->open;
	struct field *field;
	va_list ap;

	if (row->nr_fields == MAX_FIELDS)
		bench_fail("a result has more than %d fields", MAX_FIELDS);
	field = &row->fields[row->nr_fields++];
	field->quoted = quoted;
	field->key = strdup(key);
	if (!field->key)
		bench_fail("out of memory");
	va_start(ap, fmt);
	field->value = format(fmt, ap);
	va_end(ap);
}

void report_begin(struct report *report)
{
	report->open = bench_alloc(1, sizeof(*report->open));
	report_text(report, "bench", report->bench);
}

void report_text(struct report *report, const char *key, const char *value)
{
	add_field(report, key, true, "%s", value);
}

void report_count(struct report *report, const char *key, uint64_t value)
{
	add_field(report, key, false, "%llu", (unsigned long long)value);
}

void report_real(struct report *report, const char *key, double value,
		 int digits)
{
	if (isfinite(value))
		add_field(report, key, false, "%.*f", digits, value);
	else
		add_field(report, key, false, "null");
}

/* --- JSON --- */

static void print_json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_json(const struct row *row)
{
	for (unsigned int i = 0; i < row->nr_fields; i++) {
		const struct field *field = &row->fields[i];

		putchar(i ? ',' : '{');
		print_json_string(field->key);
		putchar(':');
		if (field->quoted)
			print_json_string(field->value);
		else
			fputs(field->value, stdout);
	}
	puts("}");
	fflush(stdout); /* whoever follows the run sees each line at once */
}

/* --- tables --- */

static void free_row(struct row *row)
{
	for (unsigned int i = 0; i < row->nr_fields; i++) {
		free(row->fields[i].key);
		free(row->fields[i].value);
	}
	free(row);
}

static bool is_hidden(const struct report *report, const char *key)
{
	size_t len = strlen(key);
	const char *pos = report->hidden;

	while ((pos = strstr(pos, key))) {
		bool starts = pos == report->hidden || pos[-1] == ' ';

		if (starts && (pos[len] == ' ' || pos[len] == '\0'))
			return true;
		pos += len;
	}
	return false;
}

/* "ops_per_s" is headed "ops/s", "ratio_to_native" is "ratio to native". */
static void make_heading(const char *key, char *ret_heading, size_t size)
{
	size_t used = 0;

	while (*key && used + 1 < size) {
		if (strncmp(key, "_per_", 5) == 0) {
			ret_heading[used++] = '/';
			key += 5;
			continue;
		}
		ret_heading[used++] = *key == '_' ? ' ' : *key;
		key++;
	}
	ret_heading[used] = '\0';
}

static const char *cell_of(const struct field *field)
{
	if (!field->quoted && strcmp(field->value, "null") == 0)
		return "-";
	return field->value;
}

static int column_width(const struct report *report, unsigned int column)
{
	char heading[64];
	size_t width;

	make_heading(report->rows->fields[column].key, heading,
		     sizeof(heading));
	width = strlen(heading);
	for (const struct row *row = report->rows; row; row = row->next) {
		size_t len = strlen(cell_of(&row->fields[column]));

		if (len > width)
			width = len;
	}
	return (int)width;
}

static void print_cell(const char *text, int width, bool left)
{
	printf("  %*s", left ? -width : width, text);
}

static void print_line(const struct report *report, const struct row *row,
		       const int *widths)
{
	const struct row *first = report->rows;

	for (unsigned int i = 0; i < first->nr_fields; i++) {
		char heading[64];

		if (widths[i] < 0)
			continue;
		make_heading(first->fields[i].key, heading, sizeof(heading));
		print_cell(row ? cell_of(&row->fields[i]) : heading, widths[i],
			   first->fields[i].quoted);
	}
	putchar('\n');
}

static void print_table(const struct report *report)
{
	int widths[MAX_FIELDS]; /* negative: not shown */

	for (unsigned int i = 0; i < report->rows->nr_fields; i++) {
		if (is_hidden(report, report->rows->fields[i].key))
			widths[i] = -1;
		else
			widths[i] = column_width(report, i);
	}
	if (report->title)
		printf("%s\n", report->title);
	print_line(report, NULL, widths);
	for (const struct row *row = report->rows; row; row = row->next)
		print_line(report, row, widths);
	putchar('\n');
	fflush(stdout);
}

static void end_table(struct report *report)
{
	struct row *row;

	if (report->rows)
		print_table(report);
	while ((row = report->rows)) {
		report->rows = row->next;
		free_row(row);
	}
	report->tail = &report->rows;
	free(report->title);
	report->title = NULL;
}

void report_title(struct report *report, const char *fmt, ...)
{
	va_list ap;

	end_table(report);
	va_start(ap, fmt);
	report->title = format(fmt, ap);
	va_end(ap);
}

void report_end(struct report *report)
{
	struct row *row = report->open;

	report->open = NULL;
	if (report->forms & REPORT_JSON)
		print_json(row);
	if (!(report->forms & REPORT_TABLE)) {
		free_row(row);
		return;
	}
	*report->tail = row;
	report->tail = &row->next;
}

void report_destroy(struct report *report)
{
	end_table(report);
	free(report);
}
