/** `waybill watch`: shows events as they happen. */
import type { Command } from "../command.ts";
import { textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { connectionErrorReporter } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { streamEventLine } from "../output/stream-event-line.ts";

const types = ["message", "delivery", "lane", "alert"];

export const watch: Command = {
  name: "watch",
  summary: "show messages, deliveries and alerts as they happen",
  help: {
    usage: "[--lane ID] [--after CURSOR]",
    description: `Shows messages, deliveries, lanes and alerts as they come and change, until Ctrl-C. It reconnects when the daemon
restarts, and misses nothing.`,
    json: "one line of JSON for each event",
    exitCodes: "130 ended by Ctrl-C, 5 no daemon runs, 1 any other error.",
    examples: `waybill watch --lane chat
waybill watch --json | grep '"type":"alert"'`,
  },
  options: {
    lane: textOption("ID", "only this lane", "lanes"),
    after: textOption("CURSOR", "begin after this event (the `cursor` of a line of --json) instead of now"),
  },
  run(input, context) {
    const { json, print, printNote, paint, interrupted } = context;
    return withDaemon(context, async (client) => {
      const lane = input.value("lane");
      // A lane that does not exist would be silent for ever.
      if (lane !== undefined) await client.lane(lane);
      if (!json) printNote("Watching. Ctrl-C ends it.");
      const onError = connectionErrorReporter(context);
      for await (const event of client.stream({
        lane,
        types,
        after: input.value("after"),
        signal: interrupted,
        onError,
      })) {
        const line = json ? JSON.stringify(event) : streamEventLine(event, paint);
        if (line !== null) print(line);
      }
      return exitCodes.interrupted;
    });
  },
};
