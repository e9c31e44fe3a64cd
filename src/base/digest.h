// SHA-256 (FIPS 180-4): names for what is kept by its contents.
#ifndef BONDYN_BASE_DIGEST_H
#define BONDYN_BASE_DIGEST_H

#include <stddef.h>

enum { DIGEST_TEXT = 64 };

void digest(const void *data, size_t length, char hex[DIGEST_TEXT + 1]);

#endif
