/** `waybill completion`: prints a completion script for a shell. */
import type { Command } from "../command.ts";
import { printResult } from "../command.ts";
import { completionScript, shells } from "../completion-scripts.ts";
import { parseChoice, usageError } from "../errors.ts";

export const completion: Command = {
  name: "completion",
  summary: "print a completion script for bash, zsh or fish",
  help: {
    usage: "bash|zsh|fish",
    description: "Prints a script that completes commands, options and lanes when Tab is pressed.",
    json: 'one line: {"script":"…"}',
    exitCodes: "0 done, 2 invalid command line.",
    examples: `source <(waybill completion bash)        # in ~/.bashrc
source <(waybill completion zsh)         # in ~/.zshrc, after compinit
waybill completion fish > ~/.config/fish/completions/waybill.fish`,
  },
  options: {},
  maxArguments: 1,
  argumentChoices: shells,
  async run(input, context) {
    const shell = parseChoice(input.positionals[0], shells, "the shell", "completion");
    if (shell === undefined) throw usageError("the shell is missing: bash, zsh or fish", "completion");
    const script = completionScript(shell, await context.loadCommands());
    return printResult(context, { script }, script.trimEnd());
  },
};
