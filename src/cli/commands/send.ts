/** `waybill send`: sends a message to an agent, and with `--wait` follows its delivery. */

import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Attachment, NewMessage, SendResult, WaybillClient } from "../../client/index.ts";
import { guessType, headBytes } from "../../core/message/file-type.ts";
import { actionModes, maxAttachments } from "../../core/message/message.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { flagOption, printResult, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { usageError } from "../errors.ts";
import { readMessageText } from "../message-text.ts";
import { oneLine, parseDuration, shortId } from "../output/format.ts";
import { sendAndWait } from "../send-and-wait.ts";

export const send: Command = {
  name: "send",
  summary: "send a message to an agent, and optionally wait for the answer",
  help: {
    usage: "--lane ID [TEXT]\n--team TEAM --member MEMBER [TEXT]",
    description: `Sends a message to an agent. Without TEXT, the text is read from standard input. Repeating the command with the same
--id is safe: a message is accepted only once. The answer goes to standard output, progress to standard error.`,
    json: "one line of JSON; with --wait, one for each event, and the delivery at the end",
    exitCodes: `0 answered (without --wait: sent), 3 failed for good, 4 cancelled or expired, 5 no daemon is running,
124 stopped waiting after --timeout, 130 stopped by Ctrl-C, 2 invalid command line, 1 any other error.`,
    examples: `waybill send --lane chat "Is the build green?"
waybill send --lane chat --wait --timeout 10m "Run the tests and fix what fails."
waybill send --lane chat --attach screen.png "What is wrong on this page?"
git diff | waybill send --team core --member tom --mode ask --wait
waybill send --lane chat -- "--dry-run: what does that do?"`,
  },
  options: {
    lane: textOption("ID", "the lane to send to", "lanes"),
    team: textOption("T", "the recipient's team"),
    member: textOption("M", "the team member to send to"),
    attach: { ...textOption("FILE", "attach a file (may be repeated)"), multiple: true },
    wait: flagOption("show progress until the delivery has an outcome, then print the answer"),
    timeout: textOption("DURATION", "stop waiting after this long: 90s, 10m, 1h; the delivery continues"),
    mode: textOption("MODE", "what you want: do, ask, delegate or notify (needs no answer)", actionModes),
    id: textOption("ID", "the message's id (default: generated)"),
    from: textOption("NAME", 'the sender (default: "user")'),
    "reply-to": textOption("NAME", "who gets the answer (default: the sender)"),
    "relay-of": textOption("ID", "the message that this one replies to"),
    summary: textOption("TEXT", "a short summary"),
    "expires-in": textOption("DURATION", "give up if it is not sent within this time: 90s, 10m, 2h, 1d"),
  },
  maxArguments: Number.POSITIVE_INFINITY,
  async run(input, context) {
    const to = recipient(input);
    const timeoutMs = durationOption(input, "timeout", "24d");
    const fields = messageFields(input);
    if (timeoutMs !== null && !input.flag("wait")) throw usageError("--timeout works only with --wait", "send");
    const files = await readAttachedFiles(input.values("attach"));
    return withDaemon(context, async (client) => {
      const text = await readMessageText(input.positionals, process.stdin, context.interrupted);
      const attachments = await storeAttachedFiles(client, files);
      const message: NewMessage = { to, text, source: "cli", ...fields, ...(files.length > 0 && { attachments }) };
      if (input.flag("wait")) return sendAndWait(client, message, timeoutMs, context);
      const sent = await client.send(message);
      const { deliveryId, status, queuedBehindMessageId: ahead, waits } = sent;
      const id = oneLine(sent.messageId);
      if (deliveryId === null) return printHandedOver(sent, context);
      printResult(context, sent, `Message ${id} is on its way (delivery ${shortId(deliveryId)}, ${status}).`);
      if (!context.json && ahead !== undefined) context.printNote(`It is queued behind message ${oneLine(ahead)}.`);
      if (!context.json && waits !== undefined) context.printNote(`It is waiting: ${oneLine(waits)}.`);
      if (!context.json) context.printNote(`Follow it: waybill why ${id}`);
      return 0;
    });
  },
};

