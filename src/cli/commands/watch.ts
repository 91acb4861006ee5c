/** `waybill watch`: what happens, as it happens. */
import type { StreamEvent } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { sayOnce } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { eventLine } from "../output/watch-lines.ts";

const help = `Usage: waybill watch [--lane ID] [--after CURSOR]

Shows messages, deliveries, lanes and alerts as they come and change, until Ctrl-C. It connects again by itself when
the daemon restarts, and leaves nothing out.

Options:
  --lane ID        only this lane
  --after CURSOR   begin after this event (the \`cursor\` of a line of --json) instead of now
  --json           one line of JSON for each event

Exit codes: 130 ended by Ctrl-C, 5 no daemon runs, 1 any other error.

Examples:
  waybill watch --lane chat
  waybill watch --json | grep '"type":"alert"'`;

export const watch: Command = {
  name: "watch",
  summary: "show what happens, as it happens",
  help,
  options: { lane: { type: "string", choices: "lanes" }, after: { type: "string" } },
  run(input, context) {
    const { json, print, remark, paint, interrupted } = context;
    refuseMore(input, 0, "watch");
    const show = (event: StreamEvent) => {
      const line = json ? JSON.stringify(event) : eventLine(event, paint);
      if (line !== null) print(line);
    };
    return talk(context, async (client) => {
      const lane = input.value("lane");
      // A lane that does not exist would be silent for ever.
      if (lane !== undefined) await client.lane(lane);
      if (!json) remark("Watching. Ctrl-C ends it.");
      const options = { lane, after: input.value("after"), signal: interrupted, onError: sayOnce(context) };
      for await (const event of client.stream(options)) show(event);
      return exitCodes.interrupted;
    });
  },
};
