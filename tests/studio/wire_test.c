// The fuzzer of the studio's wire (tests/fuzz/fuzz_studio.c) with seeded inputs, so that every
// build and every sanitizer sees it. The first argument is the number of inputs.
#include "../fuzz/fuzz_studio.c"

static unsigned next(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Bytes of all kinds, and pieces that a server understands.
static size_t random_input(uint8_t *to, size_t room, unsigned *seed) {
    static const char *const piece[] = {
        "GET /",     " HTTP/1.1\r\n", "Host: ",     "../",    "%00",
        "\x81\x85",  "\x88\x02",      "Upgrade: w", "m.bond", "\n",
        "model M\n", "R r(1)\n",      "c.q",        "{}",     "\xc3\xbc"};
    size_t n = 1;
    to[0] = (uint8_t)next(seed);
    for (unsigned k = next(seed) % 30; k; k--) {
        const char *add = piece[next(seed) % (sizeof piece / sizeof *piece)];
        size_t length = strlen(add);
        if (n + length + 1 >= room) break;
        memcpy(to + n, add, length);
        n += length;
        to[n++] = (uint8_t)next(seed);
    }
    return n;
}

int main(int argc, char **argv) {
    int inputs = argc > 1 ? atoi(argv[1]) : 60;
    static uint8_t data[4096];
    for (int k = 0; k < inputs; k++) {
        unsigned seed = (unsigned)k * 7919u + 3;
        size_t n = random_input(data, sizeof data, &seed);
        data[0] = (uint8_t)k; // every kind in turn
        LLVMFuzzerTestOneInput(data, n);
    }
    printf("%d inputs, the server answers\n", inputs);
    return 0;
}
