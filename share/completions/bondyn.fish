# Completion of bondyn for fish: put this file into ~/.config/fish/completions.

function __bondyn_experiments
    for word in (commandline -opc)
        if string match -q '*.bond' -- $word; and test -r $word
            sed -n 's/^ *experiment  *\([A-Za-z0-9_]*\).*/\1/p' $word
        end
    end
end

set -l models run sweep montecarlo linearize poles bode nyquist check equations graph report derive
complete -c bondyn -f
complete -c bondyn -n __fish_use_subcommand -a run -d 'simulate'
complete -c bondyn -n __fish_use_subcommand -a check -d 'sizes, units, causality, states'
complete -c bondyn -n __fish_use_subcommand -a equations -d 'the reduced equations'
complete -c bondyn -n __fish_use_subcommand -a graph -d 'draw the bond graph'
complete -c bondyn -n __fish_use_subcommand -a sweep -d 'all combinations of parameter values'
complete -c bondyn -n __fish_use_subcommand -a linearize -d 'the linear model at a point'
complete -c bondyn -n __fish_use_subcommand -a poles -d 'poles, modes and zeros'
complete -c bondyn -n __fish_use_subcommand -a bode -d 'frequency responses with margins'
complete -c bondyn -n __fish_use_subcommand -a nyquist -d 'the same in the complex plane'
complete -c bondyn -n __fish_use_subcommand -a montecarlo -d 'parameters drawn at random'
complete -c bondyn -n __fish_use_subcommand -a report -d 'one page for the browser'
complete -c bondyn -n __fish_use_subcommand -a derive -d 'the matrices of a mechanism'
complete -c bondyn -n __fish_use_subcommand -a import -d 'a robot description as a mechanism'
complete -c bondyn -n __fish_use_subcommand -a explain -d 'what an error code means'
complete -c bondyn -n __fish_use_subcommand -a compare -d 'two result files'
complete -c bondyn -n __fish_use_subcommand -a new -d 'write a model to start from'
complete -c bondyn -n __fish_use_subcommand -a lib -d 'the component library'
complete -c bondyn -n __fish_use_subcommand -a help -d 'help'
complete -c bondyn -n __fish_use_subcommand -a version -d 'the version'

complete -c bondyn -l library -r -F -d 'folder of the component library'
complete -c bondyn -l json -d 'one JSON object'
complete -c bondyn -s v -l verbose -d 'say more'
complete -c bondyn -s q -l quiet -d 'only errors'
complete -c bondyn -s h -l help -d 'show help'

