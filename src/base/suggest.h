// 'did you mean': the nearest of the words that are offered.
#ifndef BONDYN_BASE_SUGGEST_H
#define BONDYN_BASE_SUGGEST_H

#include "base/report.h"

typedef struct {
    const char *word, *best;
    int distance;
} Suggestion;

Suggestion suggest_for(const char *word);
void suggest_offer(Suggestion *s, const char *candidate); // which outlives the suggestion
// Help line "did you mean 'x'?", or `otherwise` (Nullable) when nothing is near.
void suggest_help(Report *r, Remark *to, const Suggestion *s, const char *otherwise);

#endif
