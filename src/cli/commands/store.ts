/** `waybill store backup|restore|check`: what a person does with the store's file. */
import type { AppError } from "../../app-error.ts";
import { readConfig } from "../../daemon/config/config.ts";
import { backupStore, checkStoreFile, restoreStore } from "../../store/sqlite/store-files.ts";
import type { Command, CommandContext } from "../command.ts";
import { refuseMore } from "../command.ts";
import { usageError } from "../usage-error.ts";

const help = `Usage: waybill store backup FILE     copy the store, also while Waybill runs
       waybill store restore FILE    go back to a backup; the present store is kept beside it
       waybill store check [FILE]    look for damage and broken rules, in the store or in a backup

Options:
  --json    print the result as one line of JSON

Exit codes: 0 all is well, 1 something is wrong, 2 the command was not understood.

Examples:
  waybill store backup ~/waybill-monday.db
  waybill store check --json`;

export const store: Command = {
  name: "store",
  summary: "back up, restore or check the store",
  help,
  options: {},
  verbs: ["backup", "restore", "check"],
  run(input, context) {
    const [verb, file] = input.positionals;
    refuseMore(input, 2, "store");
    const path = readConfig(context.env).storePath;
    switch (verb) {
      case "backup":
        return backup(path, required(file, "backup"), context);
      case "restore":
        return restore(path, required(file, "restore"), context);
      case "check":
        return check(file ?? path, context);
      default:
        throw misunderstood(verb === undefined ? "backup, restore or check?" : `unknown: store ${verb}`);
    }
  },
};

async function backup(path: string, to: string, { print, json }: CommandContext): Promise<number> {
  await backupStore(path, to);
  print(json ? JSON.stringify({ backup: to }) : `The store was copied to ${to}, and the copy is sound.`);
  return 0;
}

async function restore(path: string, from: string, { print, json }: CommandContext): Promise<number> {
  const restored = await restoreStore(path, from);
  if (json) {
    print(JSON.stringify({ restored: from, ...restored }));
    return 0;
  }
  print(`The store is now what ${from} holds.`);
  if (restored.keptAs !== null) print(`What was there before is kept as ${restored.keptAs}.`);
  if (restored.toBeRebuilt > 0) {
    const messages = restored.toBeRebuilt === 1 ? "1 message" : `${restored.toBeRebuilt} messages`;
    print(`${messages} may have been sent since; the next start looks for that before it sends.`);
  }
  return 0;
}

async function check(path: string, { print, json }: CommandContext): Promise<number> {
  const findings = checkStoreFile(path);
  if (json) print(JSON.stringify({ store: path, findings }));
  else if (findings.length === 0) print(`The store ${path} is sound.`);
  else for (const { subject, problem } of findings) print(`${subject} ${problem}`);
  return findings.length === 0 ? 0 : 1;
}

function required(file: string | undefined, verb: string): string {
  if (file !== undefined) return file;
  throw misunderstood(`store ${verb} needs the name of a file`);
}

function misunderstood(message: string): AppError {
  return usageError(message, "store");
}
