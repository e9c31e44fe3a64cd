// Any bytes as each kind of table of WAMIT and VERES: refused with remarks, or written as text that
// the parser takes.
#include "import/hydro.h"
#include "lang/parser.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Tables of one vessel, from this kind on; a byte 1 stands between them.
static int split(Sources *sources, const char *text, size_t size, HydroKind kind,
                 HydroFile *files) {
    int count = 0;
    const char *end = text + size;
    for (int k = (int)kind; count < 3 && k < HYDRO_KINDS; k++) {
        const char *stop = text < end ? memchr(text, 1, (size_t)(end - text)) : NULL;
        if (!stop) stop = end;
        uint32_t source = sources_add(sources, "fuzz.1", text, (size_t)(stop - text));
        files[count++] = (HydroFile){(HydroKind)k, source};
        if (stop == end) break;
        text = stop + 1;
    }
    return count;
}

static void import_as(HydroKind kind, const char *data, size_t size) {
    Arena arena = {0};
    Report report = {0};
    Text text = {0}, printed = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    HydroFile files[3];
    int count = split(sources, data, size, kind, files);
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
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int k = 0; k < HYDRO_KINDS; k++) import_as((HydroKind)k, (const char *)data, size);
    return 0;
}
