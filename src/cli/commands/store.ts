/** `waybill store backup|restore|check`: works on the store's file. */
import { readConfig } from "../../daemon/config/config.ts";
import { storeAt } from "../../daemon/wiring/store-at.ts";
import type { StoreAdministration } from "../../store/administration.ts";
import type { Command, CommandContext } from "../command.ts";
import { printResult } from "../command.ts";
import { usageError } from "../errors.ts";
import { pluralized } from "../output/format.ts";

export const store: Command = {
  name: "store",
  summary: "back up, restore or check the store",
  help: {
    usage: `backup FILE     copy the store, even while Waybill is running
restore FILE    go back to a backup; the current store is kept next to it
check [FILE]    look for damage and broken rules in the store or in a backup`,
    description: "None of these needs the daemon. Stop it before you restore.",
    json: "print the result as one line of JSON",
    exitCodes: "0 no problem, 1 something is wrong, 2 invalid command line.",
    examples: `waybill store backup ~/waybill-monday.db
waybill store check --json`,
  },
  options: {},
  subcommands: ["backup", "restore", "check"],
  maxArguments: 2,
  async run(input, context) {
    const subcommand = input.argument(0, "the subcommand is missing: backup, restore or check");
    const own = storeAt(readConfig(context.env).storePath);
    const file = () => input.argument(1, `store ${subcommand} needs a file name`);
    switch (subcommand) {
      case "backup":
        await own.backup(file());
        return printResult(
          context,
          { backup: file() },
          `The store was copied to ${file()}, and the copy passed its check.`,
        );
      case "restore":
        return restore(own, file(), context);
      case "check":
        return check(input.positionals[1] === undefined ? own : storeAt(input.positionals[1]), context);
      default:
        throw usageError(`unknown subcommand: store ${subcommand}`, "store");
    }
  },
};

async function restore(own: StoreAdministration, from: string, context: CommandContext): Promise<number> {
  const restored = await own.restore(from);
  const { keptAs, toBeRebuilt } = restored;
  return printResult(context, { restored: from, ...restored }, [
    `The store was restored from ${from}.`,
    ...(keptAs === null ? [] : [`The previous store is kept as ${keptAs}.`]),
    ...(toBeRebuilt === 0
      ? []
      : [`${pluralized(toBeRebuilt, "message")} may have been sent since; the next start checks before it sends.`]),
  ]);
}

async function check({ path, check }: StoreAdministration, context: CommandContext): Promise<number> {
  const findings = await check();
  const sound = findings.length === 0;
  const lines = sound
    ? [`The store ${path} is sound.`]
    : findings.map(({ subject, problem }) => `${subject} ${problem}`);
  printResult(context, { store: path, findings }, lines);
  return sound ? 0 : 1;
}
