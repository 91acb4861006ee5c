/** The completion scripts, made from the table of commands. Lane ids are asked for when Tab is pressed. Pure. */
import type { Command } from "./command.ts";
import { commonOptions } from "./command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const listed = commands.filter((command) => !command.hidden);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](listed);
}

// Ids of lanes are slugs, so that they need no quoting in any shell.
const askForLanes = `waybill lanes --json 2>/dev/null | grep -o '"id":"[a-z0-9_-]*"' | cut -d '"' -f 4`;

type Choices = "lanes" | readonly string[];

function optionNames({ options }: Command): string[] {
  return Object.keys({ ...options, ...commonOptions }).map((name) => `--${name}`);
}

/** What may come after a word of the command: the value of an option, or what a verb is about. */
function following({ name, options, verbs, words }: Command): [after: string[], choices: Choices][] {
  const valued = Object.entries(options).filter(([, { type }]) => type === "string");
  const free = valued.filter(([, { choices }]) => choices === undefined).map(([option]) => `${name} --${option}`);
  // Where there are no verbs, the words that are fixed are offered with the options; lanes have to be asked for.
  const first = words === "lanes" ? [`${name} ${name}`] : [];
  return [
    ...valued.map(([option, { choices = [] }]): [string[], Choices] => [[`${name} --${option}`], choices]),
    [verbs?.map((verb) => `${name} ${verb}`) ?? first, words ?? []] as [string[], Choices],
  ]
    .filter(([after, choices]) => after.length > 0 && choices.length > 0)
    .concat(free.length > 0 ? [[free, []]] : []);
}

/** What may come first: verbs, words and options. */
function first(command: Command): string {
  const words = command.words === "lanes" ? [] : (command.words ?? []);
  return [...(command.verbs ?? []), ...words, ...optionNames(command)].join(" ");
}

const patterns = (after: readonly string[]) => after.map((words) => `'${words}'`).join("|");

function bashScript(commands: readonly Command[]): string {
  const choicesOf = (choices: Choices) => (choices === "lanes" ? "$(_waybill_lanes)" : choices.join(" "));
  const next = commands
    .flatMap(following)
    .map(([after, choices]) => `    ${patterns(after)}) words="${choicesOf(choices)}" ;;`);
  const all = commands.map((command) => `    ${command.name}) words="${first(command)}" ;;`);
  return `# Completion for bash. Put this into ~/.bashrc:  source <(waybill completion bash)
_waybill_lanes() {
  ${askForLanes}
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
${all.join("\n")}
  esac
  case "$command $previous" in
${next.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

# Where nothing of ours fits, names of files do.
complete -o default -F _waybill waybill
`;
}

function zshScript(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`);
  const choicesOf = (choices: Choices) => {
    if (choices === "lanes") return "compadd -- $(_waybill_lanes)";
    return choices.length === 0 ? "_files" : `compadd -- ${choices.join(" ")}`;
  };
  const next = commands
    .flatMap(following)
    .map(([after, choices]) => `    ${patterns(after)}) ${choicesOf(choices)}; return ;;`);
  const all = commands.map((command) => `    ${command.name}) compadd -- ${first(command)}; _files ;;`);
  return `#compdef waybill
# Completion for zsh. Put this into ~/.zshrc, after compinit:  source <(waybill completion zsh)
_waybill_lanes() {
  ${askForLanes}
}

_waybill() {
  local command="" word
  local -a commands
  commands=(
${described.join("\n")}
  )
  for word in \${words[2,CURRENT-1]}; do
    if [[ "$word" != -* ]]; then
      command="$word"
      break
    fi
  done
  case "$command \${words[CURRENT-1]}" in
${next.join("\n")}
  esac
  case "$command" in
    '') _describe command commands ;;
${all.join("\n")}
  esac
}

compdef _waybill waybill
`;
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const choicesOf = (choices: Choices) => (choices === "lanes" ? "(__waybill_lanes)" : choices.join(" "));
  const lines = commands.flatMap(({ name, summary, verbs = [], words, options }) => {
    const within = `complete -c waybill -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c waybill -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(verbs.length > 0 ? [`${within} -a '${verbs.join(" ")}'`] : []),
      ...(words !== undefined ? [`${within} -f -a '${choicesOf(words)}'`] : []),
      ...Object.entries({ ...options, ...commonOptions }).map(([option, { type, choices }]) => {
        const takes = choices === undefined ? " -r" : ` -x -a '${choicesOf(choices)}'`;
        return `${within} -l ${option}${type === "string" ? takes : ""}`;
      }),
    ];
  });
  return `# Completion for fish. Run once:  waybill completion fish > ~/.config/fish/completions/waybill.fish
function __waybill_lanes
  ${askForLanes}
end

${lines.join("\n")}
`;
}
