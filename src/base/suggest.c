#include "base/suggest.h"

#include "base/names.h"
#include <string.h>
#include <strings.h>

Suggestion suggest_for(const char *word) {
    int length = (int)strlen(word);
    return (Suggestion){word, NULL, length <= 2 ? 1 : length <= 5 ? 2 : 3};
}

// Where only capitals differ, nothing is nearer: distance 0.
void suggest_offer(Suggestion *s, const char *candidate) {
    if (strcmp(s->word, candidate) == 0) return;
    bool same_letters = strcasecmp(s->word, candidate) == 0;
    int distance = same_letters ? 0 : name_distance(s->word, candidate, s->distance);
    if (distance > s->distance || (!same_letters && distance >= (int)strlen(s->word))) return;
    bool nearer = !s->best || distance < s->distance || strcmp(candidate, s->best) < 0;
    if (!nearer) return;
    s->best = candidate;
    s->distance = distance;
}

void suggest_help(Report *r, Remark *to, const Suggestion *s, const char *otherwise) {
    if (s->best) {
        remark_help(r, to, "did you mean '%s'?", s->best);
        remark_fix(r, to, s->word, s->best, NULL);
    } else if (otherwise) {
        remark_help(r, to, "%s", otherwise);
    }
}