/** For a recipient who reads a mailbox or an inbox file. */
function printHandedOver(sent: SendResult, context: CommandContext): number {
  const id = oneLine(sent.messageId);
  const { handOver, waits } = sent;
  if (handOver === undefined) return printResult(context, sent, `Message ${id} is in the recipient's mailbox.`);
  const place = handOver.state === "waiting" ? "is stored" : "is in the recipient's inbox file";
  printResult(context, sent, `Message ${id} ${place}.`);
  if (context.json) return 0;
  if (waits !== undefined) context.printNote(`It is waiting: ${oneLine(waits)}.`);
  if (handOver.reason === "cannot_answer") context.printNote(noAnswer);
  context.printNote(`To check on it: waybill show ${id}`);
  return 0;
}

const noAnswer = "No agent in that session can answer Waybill. To change that: waybill teams import DIR --join";

function recipient(input: CommandInput): NewMessage["to"] {
  const [lane, team, member] = [input.value("lane"), input.value("team"), input.value("member")];
  if (lane !== undefined && team === undefined && member === undefined) return { lane };
  if (lane === undefined && team !== undefined && member !== undefined) return { team, member };
  throw usageError("the recipient is missing: use either --lane ID, or --team TEAM and --member MEMBER", "send");
}

function messageFields(input: CommandInput): Partial<NewMessage> {
  const expiresInMs = durationOption(input, "expires-in", "365d");
  const fields = {
    messageId: input.value("id"),
    from: input.value("from"),
    replyTo: input.value("reply-to"),
    relayOfMessageId: input.value("relay-of"),
    summary: input.value("summary"),
    expiresAt: expiresInMs === null ? undefined : new Date(Date.now() + expiresInMs).toISOString(),
    actionMode: input.choice("mode", actionModes),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Limited because timers overflow after 24 days, and dates have a maximum too. */
function durationOption(input: CommandInput, option: string, max: "24d" | "365d"): number | null {
  const value = input.value(option);
  if (value === undefined) return null;
  const ms = parseDuration(value);
  if (ms !== null && ms > 0 && ms <= (parseDuration(max) ?? 0)) return ms;
  throw usageError(`--${option} must be a duration like 90s, 10m or 2h, at most ${max}, not ${value}`, "send");
}

type LocalFile = { name: string; mimeType: string; content: Uint8Array<ArrayBuffer> };

/** Far above the daemon's default limit. Without it, a disk image would fill the memory. */
const maxReadBytes = 1_000_000_000;

/** `--attach FILE`: reads every file before anything is sent, then uploads them to the daemon. */
async function readAttachedFiles(paths: readonly string[]): Promise<LocalFile[]> {
  if (paths.length > maxAttachments) throw usageError(`a message can have at most ${maxAttachments} files`, "send");
  const files: LocalFile[] = [];
  for (const path of paths) files.push(await readAttachedFile(path));
  return files;
}

async function readAttachedFile(path: string): Promise<LocalFile> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw unusable(path, "is a directory", "Attach its files one by one.");
    // Opening a pipe would wait for a writer.
    if (!found.isFile()) throw unusable(path, "is not a regular file", "Copy its content into a file first.");
    if (found.size > maxReadBytes) throw unusable(path, "is too large", "Give its path in the text instead.");
    const content = new Uint8Array(await readFile(path));
    const name = basename(resolve(path));
    return { name, mimeType: guessType(name, content.subarray(0, headBytes)), content };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "ENOENT" ? "does not exist" : `cannot be read: ${messageOf(error)}`;
    throw unusable(path, problem, "Check the path. Nothing was sent.");
  }
}

async function storeAttachedFiles(client: WaybillClient, files: readonly LocalFile[]): Promise<Attachment[]> {
  const stored: Attachment[] = [];
  for (const { content, ...about } of files) stored.push(await client.attach(content, about));
  return stored;
}

function unusable(path: string, problem: string, hint: string): AppError {
  return new AppError({ code: "file_unusable", message: `The file ${path} ${problem}.`, hint });
}
