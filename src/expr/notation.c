// What the styles of printing have for each sign: which brackets, how a fraction begins and ends, what stands between
// the terms of a sum. The printing files put them around what they print, in the same order for all styles.
//
//     a/(2 b)     text a/(2*b)     LaTeX \frac{a}{2\, b}     MathML <mfrac><mrow>a</mrow><mrow>2 b</mrow></mfrac>
#include "expr/print.h"

#define FENCE(sign)  "<mo fence=\"true\" stretchy=\"true\">" sign "</mo>"
#define SQUARE(sign) "<mo stretchy=\"false\">" sign "</mo>"

// What all styles but MathML have in common, and what is printed in one line.
#define CHARACTERS                                                                                 \
    .index = {"[", ", ", "]"}, .comma = ", ", .negative = "-", .plus = " + ", .minus = " - ",      \
    .cut = " ..."
#define ONE_LINE                                                                                   \
    CHARACTERS, .bracket = {"(", ")"}, .times = "*", .fraction = {"", "/", ""},                    \
                .root = {"sqrt(", ")"}, .relation = {" < ", " <= ", " == ", " != "},               \
                .ellipsis = "..."

static const Notation notations[] = {
    [PRINT_TEXT] =
        {
            ONE_LINE,
            .power = {"", "^", ""},
            .logic = {" and ", " or ", "not "},
            .choice = {"if ", " then ", " else ", ""},
        },
    [PRINT_C] =
        {
            ONE_LINE,
            .power = {"pow(", ", ", ")"},
            .logic = {" && ", " || ", "!"},
            .choice = {"", " ? ", " : ", ""},
        },
    [PRINT_LATEX] =
        {
            CHARACTERS,
            .bracket = {"\\left(", "\\right)"},
            .times = "\\, ",
            .fraction = {"\\frac{", "}{", "}"},
            .root = {"\\sqrt{", "}"},
            .power = {"{", "}^{", "}"},
            .raised = {"", "^{", "}"},
            .relation = {" < ", " \\le ", " = ", " \\ne "},
            .logic = {" \\land ", " \\lor ", "\\lnot "},
            .choice = {"\\begin{cases} ", " & \\text{if } ", " \\\\ ",
                       " & \\text{otherwise} \\end{cases}"},
            .magnitude = {"\\left|", "\\right|"},
            .floor = {"\\left\\lfloor ", "\\right\\rfloor "},
            .ceiling = {"\\left\\lceil ", "\\right\\rceil "},
            .ellipsis = "\\ldots ",
            .typeset = true,
        },
    [PRINT_MATHML] =
        {
            .bracket = {"<mrow>" FENCE("("), FENCE(")") "</mrow>"},
            .index = {SQUARE("["), "<mo>,</mo>", SQUARE("]")},
            .comma = "<mo>,</mo>",
            .negative = "<mo>−</mo>",
            .plus = "<mo>+</mo>",
            .minus = "<mo>−</mo>",
            .times = "<mspace width=\"0.17em\"/>",
            .fraction = {"<mfrac><mrow>", "</mrow><mrow>", "</mrow></mfrac>"},
            .root = {"<msqrt><mrow>", "</mrow></msqrt>"},
            .power = {"<msup><mrow>", "</mrow><mrow>", "</mrow></msup>"},
            .raised = {"<msup>", "<mrow>", "</mrow></msup>"},
            .relation = {"<mo>&lt;</mo>", "<mo>≤</mo>", "<mo>=</mo>", "<mo>≠</mo>"},
            .logic = {"<mo>∧</mo>", "<mo>∨</mo>", "<mo>¬</mo>"},
            .choice = {"<mrow>" FENCE("{") "<mtable class=\"cases\"><mtr><mtd>",
                       "</mtd><mtd><mtext>if&#160;</mtext>", "</mtd></mtr><mtr><mtd>",
                       "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>"},
            .magnitude = {"<mrow>" FENCE("|"), FENCE("|") "</mrow>"},
            .floor = {"<mrow>" FENCE("⌊"), FENCE("⌋") "</mrow>"},
            .ceiling = {"<mrow>" FENCE("⌈"), FENCE("⌉") "</mrow>"},
            .ellipsis = "<mo>…</mo>",
            .cut = "<mo>…</mo>",
            .typeset = true,
        },
};

const Notation *notation_of(PrintStyle style) { return &notations[style]; }
