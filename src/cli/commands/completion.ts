/** `waybill completion`: what Tab knows. */
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { completionScript, shells } from "../completion-scripts.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkedChoice, usageError } from "../usage-error.ts";

const help = `Usage: waybill completion bash|zsh|fish

Prints a script that completes commands, options and lanes when Tab is pressed.

Options:
  --json    one line: {"script":"…"}

Examples:
  source <(waybill completion bash)        # in ~/.bashrc
  source <(waybill completion zsh)         # in ~/.zshrc, after compinit
  waybill completion fish > ~/.config/fish/completions/waybill.fish`;

/** It completes all commands, so it is made by whoever knows them all. */
export function completion(commands: () => Promise<readonly Command[]>): Command {
  return {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    help,
    options: {},
    words: shells,
    async run(input, { json, print }) {
      const [word] = input.positionals;
      refuseMore(input, 1, "completion");
      const shell = checkedChoice(word, shells, { option: "the shell", command: "completion" });
      if (shell === undefined) throw usageError("for which shell? bash, zsh or fish", "completion");
      const script = completionScript(shell, await commands());
      print(json ? JSON.stringify({ script }) : script.trimEnd());
      return exitCodes.ok;
    },
  };
}
