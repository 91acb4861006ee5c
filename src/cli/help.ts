/** Builds the help texts from the commands and their options. Pure. */
import type { Command, Options } from "./command.ts";

const usualExitCodes = "0 done, 5 no daemon is running, 2 invalid command line, 1 any other error.";

export function commandHelp({ name, help, options }: Command): string {
  if (typeof help === "string") return help;
  const { usage, description, json, exitCodes = usualExitCodes, examples } = help;
  const forms = usage.split("\n").map((form) => `waybill ${name} ${form}`.trimEnd());
  return `Usage: ${forms.join("\n       ")}

${description}

Options:
${optionLines({ ...options, json: { type: "boolean", help: json } })}

Exit codes: ${exitCodes}

Examples:
${indented(examples)}`;
}

function optionLines(options: Options): string {
  const rows = Object.entries(options).map(([name, { value, help = "" }]) => ({
    name: value === undefined ? `--${name}` : `--${name} ${value}`,
    help,
  }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const indentation = " ".repeat(width + 6);
  return rows
    .map(({ name, help }) => `  ${name.padEnd(width)}    ${help.replaceAll("\n", `\n${indentation}`)}`)
    .join("\n");
}

function indented(lines: string): string {
  return lines.replaceAll(/^/gm, "  ");
}

export function programHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands
    .filter(({ hidden }) => !hidden)
    .map(({ name, summary }) => `${name.padEnd(width)}    ${summary}`);
  return `Waybill delivers messages to coding agents and proves that they acted on them.

Usage: waybill COMMAND [--json]

Commands:
${indented(list.join("\n"))}

  waybill COMMAND --help    show the help of a command
  waybill --version         show the version of this program

Environment:
  WAYBILL_CONFIG      the configuration (default: $XDG_CONFIG_HOME/waybill/config.json or ~/.config/waybill/config.json)
  WAYBILL_HOME        where the state is kept (default: $XDG_STATE_HOME/waybill or ~/.local/state/waybill)
  WAYBILL_URL, WAYBILL_TOKEN
                      use this daemon instead of the one in WAYBILL_HOME
  WAYBILL_WATCHDOG=0  never send a message again automatically if it may have arrived
  NO_COLOR            do not use colours`;
}
