/** `waybill follow`: shows a lane's turns as the agent works. */
import type { FollowedEvent, UniversalEvent, WaybillClient } from "../../client/index.ts";
import type { TurnEndReason } from "../../core/turn/universal-event.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { connectionErrorReporter, exitCodeOfTurn, exitCodes, usageError } from "../errors.ts";
import { statusLine } from "../output/status-line.ts";
import { TurnLines } from "../output/turn-lines.ts";

type EventPrinter = { event(event: FollowedEvent): void; end(): void };

export const follow: Command = {
  name: "follow",
  summary: "show a lane's turns as its agent works",
  help: {
    usage: "LANE [--once] [--all | --after CURSOR]",
    description: `Shows what a lane's agent does as it happens: its text, its tool calls, its asks, and how each turn ends. It runs until
Ctrl-C, reconnects when the daemon restarts, and misses no event that is still kept.`,
    json: "one line of JSON for each event",
    exitCodes: `130 ended by Ctrl-C, 5 no daemon is running, 2 invalid command line, 1 any other error. With --once: 0 the
turn completed, 3 it failed or was interrupted, 4 it was stopped.`,
    examples: `waybill follow chat
waybill follow chat --once && echo done
waybill follow chat --json | grep '"type":"turn.ended"'`,
  },
  options: {
    once: flagOption(
      "exit when the agent is idle after a turn, with an exit code that says how the turn ended;\nwith --all, also after a turn that has already ended",
    ),
    all: flagOption("start with the oldest event that is kept, not with the next one"),
    after: textOption("CURSOR", "start after this event (a `cursor` from --json)"),
  },
  maxArguments: 1,
  argumentChoices: "lanes",
  run(input, context) {
    const lane = input.argument(0, "the lane is missing; `waybill lanes` lists them");
    if (input.flag("all") && input.value("after") !== undefined) {
      throw usageError("use either --all or --after, not both", "follow");
    }
    return withDaemon(context, async (client) => {
      // An unknown lane would stay silent forever.
      await client.lane(lane);
      const printer = context.json ? jsonPrinter(context) : textPrinter(context);
      try {
        return await followLane(client, lane, input, context, printer);
      } finally {
        printer.end();
      }
    });
  },
};

async function followLane(
  client: WaybillClient,
  lane: string,
  input: CommandInput,
  context: CommandContext,
  printer: EventPrinter,
): Promise<number> {
  const stored = input.flag("all") ? await printStored(client, lane, context, printer) : null;
  if (input.flag("once") && stored?.turnEnd) return exitCodeOfTurn(stored.turnEnd);
  const after = stored ? stored.cursor : input.value("after");
  const onOpen = () => {
    if (!context.json) context.printNote("Following. Press Ctrl-C to stop.");
  };
  if (after !== undefined) onOpen();
  const options = {
    lane,
    after,
    signal: context.interrupted,
    onOpen,
    onError: connectionErrorReporter(context),
  };
  for await (const event of client.followEvents(options)) {
    printer.event(event);
    const turnEnd = idleAfter(event);
    if (input.flag("once") && turnEnd) return exitCodeOfTurn(turnEnd);
  }
  return exitCodes.interrupted;
}

/** How the turn ended, if this event ends a turn and no prompt is queued after it. */
function idleAfter(event: FollowedEvent | UniversalEvent): TurnEndReason | null {
  return event.type === "turn.ended" && event.data.queued === 0 ? event.data.reason : null;
}

/** Prints the stored events. Returns the cursor after them, and how the newest turn ended if the agent is idle now. */
async function printStored(client: WaybillClient, lane: string, context: CommandContext, printer: EventPrinter) {
  let turnEnd: TurnEndReason | null = null;
  for (let after: string | undefined; ; ) {
    const page = await client.events({ lane, after, limit: 200 }, { signal: context.interrupted });
    for (const { event, cursor } of page.events) {
      printer.event({ ...event, cursor });
      if (event.type === "turn.started") turnEnd = null;
      turnEnd = idleAfter(event) ?? turnEnd;
    }
    after = page.cursor;
    if (page.events.length === 0) return { cursor: after, turnEnd };
  }
}

function jsonPrinter({ print }: CommandContext): EventPrinter {
  return { event: (event) => print(JSON.stringify(event)), end: () => {} };
}

function textPrinter({ print, paint }: CommandContext): EventPrinter {
  const turns = new TurnLines(paint);
  const display = statusLine(process.stdout, print);
  return {
    event(event) {
      if (event.type === "reset") return display.line("some events are no longer kept; continuing after the gap");
      const { lines, status } = turns.add(event);
      for (const line of lines) display.line(line);
      if (lines.length > 0 || status !== "") display.status(status);
    },
    end: () => display.clear(),
  };
}
