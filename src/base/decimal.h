// The shortest decimal number that reads back as the same double, fast enough for millions of them.
#ifndef BONDYN_BASE_DECIMAL_H
#define BONDYN_BASE_DECIMAL_H

enum { DECIMAL_DIGITS = 17 }; // so many are enough for every double

typedef struct {
    char digit[DECIMAL_DIGITS]; // '0' .. '9', the first and the last are not '0'
    int count;
    int exponent; // of the first digit: d.ddd * 10^exponent
} Decimal;

Decimal decimal_of(double x); // x is finite and positive

#endif
