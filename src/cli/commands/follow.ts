/** `waybill follow`: the turns of a lane, as the agent works. */
import type { FollowedEvent, UniversalEvent, WaybillClient } from "../../client/index.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { sayOnce } from "../errors.ts";
import type { TurnReason } from "../exit-codes.ts";
import { exitCodeOfTurn, exitCodes } from "../exit-codes.ts";
import { statusLine } from "../output/screen.ts";
import { TurnLines } from "../output/turn-lines.ts";
import { usageError } from "../usage-error.ts";

const help = `Usage: waybill follow LANE [--once] [--all | --after CURSOR]

Shows what the agent of a lane does, as it does it: what it says, its tools, what it asks, and how each turn ends. It
goes on until Ctrl-C, connects again by itself when the daemon restarts, and leaves out nothing that is kept.

Options:
  --once           end when the agent is idle after a turn, with an exit code that says how that ended; with --all also
                   after a turn that is over already
  --all            begin with the oldest event that is kept instead of now
  --after CURSOR   begin after this event (the \`cursor\` of a line of --json)
  --json           one line of JSON for each event

Exit codes: 130 ended by Ctrl-C, 5 no daemon runs, 1 any other error; with --once 0 the turn was completed, 3 it ended
in an error or was interrupted, 4 it was stopped.

Examples:
  waybill follow chat
  waybill follow chat --once && echo done
  waybill follow chat --json | grep '"type":"turn.ended"'`;

type Show = { event(event: FollowedEvent): void; end(): void };

export const follow: Command = {
  name: "follow",
  summary: "show the turns of a lane as its agent works",
  help,
  options: { once: { type: "boolean" }, all: { type: "boolean" }, after: { type: "string" } },
  words: "lanes",
  run(input, context) {
    const [lane] = input.positionals;
    refuseMore(input, 1, "follow");
    if (lane === undefined) throw usageError("which lane? `waybill lanes` lists them", "follow");
    if (input.flag("all") && input.value("after") !== undefined) {
      throw usageError("either --all or --after, not both", "follow");
    }
    return talk(context, async (client) => {
      // A lane that does not exist would be silent for ever.
      await client.lane(lane);
      const show = context.json ? jsonLines(context) : readableLines(context);
      try {
        return await showAll(client, lane, input, context, show);
      } finally {
        show.end();
      }
    });
  },
};

async function showAll(
  client: WaybillClient,
  lane: string,
  input: CommandInput,
  context: CommandContext,
  show: Show,
): Promise<number> {
  const kept = input.flag("all") ? await showKept(client, lane, context, show) : null;
  if (input.flag("once") && kept?.ended) return exitCodeOfTurn(kept.ended);
  const after = kept ? kept.end : input.value("after");
  const onOpen = () => {
    if (!context.json) context.remark("Following. Ctrl-C ends it.");
  };
  if (after !== undefined) onOpen();
  const options = { lane, after, signal: context.interrupted, onOpen, onError: sayOnce(context) };
  for await (const event of client.followEvents(options)) {
    show.event(event);
    const ended = endOf(event);
    if (input.flag("once") && ended) return exitCodeOfTurn(ended);
  }
  return exitCodes.interrupted;
}

/** How the turn ended that this event is the end of. With prompts that come next, the agent is not idle yet. */
function endOf(event: FollowedEvent | UniversalEvent): TurnReason | null {
  return event.type === "turn.ended" && event.data.queued === 0 ? event.data.reason : null;
}

/** What is kept, where it stops, and how the newest turn ended if the agent is idle since. */
async function showKept(client: WaybillClient, lane: string, { interrupted }: CommandContext, show: Show) {
  let ended: TurnReason | null = null;
  for (let after: string | undefined; ; ) {
    const { events, cursor } = await client.events({ lane, after, limit: 200 }, { signal: interrupted });
    for (const one of events) {
      show.event({ ...one.event, cursor: one.cursor });
      if (one.event.type === "turn.started") ended = null;
      ended = endOf(one.event) ?? ended;
    }
    after = cursor;
    if (events.length === 0) return { end: after, ended };
  }
}

function jsonLines({ print }: CommandContext): Show {
  return { event: (event) => print(JSON.stringify(event)), end: () => {} };
}

function readableLines({ print, paint }: CommandContext): Show {
  const turns = new TurnLines(paint);
  const screen = statusLine(process.stdout, print);
  return {
    event(event) {
      if (event.type === "reset") return screen.line("what happened in between is not kept any more; it goes on");
      const { lines, status } = turns.take(event);
      for (const line of lines) screen.line(line);
      if (lines.length > 0 || status !== "") screen.status(status);
    },
    end: () => screen.clear(),
  };
}
