// Any bytes as a MAT file: refused with a remark, or results whose time rises. Bytes without a head
// get that of level 5, so that elements are reached.
#include "results/columns.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_bytes(const char *bytes, size_t size) {
    Report report = {0};
    Results *r = results_from_mat(bytes, size, "fuzz.mat", &report);
    if (!r && !report.errors) abort();
    for (int i = 1; r && i < r->row_count; i++)
        if (!(r->column[0].value[i] >= r->column[0].value[i - 1])) abort();
    if (r) results_free(r);
    report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char head[] = "MATLAB 5.0";
    read_bytes((const char *)data, size);
    char *whole = calloc(1, size + 128);
    memcpy(whole, head, sizeof head - 1);
    memcpy(whole + 126, "IM", 2);
    if (size) memcpy(whole + 128, data, size);
    read_bytes(whole, size + 128);
    free(whole);
    return 0;
}
