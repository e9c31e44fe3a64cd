// Any bytes as tables of WAMIT or VERES: refused with remarks, or written as text that the parser
// takes. The first byte says which table it is; a byte 1 begins the next one of the same vessel.
#include "import/hydro.h"
#include "lang/parser.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int split(Sources *sources, const char *text, size_t size, HydroFile *files) {
    int count = 0, kind = size ? (unsigned char)*text % HYDRO_KINDS : 0;
    const char *end = text + size;
    for (text += size > 0; count < 3 && kind < HYDRO_KINDS; kind++) {
        const char *stop = text < end ? memchr(text, 1, (size_t)(end - text)) : NULL;
        if (!stop) stop = end;
        files[count++] = (HydroFile){(HydroKind)kind,
                                     sources_add(sources, "fuzz.1", text, (size_t)(stop - text))};
        if (stop == end) break;
        text = stop + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Report report = {0};
    Text text = {0}, printed = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    HydroFile files[3];
    int count = split(sources, (const char *)data, size, files);
    HydroOptions options = {.name = "9 fuzz", .rho = 1025, .g = 9.81, .length = 2, .modes = 4};
    bool good = hydro_import(&text, sources, files, count, &options, &report);
    if (good == (report.errors > 0)) abort();
    if (good) {
        uint32_t source = sources_add(sources, "fuzz.bond", text_get(&text), text.length);
        parse_file(&arena, names, sources, source, &report);
        if (report.errors) abort(); // what is written must be readable
    }
    report_print(&printed, &report, sources);
    text_free(&text);
    text_free(&printed);
    report_free(&report);
    sources_free(sources);
    names_free(names);
    arena_free(&arena);
    return 0;
}
