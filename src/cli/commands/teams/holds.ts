/** `waybill holds`: lists and releases agents that are held because they write to each other in a loop. */
import type { Command } from "../../command.ts";
import { printResult } from "../../command.ts";
import { withDaemon } from "../../connect.ts";
import { usageError } from "../../errors.ts";
import { ago } from "../../output/format.ts";
import { printList } from "../../output/table.ts";

export const holds: Command = {
  name: "holds",
  summary: "list and release agents that are held because they write to each other in a loop",
  help: {
    usage: "\nrelease LANE LANE",
    description: `Two agents that write to each other many times, while no person writes and no task or file changes, are held:
their messages to each other wait. \`holds release\` delivers them and starts counting again. \`delivery.maxExchanges\`
sets the limit.`,
    json: 'one line: {"holds":[…]}, or {"released":N}',
    examples: `waybill holds
waybill holds release tom anna`,
  },
  options: {},
  subcommands: ["release"],
  maxArguments: 3,
  argumentChoices: "lanes",
  run(input, context) {
    const [subcommand] = input.positionals;
    if (subcommand !== undefined && subcommand !== "release")
      throw usageError(`unknown subcommand: holds ${subcommand}`, "holds");
    if (subcommand === "release") {
      const one = input.argument(1, "holds release needs two lanes");
      const other = input.argument(2, "holds release needs two lanes");
      return withDaemon(context, async (client) => {
        const { released } = await client.releaseHold(one, other);
        const what = `${released} ${released === 1 ? "message" : "messages"}`;
        return printResult(context, { released }, `${one} and ${other} are released; ${what} waited.`);
      });
    }
    return withDaemon(context, async (client) => {
      const found = await client.holds();
      const now = Date.now();
      return printList(context, found, {
        head: ["LANES", "MESSAGES", "SINCE", "HELD"],
        rows: found.holds.map(({ lanes, count, beganAt, heldAt }) => [
          { text: lanes.join(" and "), style: "bold" },
          String(count),
          ago(beganAt, now),
          ago(heldAt, now),
        ]),
        emptyNote: "No agents are held.",
      });
    });
  },
};
