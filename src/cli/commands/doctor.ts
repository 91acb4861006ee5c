/** `waybill doctor`: checks what Waybill needs, and says how to fix what fails. */
import type { Check } from "../../platform/doctor-check.ts";
import type { Command, CommandContext } from "../command.ts";
import { inspect } from "../doctor/inspect.ts";
import { judge } from "../doctor/judge.ts";
import { printable } from "../output/terminal.ts";

const help = `Usage: waybill doctor [--json]

Checks what Waybill needs: Node.js, the configuration, the state directory, the agent programs, whether they know the
lanes' agents and models, the lanes' directories, the Telegram bot, the store, the token, the port and the clock. It
changes nothing, and works whether or not Waybill is running.

Options:
  --json    one line of JSON: {"checks": [{"name", "status": "ok"|"warning"|"failed", "detail", "fix"?}]}

Exit codes: 0 nothing failed (there may be warnings), 1 something failed, 2 invalid command line.

Examples:
  waybill doctor
  WAYBILL_CONFIG=./waybill.json waybill doctor --json`;

export const doctor: Command = {
  name: "doctor",
  summary: "check what Waybill needs, and say how to fix problems",
  help,
  options: {},
  async run(_input, context) {
    const checks = judge(await inspect(context.env, context.interrupted));
    if (context.interrupted.aborted) return 130;
    if (context.json) context.print(JSON.stringify({ checks }));
    else show(checks, context);
    return checks.some(({ status }) => status === "failed") ? 1 : 0;
  },
};

const colours = { ok: "green", warning: "yellow", failed: "red" } as const;

function show(checks: readonly Check[], { print, paint }: CommandContext): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, detail, fix } of checks) {
    print(`${paint(colours[status], status.padEnd(7))}  ${name.padEnd(width)}  ${printable(detail)}`);
    if (fix) for (const line of fix.split("\n")) print(`${" ".repeat(width + 11)}→ ${printable(line)}`);
  }
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  const warnings = count("warning");
  print("");
  if (count("failed") > 0) print(paint("red", `${count("failed")} of ${checks.length} checks failed.`));
  else print(warnings > 0 ? `Nothing failed. Warnings: ${warnings}.` : "Everything is fine.");
}