complete -c bondyn -n "__fish_seen_subcommand_from $models" -F
complete -c bondyn -n "__fish_seen_subcommand_from $models" -a '(__bondyn_experiments)'
complete -c bondyn -n "__fish_seen_subcommand_from $models" -l model -x -d 'take this model'
complete -c bondyn -n "__fish_seen_subcommand_from $models" -l set -x -d 'set a parameter'
complete -c bondyn -n '__fish_seen_subcommand_from run report' -l stop -x -d 'end at this time'
complete -c bondyn -n '__fish_seen_subcommand_from run report' -l solver -x -a 'auto bdf adams ida rk78 gauss euler heun rk4 rosenbrock'
complete -c bondyn -n '__fish_seen_subcommand_from run' -l engine -x -a 'auto vm native'
complete -c bondyn -n '__fish_seen_subcommand_from run report compare' -l rtol -x -d 'relative tolerance'
complete -c bondyn -n '__fish_seen_subcommand_from run report compare' -l atol -x -d 'absolute tolerance'
complete -c bondyn -n '__fish_seen_subcommand_from run report' -l max-step -x -d 'no step is longer'
complete -c bondyn -n '__fish_seen_subcommand_from run report' -l min-step -x -d 'a run that needs shorter steps ends'
complete -c bondyn -n '__fish_seen_subcommand_from run' -l record -x -d 'record these variables'
complete -c bondyn -n '__fish_seen_subcommand_from run equations graph report derive import' -s o -l out -r -F -d 'write here'
complete -c bondyn -n '__fish_seen_subcommand_from run' -l csv -d 'write results.csv'
complete -c bondyn -n '__fish_seen_subcommand_from run' -l h5 -d 'write results.h5'
complete -c bondyn -n '__fish_seen_subcommand_from run' -l no-plot -d 'draw no plots'
complete -c bondyn -n '__fish_seen_subcommand_from run' -s a -l all -d 'every experiment'
complete -c bondyn -n '__fish_seen_subcommand_from check' -l dump -x -a 'syntax model graph system program'
complete -c bondyn -n '__fish_seen_subcommand_from equations derive' -l latex -d 'as LaTeX'
complete -c bondyn -n '__fish_seen_subcommand_from derive' -l only -x -d 'some parts'
complete -c bondyn -n '__fish_seen_subcommand_from derive' -l c -d 'as C functions'
complete -c bondyn -n '__fish_seen_subcommand_from derive' -l graph -x -a 'constant unit' -d 'an explicit bond graph'
complete -c bondyn -n '__fish_seen_subcommand_from derive' -l signature -x -a 'plain 20sim'
complete -c bondyn -n '__fish_seen_subcommand_from derive' -l fixed -d 'numbers in place of parameters'
complete -c bondyn -n '__fish_seen_subcommand_from import' -a urdf -F
complete -c bondyn -n '__fish_seen_subcommand_from import' -l free -d 'the root link moves freely'
complete -c bondyn -n '__fish_seen_subcommand_from import' -l round -d 'round angles near multiples of 15 degrees'
complete -c bondyn -n '__fish_seen_subcommand_from graph' -l svg -d 'as SVG'
complete -c bondyn -n '__fish_seen_subcommand_from graph' -l dot -d 'as Graphviz dot'
complete -c bondyn -n '__fish_seen_subcommand_from explain' -a '(bondyn explain 2>/dev/null | cut -d" " -f1)'
complete -c bondyn -n '__fish_seen_subcommand_from compare' -F
complete -c bondyn -n '__fish_seen_subcommand_from new' -s t -l template -x -a 'msd rlc motor hydraulic element empty'
complete -c bondyn -n '__fish_seen_subcommand_from lib' -a 'test (bondyn lib 2>/dev/null | string match -r "^  \S+" | string trim)'
complete -c bondyn -n '__fish_seen_subcommand_from help' -a 'run sweep montecarlo linearize poles bode nyquist check equations graph report derive import explain compare new lib'
complete -c bondyn -n '__fish_seen_subcommand_from linearize poles bode nyquist' -l at -x -d 'at this time of the run'
complete -c bondyn -n '__fish_seen_subcommand_from linearize poles bode nyquist' -l inputs -x -d 'what moves'
complete -c bondyn -n '__fish_seen_subcommand_from linearize poles bode nyquist' -l outputs -x -d 'what is looked at'
complete -c bondyn -n '__fish_seen_subcommand_from linearize bode nyquist' -l csv -d 'as CSV'
complete -c bondyn -n '__fish_seen_subcommand_from linearize' -l latex -d 'as LaTeX'
complete -c bondyn -n '__fish_seen_subcommand_from linearize' -l octave -d 'as a script for Octave'
complete -c bondyn -n '__fish_seen_subcommand_from bode nyquist' -l from -x -d 'lowest frequency'
complete -c bondyn -n '__fish_seen_subcommand_from bode nyquist' -l to -x -d 'highest frequency'
complete -c bondyn -n '__fish_seen_subcommand_from bode nyquist' -l frequencies -x -d 'a row for each'
complete -c bondyn -n '__fish_seen_subcommand_from sweep montecarlo' -l vary -x -d 'a factor'
complete -c bondyn -n '__fish_seen_subcommand_from sweep montecarlo' -s j -l jobs -x -d 'processes at a time'
complete -c bondyn -n '__fish_seen_subcommand_from sweep montecarlo' -s y -l yes -d 'even if it takes long'
complete -c bondyn -n '__fish_seen_subcommand_from sweep montecarlo' -l runs -x -d 'how many draws'
complete -c bondyn -n '__fish_seen_subcommand_from sweep montecarlo' -l seed -x -d 'of the draws'
complete -c bondyn -n '__fish_seen_subcommand_from sweep montecarlo' -l latin -d 'latin hypercube'
