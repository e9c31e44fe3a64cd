// The table of verbs.
#include "verb/verb.h"

#include <string.h>

#define MODEL_OPTIONS (OPT_BIT(MODEL) | OPT_BIT(SET))
#define SOLVE_OPTIONS                                                                              \
    (MODEL_OPTIONS | OPT_BIT(STOP) | OPT_BIT(SOLVER) | OPT_BIT(RTOL) | OPT_BIT(ATOL) |             \
     OPT_BIT(MAX_STEP) | OPT_BIT(MIN_STEP) | OPT_BIT(OUT))
#define FILE_OPTIONS                                                                               \
    (OPT_BIT(RECORD) | OPT_BIT(CSV) | OPT_BIT(H5) | OPT_BIT(MAT) | OPT_BIT(NO_PLOT))
#define STUDY_OPTIONS                                                                              \
    (SOLVE_OPTIONS | FILE_OPTIONS | OPT_BIT(VARY) | OPT_BIT(RUNS) | OPT_BIT(SEED) |                \
     OPT_BIT(LATIN) | OPT_BIT(JOBS) | OPT_BIT(LANES) | OPT_BIT(ENGINE) | OPT_BIT(YES))
#define STEADY_OPTIONS                                                                             \
    (MODEL_OPTIONS | OPT_BIT(AT) | OPT_BIT(TRIM) | OPT_BIT(GIVEN) | OPT_BIT(MOVING) | OPT_BIT(OUT))
#define LINEAR_OPTIONS (STEADY_OPTIONS | OPT_BIT(STEADY) | OPT_BIT(INPUTS) | OPT_BIT(OUTPUTS))
#define RESPONSE_OPTIONS                                                                           \
    (LINEAR_OPTIONS | OPT_BIT(FROM) | OPT_BIT(TO) | OPT_BIT(FREQUENCIES) | OPT_BIT(CSV) |          \
     OPT_BIT(VARY) | OPT_BIT(BESIDE) | OPT_BIT(DISCRETE))
#define STUDY_EXITS                                                                                \
    "5    some runs failed; they are marked in the table\n"                                        \
    "130  interrupted; the same command goes on from there\n"

#define SEARCH_OPTIONS                                                                             \
    (SOLVE_OPTIONS | FILE_OPTIONS | OPT_BIT(ENGINE) | OPT_BIT(ALL) | OPT_BIT(RUNS) |               \
     OPT_BIT(SEED) | OPT_BIT(JOBS) | OPT_BIT(METHOD))

