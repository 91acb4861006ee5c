/** `waybill watch`: shows events as they happen. */
import type { Command } from "../command.ts";
import { textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { connectionErrorReporter, exitCodes } from "../errors.ts";
import { streamEventLine } from "../output/stream-event-line.ts";

const types = ["message", "delivery", "lane", "alert"];

export const watch: Command = {
  name: "watch",
  summary: "show messages, deliveries and alerts as they happen",
  help: {
    usage: "[--lane ID] [--after CURSOR]",
    description: `Shows new messages and alerts, and changes of deliveries and lanes, until Ctrl-C. It reconnects when the daemon
restarts, and misses nothing. Long texts are cut; \`waybill show MESSAGE\` prints them whole.`,
    json: "one line of JSON for each event",
    exitCodes: "130 ended by Ctrl-C, 5 no daemon is running, 2 invalid command line, 1 any other error.",
    examples: `waybill watch --lane chat
waybill watch --json | grep '"type":"alert"'`,
  },
  options: {
    lane: textOption("ID", "only this lane", "lanes"),
    after: textOption("CURSOR", "start after this event (a `cursor` from --json) instead of now"),
  },
  run(input, context) {
    const { json, print, printNote, paint, interrupted } = context;
    return withDaemon(context, async (client) => {
      const lane = input.value("lane");
      // An unknown lane would stay silent forever.
      if (lane !== undefined) await client.lane(lane);
      if (!json) printNote("Watching. Press Ctrl-C to stop.");
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
