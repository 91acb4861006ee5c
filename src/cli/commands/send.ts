/** `waybill send`: a message to an agent, and with `--wait` what becomes of it. */
import type { NewMessage, WaybillClient } from "../../client/index.ts";

import { actionModes } from "../../core/message/message.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneLine, parseSpan, shortId } from "../output/words.ts";
import { textToSend } from "../text-to-send.ts";
import { checkedChoice, usageError } from "../usage-error.ts";
import { sendAndWatch } from "../wait-for-outcome.ts";

const help = `Usage: waybill send --lane ID [TEXT]
       waybill send --team TEAM --member MEMBER [TEXT]

Sends a message to an agent. Without TEXT, the text is read from standard input. It is safe to run this again with the
same --id: a message is taken once.

Options:
  --lane ID            the lane that it is for
  --team T --member M  the member of a team that it is for
  --wait               show what happens, until the delivery has an outcome; then print the answer
  --timeout SECONDS    stop waiting after so long; the delivery goes on (also: 90s, 10m, 1h)
  --mode MODE          what is wanted: do, ask, delegate or notify (needs no answer)
  --id ID              the id of the message; chosen by itself unless said otherwise
  --from NAME          who sends; "user" unless said otherwise
  --reply-to NAME      who gets the answer; the sender unless said otherwise
  --relay-of ID        the message that this one replies to
  --summary TEXT       a few words on what it is about
  --expires-in SPAN    give up if it could not be sent by then: 90s, 10m, 2h, 1d
  --json               one line of JSON; with --wait one for each event, and the delivery at the end

The answer goes to standard output, progress to standard error.

Exit codes: 0 answered (without --wait: sent), 3 failed for good, 4 cancelled or expired, 5 no daemon runs,
124 stopped waiting after --timeout, 130 stopped by Ctrl-C, 2 not understood, 1 any other error.

Examples:
  waybill send --lane chat "Is the build green?"
  waybill send --lane chat --wait --timeout 10m "Run the tests and fix what fails."
  git diff | waybill send --team core --member tom --mode ask --wait
  waybill send --lane chat -- "--dry-run: what does that do?"`;

export const send: Command = {
  name: "send",
  summary: "send a message to an agent, and wait for the answer",
  help,
  options: {
    lane: { type: "string", choices: "lanes" },
    team: { type: "string" },
    member: { type: "string" },
    wait: { type: "boolean" },
    timeout: { type: "string" },
    mode: { type: "string", choices: actionModes },
    id: { type: "string" },
    from: { type: "string" },
    "reply-to": { type: "string" },
    "relay-of": { type: "string" },
    summary: { type: "string" },
    "expires-in": { type: "string" },
  },
  async run(input, context) {
    const address = recipient(input);
    const timeoutMs = spanOf(input, "timeout", "24d");
    const fields = messageFields(input);
    if (timeoutMs !== null && !input.flag("wait")) throw usageError("--timeout goes with --wait", "send");
    return talk(context, async (client) => {
      const text = await textToSend(input.positionals, process.stdin, context.interrupted);
      const message: NewMessage = { to: address, text, source: "cli", ...fields };
      return input.flag("wait")
        ? sendAndWatch(client, message, timeoutMs, context)
        : justSend(client, message, context);
    });
  },
};

async function justSend(client: WaybillClient, message: NewMessage, { print, remark, json }: CommandContext) {
  const sent = await client.send(message);
  if (json) {
    print(JSON.stringify(sent));
    return exitCodes.ok;
  }
  print(`Message ${oneLine(sent.messageId)} is on its way (delivery ${shortId(sent.deliveryId)}, ${sent.status}).`);
  if (sent.queuedBehindMessageId !== undefined)
    remark(`It waits behind message ${oneLine(sent.queuedBehindMessageId)}.`);
  remark(`See what becomes of it: waybill why ${oneLine(sent.messageId)}`);
  return exitCodes.ok;
}

function recipient(input: CommandInput): NewMessage["to"] {
  const [lane, team, member] = [input.value("lane"), input.value("team"), input.value("member")];
  if (lane !== undefined && team === undefined && member === undefined) return { lane };
  if (lane === undefined && team !== undefined && member !== undefined) return { team, member };
  throw usageError("to whom? Either --lane ID, or --team TEAM and --member MEMBER", "send");
}

function messageFields(input: CommandInput): Partial<NewMessage> {
  const expiresInMs = spanOf(input, "expires-in", "365d");
  const mode = checkedChoice(input.value("mode"), actionModes, { option: "--mode", command: "send" });
  const named = {
    messageId: input.value("id"),
    from: input.value("from"),
    replyTo: input.value("reply-to"),
    relayOfMessageId: input.value("relay-of"),
    summary: input.value("summary"),
    expiresAt: expiresInMs === null ? undefined : new Date(Date.now() + expiresInMs).toISOString(),
    actionMode: mode,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** Timers hold no more than 24 days, and dates have an end as well. */
function spanOf(input: CommandInput, option: string, most: "24d" | "365d"): number | null {
  const value = input.value(option);
  if (value === undefined) return null;
  const ms = parseSpan(value);
  if (ms !== null && ms > 0 && ms <= (parseSpan(most) ?? 0)) return ms;
  throw usageError(`--${option} is a time like 90s, 10m or 2h, at most ${most}, not ${value}`, "send");
}
