# Completion of bondyn for bash: source this file, or put it into
# /usr/share/bash-completion/completions/bondyn.

_bondyn() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local verbs="run sweep montecarlo linearize steady poles bode nyquist step impulse reduce power optimize fit sensitivity check equations graph report watch derive import explain compare signals format lsp studio new lib help version"
    local common="--library --json --verbose --quiet --help"
    local options=""
    COMPREPLY=()
    verbs+=" export"
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$word")
        return
    fi
    case $before in
        --solver) mapfile -t COMPREPLY < <(compgen -W "auto bdf adams ida rk78 gauss euler heun rk4 rosenbrock" -- "$word"); return ;;
        --real) mapfile -t COMPREPLY < <(compgen -W "double float" -- "$word"); return ;;
        --version) mapfile -t COMPREPLY < <(compgen -W "2 3" -- "$word"); return ;;
        --kind) mapfile -t COMPREPLY < <(compgen -W "me cs both" -- "$word"); return ;;
        --engine) mapfile -t COMPREPLY < <(compgen -W "auto vm native" -- "$word"); return ;;
        --dump) mapfile -t COMPREPLY < <(compgen -W "syntax model graph system program" -- "$word"); return ;;
        --template | -t) mapfile -t COMPREPLY < <(compgen -W "msd rlc motor hydraulic element empty" -- "$word"); return ;;
        --map | --find) return ;;
        --graph) mapfile -t COMPREPLY < <(compgen -W "constant unit" -- "$word"); return ;;
        --signature) mapfile -t COMPREPLY < <(compgen -W "plain 20sim" -- "$word"); return ;;
        --out | -o | --library) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
        --set | --stop | --rtol | --atol | --max-step | --min-step | --record | --model | --only | --at | --inputs | --outputs | --from | --to | --frequencies | --trim | --given | --moving | --starts | --beside | --order | --near | --count | --efficiency) return ;;
    esac
    case $verb in
        run) options="--replay --model --set --stop --solver --engine --rtol --atol --max-step --min-step --record --out --csv --h5 --mat --no-plot --all" ;;
        linearize) options="--symbolic --customary --discrete --model --set --at --steady --trim --given --moving --inputs --outputs --latex --csv --octave --out" ;;
        steady) options="--model --set --at --trim --given --moving --starts --seed --out" ;;
        poles) options="--model --set --vary --slopes --discrete --near --count --at --steady --trim --given --moving --inputs --outputs --out" ;;
        bode|nyquist) options="--model --set --vary --discrete --at --steady --trim --given --moving --inputs --outputs --from --to --frequencies --beside --csv --out" ;;
        reduce) options="--model --set --order --at --steady --trim --given --moving --inputs --outputs --out" ;;
        step|impulse) options="--model --set --stop --at --steady --trim --given --moving --inputs --outputs --csv --out" ;;
        power) options="--model --set --stop --solver --engine --rtol --atol --max-step --min-step --efficiency --out" ;;
        optimize|fit) options="--model --set --stop --solver --engine --rtol --atol --max-step --min-step --record --out --csv --h5 --mat --no-plot --all --runs --seed --jobs --method" ;;
        sensitivity) options="--model --set --stop --solver --engine --rtol --atol --max-step --min-step --record --out --csv --h5 --mat --no-plot --all" ;;
        check) options="--model --set --dump" ;;
        equations) options="--model --set --latex --unreduced --out" ;;
        graph) options="--model --set --svg --dot --depth --only --reduced --out" ;;
        sweep|montecarlo) options="--model --set --vary --runs --seed --latin --jobs --yes --stop --solver --rtol --atol --max-step --min-step --record --out --csv --h5 --mat --no-plot" ;;
        report | watch) options="--model --set --stop --solver --rtol --atol --max-step --min-step --out" ;;
        derive) options="--model --set --latex --only --c --signature --packed --shared --fixed --graph --equivalent --out" ;;
        import) options="--free --out --round" ;;
        export) options="--model --set --stop --solver --record --real --kind --version --out" ;;
        signals) options="--model --set --find" ;;
        format) options="--check" ;;
        lsp) options="" ;;
        studio) options="--port --no-open" ;;
        compare) options="--rtol --atol --common --map" ;;
        new) options="--template" ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options $common" -- "$word")
        return
    fi
    case $verb in
        run | check | equations | graph | linearize | steady | poles | bode | nyquist | step | impulse | reduce | power | optimize | fit | sensitivity)
            if ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} == *.bond && -r ${COMP_WORDS[2]} ]]; then
                local experiments
                experiments=$(sed -n 's/^ *experiment  *\([A-Za-z0-9_]*\).*/\1/p' "${COMP_WORDS[2]}")
                mapfile -t COMPREPLY < <(compgen -W "$experiments" -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -f -X '!*.bond' -- "$word"; compgen -d -- "$word")
            fi
            ;;
        derive)
            if ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} == *.bond && -r ${COMP_WORDS[2]} ]]; then
                local mechanisms
                mechanisms=$(sed -n 's/^ *mechanism  *\([A-Za-z0-9_]*\).*/\1/p' "${COMP_WORDS[2]}")
                mapfile -t COMPREPLY < <(compgen -W "$mechanisms" -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -f -X '!*.bond' -- "$word"; compgen -d -- "$word")
            fi
            ;;
        import)
            if ((COMP_CWORD == 2)); then
                mapfile -t COMPREPLY < <(compgen -W "urdf hydro" -- "$word")
            elif [[ ${COMP_WORDS[2]} == hydro ]]; then
                mapfile -t COMPREPLY < <(compgen -f -X '!*.@(1|3|hst|re7|re8)' -- "$word"; compgen -d -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -f -X '!*.urdf' -- "$word"; compgen -d -- "$word")
            fi
            ;;
        export)
            if ((COMP_CWORD == 2)); then
                mapfile -t COMPREPLY < <(compgen -W "c fmu" -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -f -X '!*.bond' -- "$word"; compgen -d -- "$word")
            fi
            ;;
        explain) mapfile -t COMPREPLY < <(compgen -W "$(bondyn explain 2>/dev/null | cut -d' ' -f1)" -- "$word") ;;
        compare) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|h5)' -- "$word"; compgen -d -- "$word") ;;
        lib) mapfile -t COMPREPLY < <(compgen -W "test $(bondyn lib 2>/dev/null | awk '/^  /{print $1}')" -- "$word") ;;
        help) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word") ;;
    esac
}

complete -o filenames -F _bondyn bondyn
