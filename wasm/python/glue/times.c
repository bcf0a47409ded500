/* What wcsftime, which Python's strftime is, makes of directives that musl does not know: glibc leaves them as they are, and has some of its own. musl
 * gives nothing at all then, which Python takes for an empty text. link.sh puts this in the place of its own. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* The longest that one directive comes to. */
#define MOST 256
#define FLAGS "_-0^#+"
#define KNOWN "aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%"

/* In capitals; with #, halves of days and zones in small letters. */
static void with_case(char *text, size_t length, int is_small)
{
    for (size_t i = 0; i < length; i++)
        text[i] = is_small ? tolower((unsigned char)text[i]) : toupper((unsigned char)text[i]);
}

/* One directive, from its % on. Its length in the format; what it comes to is in `text`. */
static size_t directive(const char *format, const struct tm *tm, char *text, size_t *length)
{
    size_t end = 1;
    char flag = 0, single[16];

    while (format[end] && strchr(FLAGS, format[end]))
        flag = format[end++];
    while (isdigit((unsigned char)format[end]))
        end++;
    if (format[end] == 'E' || format[end] == 'O')
        end++;
    char letter = format[end];
    size_t all = letter ? end + 1 : end;
    int hour = tm->tm_hour % 12 ? tm->tm_hour % 12 : 12;

    *length = 0;
    if (letter == 'P' || letter == 'l' || letter == 'k') {
        int wide = flag == '-' ? 1 : 2;
        const char *spaced = flag == '0' ? "%0*d" : "%*d";
        if (letter == 'P')
            *length = snprintf(text, MOST, "%s", tm->tm_hour < 12 ? "am" : "pm");
        else
            *length = snprintf(text, MOST, spaced, wide, letter == 'l' ? hour : tm->tm_hour);
        return all;
    }
    if (letter && strchr(KNOWN, letter) && all < sizeof single) {
        int is_cased = flag == '^' || flag == '#';
        if (is_cased)
            snprintf(single, sizeof single, "%%%c", letter);
        else
            snprintf(single, sizeof single, "%.*s", (int)all, format);
        *length = strftime(text, MOST, single, tm);
        if (is_cased)
            with_case(text, *length, flag == '#' && (letter == 'p' || letter == 'Z'));
        /* Names of time zones may be empty. */
        if (*length > 0 || letter == 'Z' || letter == 'p')
            return all;
    }
    *length = all < MOST ? all : MOST;
    memcpy(text, format, *length);
    return all;
}

size_t __wrap_wcsftime(wchar_t *restrict target, size_t size, const wchar_t *restrict format, const struct tm *restrict tm)
{
    size_t at = 0, length;
    char text[MOST], ascii[MOST];

    while (*format) {
        if (*format == '%') {
            size_t count = 0;
            for (; count < MOST - 1 && format[count] > 0 && format[count] < 128; count++)
                ascii[count] = format[count];
            ascii[count] = 0;
            format += directive(ascii, tm, text, &length);
            if (at + length >= size)
                return 0;
            for (size_t i = 0; i < length; i++)
                target[at++] = (unsigned char)text[i];
        } else {
            if (at + 1 >= size)
                return 0;
            target[at++] = *format++;
        }
    }
    target[at] = 0;
    return at;
}
