/** `waybill completion`: prints a completion script for a shell. Lane ids come from the daemon when Tab is pressed. */
import type { Choices, Command } from "../command.ts";
import { commonOptions, printResult } from "../command.ts";
import { parseChoice, usageError } from "../errors.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

function completionScript(shell: Shell, commands: readonly Command[]): string {
  const listed = commands.filter((command) => !command.hidden);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](listed);
}

// Lane ids are slugs, so they need no quoting in any shell.
const listLanes = `waybill lanes --json 2>/dev/null | grep -o '"id":"[a-z0-9_-]*"' | cut -d '"' -f 4`;

/** What may follow a command and another word: an option's values, or a subcommand's argument. */
function completionsAfter({ name, options, subcommands, argumentChoices = [] }: Command): [string[], Choices][] {
  const afterOptions = Object.entries(options)
    .filter(([, { type }]) => type === "string")
    .map(([option, { choices = [] }]): [string[], Choices] => [[`${name} --${option}`], choices]);
  // Without subcommands, fixed arguments are offered along with the options; only lanes need a request.
  const previousWords = subcommands ?? (argumentChoices === "lanes" ? [name] : []);
  const afterWords = previousWords.map((word) => `${name} ${word}`);
  return [
    ...afterOptions,
    ...(afterWords.length > 0 && argumentChoices.length > 0
      ? [[afterWords, argumentChoices] satisfies [string[], Choices]]
      : []),
  ];
}

/** The subcommands, arguments and options that may come first. */
function firstWords({ subcommands = [], argumentChoices = [], options }: Command): string {
  const fixed = argumentChoices === "lanes" ? [] : argumentChoices;
  const optionNames = Object.keys({ ...options, ...commonOptions }).map((name) => `--${name}`);
  return [...subcommands, ...fixed, ...optionNames].join(" ");
}

/** One line of a shell's `case` for each such pair. */
function caseLines(commands: readonly Command[], action: (choices: Choices) => string): string {
  return commands
    .flatMap(completionsAfter)
    .map(([pairs, choices]) => `    ${pairs.map((pair) => `'${pair}'`).join("|")}) ${action(choices)} ;;`)
    .join("\n");
}

function bashScript(commands: readonly Command[]): string {
  const afterPair = caseLines(
    commands,
    (choices) => `words="${choices === "lanes" ? "$(_waybill_lanes)" : choices.join(" ")}"`,
  );
  const first = commands.map((command) => `    ${command.name}) words="${firstWords(command)}" ;;`);
  return `# Completion for bash. Add this to ~/.bashrc:  source <(waybill completion bash)
_waybill_lanes() {
  ${listLanes}
}

_waybill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ "\${COMP_WORDS[i]}" != -* ]]; then
      command="\${COMP_WORDS[i]}"
      break
    fi
  done
  case "$command" in
    '') words="${[...commands.map(({ name }) => name), "--help", "--version"].join(" ")}" ;;
${first.join("\n")}
  esac
  case "$command $previous" in
${afterPair}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

# Falls back to file names.
complete -o default -F _waybill waybill
`;
}

function zshScript(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;
  const descriptions = commands.map(
    ({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`,
  );
  const afterPair = caseLines(commands, (choices) => {
    if (choices === "lanes") return "compadd -- $(_waybill_lanes); return";
    return choices.length === 0 ? "_files; return" : `compadd -- ${choices.join(" ")}; return`;
  });
  const first = commands.map((command) => `    ${command.name}) compadd -- ${firstWords(command)}; _files ;;`);
  return `#compdef waybill
# Completion for zsh. Add this to ~/.zshrc, after compinit:  source <(waybill completion zsh)
_waybill_lanes() {
  ${listLanes}
}

_waybill() {
  local command="" word
  local -a commands
  commands=(
${descriptions.join("\n")}
  )
  for word in \${words[2,CURRENT-1]}; do
    if [[ "$word" != -* ]]; then
      command="$word"
      break
    fi
  done
  case "$command \${words[CURRENT-1]}" in
${afterPair}
  esac
  case "$command" in
    '') _describe command commands ;;
${first.join("\n")}
  esac
}

compdef _waybill waybill
`;
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const choicesOf = (choices: Choices) => (choices === "lanes" ? "(__waybill_lanes)" : choices.join(" "));
  const lines = commands.flatMap(({ name, summary, subcommands, argumentChoices, options }) => {
    const within = `complete -c waybill -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c waybill -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(subcommands ? [`${within} -a '${subcommands.join(" ")}'`] : []),
      ...(argumentChoices ? [`${within} -f -a '${choicesOf(argumentChoices)}'`] : []),
      ...Object.entries({ ...options, ...commonOptions }).map(([option, { type, choices }]) => {
        const value = choices === undefined ? " -r" : ` -x -a '${choicesOf(choices)}'`;
        return `${within} -l ${option}${type === "string" ? value : ""}`;
      }),
    ];
  });
  return `# Completion for fish. Run once:  waybill completion fish > ~/.config/fish/completions/waybill.fish
function __waybill_lanes
  ${listLanes}
end

${lines.join("\n")}
`;
}

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
