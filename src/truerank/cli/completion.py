"""`truerank completion`: commands, options and values by the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from truerank.cli.output import write

OPTION = "commandline --current-token | string match --regex -- '^--[^=]*='; or echo ''"

REPLACED = {
    "bash": {
        "local response\n": "local response line=${COMP_LINE:0:COMP_POINT}\n"
        "    local typed=${line##*[[:blank:]]}\n    [[ $2 || $typed ]] || line+=\"''\"\n",
        'COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD': 'COMP_WORDS="$line" COMP_CWORD=-1',
        "($value)": '("${value#"${typed%"$2"}"}")',
    },
    "zsh": {
        "completion() {": "completion() {\n    compset -P 1 '--*='",
        " -U": ' -U -i "$IPREFIX"',
        "    compdef": "    (( $+functions[compdef] )) || { autoload -zU compinit && compinit -i }\n    compdef",
    },
    "fish": {
        '_completion)"': f"_completion | string replace --regex -- '^' ({OPTION}))\"",
        'string split ","': 'string split --max 1 ","',
    },
}
"""What is put for what in click's scripts: of --rules=trec zsh and fish would complete the whole word, and bash
takes what follows = or @ for a word of its own; fish would end measures, folders and explanations at a comma.
Where nothing else completes, as in a new account on macOS, zsh has no compdef yet."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes truerank's commands in a shell.

    \b
    Examples:
      truerank completion bash >> ~/.bashrc
      truerank completion zsh >> ~/.zshrc
      truerank completion fish > ~/.config/fish/completions/truerank.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, shell
    script = kind(ctx.find_root().command, {}, "truerank", "_TRUERANK_COMPLETE").source()
    for written, meant in REPLACED[shell].items():
        script = script.replace(written, meant)
    write(script.strip() + "\n")