static const Verb verbs[] = {
    {
        .name = "run",
        .arguments = "FILE [EXPERIMENT]...",
        .summary = "simulate: results, plots, energy audit, expectations",
        .details =
            "Without EXPERIMENT the first one of the file runs. Results go to\n"
            "results/<file>/<experiment>/ below the current folder, or into --out FOLDER (several\n"
            "experiments: a folder for each in it). Ctrl-C ends a run cleanly and keeps what was\n"
            "computed; a second Ctrl-C kills it.\n",
        .examples = "bondyn run robot.urdf\n"
                    "bondyn run crane.bond\n"
                    "bondyn run crane.bond Lift --set \"load = 2 {t}\" --stop 30\n"
                    "bondyn run crane.bond --all --h5 --out results\n"
                    "bondyn run crane.bond --replay crane.drive\n",
        .exits = "3    the energy audit failed\n"
                 "4    an expectation failed\n"
                 "5    the run ended early (what was computed is kept and marked), or a\n"
                 "     recorded value is not a finite number\n"
                 "130  interrupted; what was computed is kept and marked\n"
                 "Of several the first in the order 130, 1, 5, 4, 3 is given.\n",
        .options = SOLVE_OPTIONS | FILE_OPTIONS | OPT_BIT(ENGINE) | OPT_BIT(ALL) | OPT_BIT(REPLAY),
        .least = 1,
        .most = 1000,
        .run = verb_run,
    },
    {
        .name = "sweep",
        .arguments = "FILE [EXPERIMENT] --vary \"NAME = VALUES\"...",
        .summary = "all combinations of parameter values: a table, responses, curves",
        .details =
            "Values are a range \"k = 1 .. 5 in 9 {N/m}\" or a list \"k = 1, 2, 5 {N/m}\". "
            "Runs use "
            "all\n"
            "cores; an interrupted sweep goes on with the same command. runs.csv has a row "
            "per run\n"
            "with the end, least, most and mean value of every recorded signal. --latin takes "
            "--runs of\n"
            "the combinations, every slice of every factor once.\n",
        .examples =
            "bondyn sweep car.bond --vary \"k = 10 .. 40 in 16 {kN/m}\"\n"
            "bondyn sweep car.bond --vary \"k = 10, 20\" --vary \"d = 1, 2, 4\" --record body.f\n",
        .exits = STUDY_EXITS,
        .options = STUDY_OPTIONS,
        .least = 1,
        .most = 2,
        .run = verb_study,
    },
    {
        .name = "montecarlo",
        .arguments = "FILE [EXPERIMENT] --vary \"NAME = DISTRIBUTION\"...",
        .summary = "runs with parameters drawn at random: fans, histograms, confidence",
        .details =
            "Distributions: normal(mean, deviation), uniform(least, most), triangular(least,\n"
            "likeliest, most), lognormal(median, deviation of the logarithm), or a list to draw "
            "from.\n"
            "The same seed gives the same runs, on any number of cores.\n",
        .examples =
            "bondyn montecarlo car.bond --vary \"k = normal(20, 2) {kN/m}\" --runs 1000\n"
            "bondyn montecarlo car.bond --vary \"m = uniform(200, 300) {kg}\" --latin --seed 7\n",
        .exits = STUDY_EXITS,
        .options = STUDY_OPTIONS,
        .least = 1,
        .most = 2,
        .run = verb_study,
    },
    {
        .name = "linearize",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the linear model x' = A x + B u, y = C x + D u at a point of a run",
        .details =
            "Exact derivatives of the equations, not differences, at the start of the experiment\n"
            "or at a time of its run (--at). Inputs are inputs of the model or of components, or\n"
            "parameters; outputs are any variables. States that constraints determine from the\n"
            "others (closed loops, the length of a quaternion) are left out. Values are in SI.\n"
            "What is sampled stays as it is; with --discrete the model is that of one period,\n"
            "x(k + 1) = A x(k) + B u(k), with the held values that are remembered as states.\n",
        .examples = "bondyn linearize servo.bond --outputs fin.q\n"
                    "bondyn linearize servo.bond --at 0.5 --inputs u,load --json\n"
                    "bondyn linearize loop.bond --discrete\n"
                    "bondyn linearize servo.bond --symbolic\n"
                    "bondyn linearize servo.bond --octave --out servo.m\n"
                    "bondyn linearize servo.bond --out servo.mat\n",
        .options = LINEAR_OPTIONS | OPT_BIT(LATEX) | OPT_BIT(CSV) | OPT_BIT(OCTAVE) | OPT_BIT(MAT) |
                   OPT_BIT(SYMBOLIC) | OPT_BIT(CUSTOMARY) | OPT_BIT(DISCRETE),
        .least = 1,
        .most = 2,
        .run = verb_linearize,
    },
    {
        .name = "steady",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the steady point beside a start: all rates zero; trim",
        .details =
            "Newton's method on the exact derivatives, from the start of the experiment or a time\n"
            "of its run (--at). --trim names inputs and parameters that may move, --given what "
            "has\n"
            "to hold, --moving states that need not rest. Coordinates that nothing depends on may\n"
            "move on; directions along which nothing changes are named. --starts 50 searches from\n"
            "50 places more, drawn from --seed, and lists all solutions.\n",
        .examples = "bondyn steady tank.bond\n"
                    "bondyn steady pendulum.bond --starts 50\n"
                    "bondyn steady missile.bond --trim fin --given \"Az = -415 {ft/s2}\"\n"
                    "bondyn poles missile.bond --trim fin --given \"Az = -415 {ft/s2}\"\n",
        .options = STEADY_OPTIONS | OPT_BIT(STARTS) | OPT_BIT(SEED),
        .least = 1,
        .most = 2,
        .run = verb_steady,
    },
    {
        .name = "poles",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "poles, modes with the storages that take part in them, zeros of channels",
        .details =
            "Eigenvalues of the linear model at the start or at a time of the run (--at), with\n"
            "frequency, damping and time constant. The storages of a mode are told by their share\n"
            "in its energy; where no energy is known, states by their participation. Zeros are\n"
            "given for every channel from an input to an output. With --vary the poles over the\n"
            "values of a parameter; --out FILE.svg draws the root locus. --slopes says how every\n"
            "pole moves with every parameter. --near 0 --count 8 gives the few poles nearest to a\n"
            "number, by a sparse method that serves models with ten thousand states. --discrete\n"
            "gives those of one period of what is sampled, z, with s = ln(z)/T beside them.\n",
        .examples = "bondyn poles crane.bond\n"
                    "bondyn poles crane.bond --steady --slopes\n"
                    "bondyn poles crane.bond --vary \"k = 1 .. 9 in 30 {kN/m}\" --out locus.svg\n"
                    "bondyn poles crane.bond Lift --at 2 --inputs valve.u --outputs boom.q\n",
        .options = LINEAR_OPTIONS | OPT_BIT(VARY) | OPT_BIT(SLOPES) | OPT_BIT(NEAR) |
                   OPT_BIT(HOW_MANY) | OPT_BIT(DISCRETE),
        .least = 1,
        .most = 2,
        .run = verb_poles,
    },
    {
        .name = "bode",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "frequency responses of the linear model, with all margins",
        .details =
            "From every input to every output: gain, phase, and the margins of the loop that\n"
            "negative feedback around the channel would close. A frequency goes with each row of\n"
            "--frequencies; --out FILE.svg draws the picture. --at 0,0.5,2 and --vary draw\n"
            "several points or values of a parameter together, --beside the nonlinear response\n"
            "of an experiment with `frequency`. With --discrete the response of what is sampled,\n"
            "from sample to sample, up to half of their frequency.\n",
        .examples =
            "bondyn bode servo.bond --vary \"k = 1 .. 9 in 3 {N/m}\" --beside Sweep --out k.svg\n"
            "bondyn bode servo.bond --inputs u --outputs fin.q --out servo.svg\n"
            "bondyn bode servo.bond --inputs u --outputs fin.q --frequencies 0.1,1,10 --json\n"
            "bondyn bode loop.bond --discrete\n",
        .options = RESPONSE_OPTIONS,
        .least = 1,
        .most = 2,
        .run = verb_response,
    },
    {
        .name = "nyquist",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the same as a curve in the plane of complex numbers",
        .examples = "bondyn nyquist servo.bond --inputs u --outputs fin.q --out servo.svg\n",
        .options = RESPONSE_OPTIONS,
        .least = 1,
        .most = 2,
        .run = verb_response,
    },
    {
        .name = "reduce",
        .arguments = "FILE [EXPERIMENT]",
        .summary =
            "a linear model of lower order, by balanced truncation, with the bound of its error",
        .details =
            "States that inputs hardly reach and outputs hardly see are left out. The gain of the "
            "error\n"
            "is at most twice the sum of their Hankel singular values, at every frequency.\n",
        .examples = "bondyn reduce servo.bond --inputs u --outputs fin.q --order 3\n",
        .options = LINEAR_OPTIONS | OPT_BIT(ORDER),
        .least = 1,
        .most = 2,
        .run = verb_reduce,
    },
    {
        .name = "step",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "answers of the linear model to a unit step of each input",
        .details =
            "Exact at every point, however stiff the model is; with the last value, overshoot,\n"
            "rise and settling time. --stop ends it, --out FILE.svg draws it.\n",
        .examples = "bondyn step servo.bond --inputs u --outputs fin.q --stop 0.2 --out step.svg\n",
        .options = LINEAR_OPTIONS | OPT_BIT(STOP) | OPT_BIT(CSV),
        .least = 1,
        .most = 2,
        .run = verb_answer,
    },
    {
        .name = "impulse",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the same for a unit impulse",
        .examples = "bondyn impulse servo.bond --inputs u --outputs fin.q --stop 0.2 --csv\n",
        .options = LINEAR_OPTIONS | OPT_BIT(STOP) | OPT_BIT(CSV),
        .least = 1,
        .most = 2,
        .run = verb_answer,
    },
    {
        .name = "check",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "sizes, units, causality with reasons, states; remedies",
        .details = "Says where every causal stroke comes from, which storages depend on others,\n"
                   "which algebraic loops there are and what can be done about them.\n",
        .examples = "bondyn check crane.bond\n"
                    "bondyn check crane.bond --model Winch\n"
                    "bondyn check crane.bond --dump system\n",
        .options = MODEL_OPTIONS | OPT_BIT(DUMP),
        .least = 1,
        .most = 2,
        .run = verb_check,
    },
    {
        .name = "equations",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the reduced equations in the model's names",
        .examples = "bondyn equations motor.bond\n"
                    "bondyn equations motor.bond --unreduced\n"
                    "bondyn equations motor.bond --latex --out motor.tex\n",
        .options = MODEL_OPTIONS | OPT_BIT(LATEX) | OPT_BIT(UNREDUCED) | OPT_BIT(OUT),
        .least = 1,
        .most = 2,
        .run = verb_equations,
    },
    {
        .name = "graph",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the bond graph drawn with its causal strokes",
        .details = "Goes to standard output; at a terminal, into <file>.svg (or .dot) in the\n"
                   "current folder. --out FILE takes the form from the ending of FILE.\n",
        .examples = "bondyn graph motor.bond\n"
                    "bondyn graph motor.bond --dot | dot -Tpdf > motor.pdf\n"
                    "bondyn graph motor.bond -o motor.svg\n"
                    "bondyn graph crane.bond --depth 1 -o crane.svg\n"
                    "bondyn graph crane.bond --only winch -o winch.svg\n",
        .options = MODEL_OPTIONS | OPT_BIT(SVG) | OPT_BIT(DOT) | OPT_BIT(DEPTH) | OPT_BIT(REDUCED) |
                   OPT_BIT(ONLY) | OPT_BIT(OUT),
        .least = 1,
        .most = 2,
        .run = verb_graph,
    },
    {
        .name = "report",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "one page for the browser: motion in 3-D, plots, graph, equations, power",
        .details =
            "Runs the experiment and writes <file>.html into the current folder, or --out\n"
            "FILE. The page needs no server and no network. Its bond graph plays the power\n"
            "of every bond over the run, which is run a second time for that. Of an\n"
            "experiment that analyses it has what that finds; modes of a mechanism are played.\n"
            "One that minimises or fits searches first, and the page has what was found.\n",
        .examples = "bondyn report arm.bond\n"
                    "bondyn report arm.bond Swing --set \"arm.L = 2 {m}\" -o swing.html\n",
        .exits = "as of `run`; the page is written even then\n",
        .options = SOLVE_OPTIONS,
        .least = 1,
        .most = 2,
        .run = verb_report,
    },
    {
        .name = "watch",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "the page of 'report', made anew whenever the model is saved",
        .details =
            "Writes <file>.html, or --out FILE, and runs the experiment again as soon as the\n"
            "file, or one that it was made from, is saved. The page that is open in the\n"
            "browser loads itself anew. Errors go to the terminal. Ctrl-C ends.\n",
        .examples = "bondyn watch arm.bond\n"
                    "bondyn watch arm.bond Swing -o /tmp/swing.html\n",
        .options = SOLVE_OPTIONS,
        .least = 1,
        .most = 2,
        .run = verb_report, // once: the caller sees when it has to be made anew
    },
    {
        .name = "derive",
        .arguments = "FILE [MECHANISM]",
        .summary = "the matrices of a mechanism as formulas or C code",
        .details =
            "B(q), dB/dq, g(q), C(q,w), C w, beta, energies and the Jacobians of all frames.\n"
            "MECHANISM is a mechanism of the file, or the path of one in its model; without it "
            "the\n"
            "only one is taken. --only B,g,tip chooses from B dB g C Cw beta T V J and the "
            "frames.\n"
            "--c writes MECHANISM.h and MECHANISM.c into the folder --out (default: here), with\n"
            "parameters in a struct or, with --fixed, compiled in. --shared makes one function of "
            "all "
            "parts\n(choose them with --only), --packed hands symmetric matrices over as upper "
            "triangles.\n"
            "--graph writes a model of I, C, R, MTF and MGY with the same ports, from the energies "
            "of "
            "a\nlagrangian or of a mechanism of hinges and slides.\n"
            "Of a mechanism on a free base, --only Br,Zr,Cr,Crw,Bc gives the inertia of its "
            "joints\n"
            "while the whole has no momentum, and --equivalent the fixed arm that moves alike.\n",
        .examples = "bondyn derive arm.bond\n"
                    "bondyn derive arm.bond Arm --only B,g --latex\n"
                    "bondyn derive arm.bond Arm --c --out control --fixed\n"
                    "bondyn derive arm.bond Arm --c --out control --shared --packed --only B,Cw,g\n"
                    "bondyn derive wagon.bond Wagon --graph constant --out wagon_graph.bond\n"
                    "bondyn derive satellite.bond --only Br,Crw --fixed --c --out control\n",
        .options = MODEL_OPTIONS | OPT_BIT(LATEX) | OPT_BIT(OUT) | OPT_BIT(C) | OPT_BIT(SIGNATURE) |
                   OPT_BIT(PACKED) | OPT_BIT(SHARED) | OPT_BIT(FIXED) | OPT_BIT(ONLY) |
                   OPT_BIT(GRAPH) | OPT_BIT(EQUIVALENT),
        .least = 1,
        .most = 2,
        .run = verb_derive,
    },
    {
        .name = "import",
        .arguments = "urdf|hydro FILE",
        .summary = "a robot description as a mechanism, hydrodynamic tables as models",
        .details =
            "Goes to standard output, or into the file --out.\n"
            "hydro: FILE is a table of WAMIT (.1 .3 .hst) or ShipX/VERES (.re7 .re8); those of\n"
            "the same name beside it are read, too. Added mass, damping and wave forces become\n"
            "tables, the memory of radiated waves a state space that never makes energy.\n"
            "WAMIT's numbers are taken with --set \"rho = 1025\", \"g = 9.81\", \"length = 1\" "
            "(ULEN);\n"
            "\"modes = 30\" is how many the memory may have.\n"
            "urdf: links become bodies, joints\n"
            "keep their names and limits, visuals become shapes. Damping and friction are\n"
            "elements at the joints, greatest efforts and velocities are watched; the\n"
            "parameters damping, friction, effort_limits and velocity_limits switch them\n"
            "off. Shapes for collisions stay as remarks, and what is left out is said.\n"
            "A model can also take the file as it is: mechanism Robot from \"robot.urdf\"\n",
        .examples = "bondyn import urdf robot.urdf --out robot.bond\n"
                    "bondyn import urdf vehicle.urdf --free\n"
                    "bondyn import hydro supply.re7 --out supply.bond\n"
                    "bondyn import hydro barge.1 --set \"length = 10\" --out barge.bond\n",
        .options = OPT_BIT(OUT) | OPT_BIT(FREE) | OPT_BIT(ROUND) | OPT_BIT(SET),
        .least = 2,
        .most = 2,
        .run = verb_import,
    },
    {
        .name = "export",
        .arguments = "c|fmu FILE [EXPERIMENT]",
        .summary = "a model as C that stands alone, or as an FMU",
        .details =
            "c: writes model.c, model.h, main.c, right_side.c and README.md into --out FOLDER: C99 "
            "without any "
            "library\n"
            "but libm, without allocation, for a fixed step (solver euler, heun or rk4). main runs "
            "the\n"
            "experiment and prints its results, the same bits as `bondyn run` with that solver.\n"
            "docs/export.md tells how to call it.\n"
            "fmu: writes FILE.fmu, or --out NAME.fmu: a functional mock-up unit of FMI 2 or 3 "
            "(--version),\n"
            "for model exchange and co-simulation (--kind), with binary and sources. Inputs of the "
            "model that\n"
            "nothing sets, or that have only a default, are its inputs.\n",
        .examples =
            "bondyn export c motor.bond --solver rk4 --out motor_c\n"
            "bondyn export fmu motor.bond --solver rk4\n"
            "bondyn export fmu motor.bond --kind cs --solver rk78 --rtol 1e-8\n"
            "bondyn export fmu crane.bond Lift --kind me --record 'hook.*' --out crane.fmu\n"
            "bondyn export fmu crane.bond Lift --version 3 --solver rk4 --out crane3.fmu\n"
            "bondyn export c crane.bond Lift --solver rk4 --real float --out firmware/crane\n",
        .options =
            SOLVE_OPTIONS | OPT_BIT(RECORD) | OPT_BIT(REAL) | OPT_BIT(KIND) | OPT_BIT(FMI_VERSION),
        .least = 2,
        .most = 3,
        .run = verb_export,
    },
    {
        .name = "explain",
        .arguments = "[CODE]",
        .summary = "what an error code means and how to mend it",
        .details = "Without CODE all codes are listed.\n",
        .examples = "bondyn explain L001\n",
        .least = 0,
        .most = 1,
        .run = verb_explain,
    },
    {
        .name = "compare",
        .arguments = "A B",
        .summary = "two result files, column by column within a tolerance",
        .details =
            "On the times of A, with B interpolated, every column of A has to keep to\n"
            "|a - b| <= atol + rtol*max|a|. Defaults: rtol 1e-4, atol 1e-9. Files that are\n"
            "empty or marked incomplete, columns without a number and names that occur twice\n"
            "are refused: they are not the same as anything.\n",
        .examples = "bondyn compare results/rlc/Step/results.csv rlc.csv --rtol 1e-6\n"
                    "bondyn compare a.csv b.h5 --common --map \"speed = body.f\"\n",
        .exits = "4    the files differ\n",
        .options = OPT_BIT(RTOL) | OPT_BIT(ATOL) | OPT_BIT(COMMON) | OPT_BIT(MAP),
        .least = 2,
        .most = 2,
        .run = verb_compare,
    },
    {
        .name = "power",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "where power goes: energy, activity and share of every element",
        .details =
            "Runs the experiment and tells how much energy went into every element and back out\n"
            "of it. The activity is the integral of |power|; elements with hardly a share of it\n"
            "are marked: they are the first to try to leave out. Paths lead from what gives\n"
            "energy to what takes it; junctions share in proportion. With -v all of them, bonds,\n"
            "junctions and two-ports, too. --out FOLDER: power.csv and power.svg over time,\n"
            "paths.csv, paths.svg, flow.svg.\n",
        .examples = "bondyn power crane.bond\n"
                    "bondyn power crane.bond Lift -v --out crane_power\n"
                    "bondyn power servo.bond --efficiency \"supply -> fin\" --json\n",
        .exits = "3 4 5  as for 'bondyn run'\n",
        .options = SOLVE_OPTIONS | OPT_BIT(ENGINE) | OPT_BIT(EFFICIENCY),
        .least = 1,
        .most = 2,
        .run = verb_power,
    },
#include "verb/search_verbs.def"
    {
        .name = "signals",
        .arguments = "FILE [EXPERIMENT]",
        .summary = "all variables and parameters, with units and values at the start",
        .details =
            "What can be recorded, plotted and expected, and what can be set: states, variables,\n"
            "inputs, outputs and parameters, with value at the start, unit and description.\n",
        .examples = "bondyn signals motor.bond\n"
                    "bondyn signals motor.bond --find torque\n"
                    "bondyn signals motor.bond --find rad/s --json\n",
        .options = MODEL_OPTIONS | OPT_BIT(FIND),
        .least = 1,
        .most = 2,
        .run = verb_signals,
    },
    {
        .name = "format",
        .arguments = "FILE...",
        .summary = "the canonical form of files: indentation and blanks, nothing else",
        .details = "Files are rewritten in place if they change. Tokens, comments and ends of "
                   "lines stay;\n"
                   "a file with lexical errors is left alone. --check writes nothing.\n",
        .examples = "bondyn format crane.bond\n"
                    "bondyn format --check library/*.bond\n",
        .options = OPT_BIT(CHECK),
        .least = 1,
        .most = 100000,
        .run = verb_format,
    },
    {
        .name = "lsp",
        .arguments = "",
        .summary = "the language server for editors, on standard input and output",
        .details =
            "Speaks the Language Server Protocol: messages while one types, hover, completion,\n"
            "definitions, references, rename, symbols, formatting, remedies, colours, and causal\n"
            "strokes as hints. docs/editors.md tells how editors start it.\n",
        .examples = "bondyn lsp\n"
                    "nvim -u share/editors/neovim/bondyn.lua crane.bond\n",
        .least = 0,
        .most = 0,
        .run = verb_server,
    },
    {
        .name = "studio",
        .arguments = "FILE",
        .summary = "write, see and drive a model live in the browser",
        .details =
            "Text with messages, bond graph, equations, plots, motion in 3-D and power move\n"
            "together; parameters are sliders, inputs follow keys and gamepads. The server\n"
            "listens on this machine only, and its address holds a token that others do not\n"
            "know. Files are written only when you save. docs/studio.md has pictures.\n",
        .examples = "bondyn studio crane.bond\n"
                    "bondyn studio crane.bond --no-open --port 7400\n",
        .options = OPT_BIT(PORT) | OPT_BIT(NO_OPEN),
        .least = 1,
        .most = 1,
        .run = verb_server,
    },
    {
        .name = "new",
        .arguments = "NAME",
        .summary = "write a commented model to start from",
        .details =
            "Writes NAME.bond and never overwrites a file. Templates: msd (mass, spring and\n"
            "damper; the default), rlc (an electric circuit), motor (electric motor with\n"
            "load), hydraulic (tank and valve), element (a law of your own), empty.\n",
        .examples = "bondyn new crane\n"
                    "bondyn new drive --template motor\n",
        .options = OPT_BIT(TEMPLATE),
        .least = 1,
        .most = 1,
        .run = verb_new,
    },
    {
        .name = "lib",
        .arguments = "[NAME | test | page]",
        .summary = "the component library: ports and parameters; its self-tests",
        .details =
            "Without NAME all components are listed, file by file; NAME is a component or\n"
            "a file of the library. 'lib test' runs every experiment in the library, 'lib page'\n"
            "writes all of it as Markdown.\n",
        .examples = "bondyn lib\n"
                    "bondyn lib Resistor\n"
                    "bondyn lib test\n",
        .exits = "3 4 5  a self-test failed, as for 'bondyn run'\n",
        .least = 0,
        .most = 1,
        .run = verb_lib,
    },
    {
        .name = "help",
        .arguments = "[VERB]",
        .summary = "this overview, or the help of a verb",
        .examples = "bondyn help run\n",
        .least = 0,
        .most = 1,
        .run = verb_help,
    },
    {
        .name = "version",
        .arguments = "",
        .summary = "the version of the program",
        .examples = "bondyn version\n",
        .least = 0,
        .most = 0,
        .run = verb_version,
    },
};

const Verb *verb_table(int *count) {
    *count = (int)(sizeof verbs / sizeof verbs[0]);
    return verbs;
}

const Verb *verb_find(const char *name) {
    int count;
    const Verb *v = verb_table(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(v[i].name, name) == 0) return &v[i];
    return NULL;
}
