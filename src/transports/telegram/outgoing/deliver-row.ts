/**
 * Sends one outbox row to its chat, a part at a time. It tries a rich message first, then plain text if the server
 * refuses that or is older, and a file if it refuses any text.
 */
import { open } from "node:fs/promises";
import type { Api } from "grammy";
import { InputFile } from "grammy";
import type { Delivered } from "../../../mail/outbox/outbox.ts";
import type { OutboxRow, TransportBox } from "../../../mail/outbox/transport-box.ts";
import type { SendProblem } from "../bot-api.ts";
import { classifyError, grammySignal, tooManyRequests } from "../bot-api.ts";
import type { ServerAbilities } from "./call-bot-api.ts";
import { editPart, markupOf, placeOf, richOrPlain, sendPart } from "./call-bot-api.ts";
import type { ChatRow, Phase } from "./chat-row.ts";
import { countParts, messageOf } from "./chat-row.ts";
import type { Style } from "./parts.ts";
import { nextPart } from "./parts.ts";

export type DeliverDeps = {
  api: Api;
  box: Pick<TransportBox, "row">;
  server: ServerAbilities;
  phaseNow: (delivery: string) => Promise<Phase>;
  onMigrated: (from: number, to: number) => Promise<void>;
  onUnauthorized: () => void;
};

type Calls = DeliverDeps & { signal: AbortSignal };
type RowOf<Kind extends ChatRow["kind"]> = Extract<ChatRow, { kind: Kind }>;
/** How to send the next part. Each refusal removes one of these. */
type Target = { chat: number; thread: number | null; edit: number | null; replyTo: number | null; style: Style };

/** An unreachable chat is retried after this, or as soon as something comes from it. */
const unreachableMs = 60 * 60 * 1000;

/** A pause that the server asked for is kept. Any other retry may happen as soon as the chat is active. */
export function mayRetryNow({ reason }: Pick<OutboxRow, "reason">): boolean {
  return reason !== tooManyRequests;
}

export async function deliverRow(row: OutboxRow, deps: DeliverDeps, signal: AbortSignal): Promise<Delivered> {
  const body = row.body as ChatRow;
  const chat = Number(row.channel);
  const calls = { ...deps, signal };
  switch (body.kind) {
    case "text": {
      if (await isOutdated(body, deps)) return { outcome: "sent", ref: null };
      const edit = await replacedBy(row, body, deps);
      const style = deps.server.hasRichMessages ? "rich" : "plain";
      return deliverText(row, body, { chat, thread: body.thread, edit, replyTo: body.replyTo ?? null, style }, calls);
    }
    case "edit":
    case "delete": {
      const message = messageOf((await deps.box.row(body.of))?.refs ?? []);
      if (message === null) return { outcome: "sent", ref: null };
      const change = () =>
        body.kind === "edit"
          ? editText({ chat, message }, body, calls)
          : deps.api.deleteMessage(chat, message, grammySignal(signal));
      return attempt(change, { chat, ref: { message } }, deps);
    }
    case "react": {
      const reaction = body.emoji === null ? [] : [{ type: "emoji" as const, emoji: body.emoji as "👀" }];
      const react = () => deps.api.setMessageReaction(chat, body.message, reaction, {}, grammySignal(signal));
      return attempt(react, { chat, ref: null }, deps);
    }
    case "file":
      return deliverFile(body, chat, calls);
    default:
      return body satisfies never;
  }
}

async function isOutdated({ onlyWhile }: RowOf<"text">, { phaseNow }: DeliverDeps): Promise<boolean> {
  return onlyWhile !== undefined && (await phaseNow(onlyWhile.delivery)) !== onlyWhile.phase;
}

/** Only the first part can replace another message. */
async function replacedBy(row: OutboxRow, { replaces }: RowOf<"text">, { box }: DeliverDeps): Promise<number | null> {
  if (row.refs.length > 0) return null;
  for (const key of replaces ?? []) {
    const message = messageOf((await box.row(key))?.refs ?? []);
    if (message !== null) return message;
  }
  return null;
}

async function deliverText(row: OutboxRow, body: RowOf<"text">, target: Target, calls: Calls): Promise<Delivered> {
  const { chat, thread, edit, replyTo } = target;
  const asFile = (text: string) =>
    deliverFile({ kind: "file", thread, name: "answer.md", source: { text } }, chat, calls);
  const next = nextPart(body.markdown, countParts(row.refs), target.style);
  if (next.kind === "done") return { outcome: "sent", ref: null };
  if (next.kind === "file") return asFile(next.text);
  const { part, isLast } = next;
  const { style } = part;
  const taken = (message: number | null): Delivered => ({ outcome: isLast ? "sent" : "part", ref: { message, style } });
  const buttons = isLast ? body.buttons : undefined;
  const forceReply = isLast && body.forceReply ? { reply_markup: { force_reply: true, selective: true } as const } : {};
  const place = placeOf(thread, row.refs.length === 0 ? replyTo : null);
  try {
    if (edit === null)
      return taken(await sendPart(part, chat, { ...place, ...markupOf(buttons), ...forceReply }, calls));
    await editPart(part, { chat, message: edit }, buttons, calls);
    return taken(edit);
  } catch (error) {
    const problem = classifyError(error);
    if (problem.kind === "not_modified") return taken(edit);
    if (problem.kind === "unknown_method" && style === "rich") calls.server.hasRichMessages = false;
    const other = otherTarget(problem.kind, target);
    if (other) return deliverText(row, body, other, calls);
    // A file instead of giving up, because a person waits for this.
    return problem.kind === "refused_content" ? asFile(body.markdown) : settle(problem, chat, calls);
  }
}

/** The next simpler form to try; null if there is none. */
function otherTarget(problem: SendProblem["kind"], target: Target): Target | null {
  const { style, thread, edit, replyTo } = target;
  switch (problem) {
    case "unknown_method":
      return style === "rich" ? { ...target, style: "plain" } : null;
    case "refused_content":
      if (style === "rich") return { ...target, style: "plain" };
      return edit === null ? null : { ...target, edit: null };
    case "thread_gone":
      return thread === null ? null : { ...target, thread: null };
    case "message_gone":
      return edit === null ? null : { ...target, edit: null };
    case "reply_gone":
      return replyTo === null ? null : { ...target, replyTo: null };
    default:
      return null;
  }
}

/** A text that is too long shows its beginning. */
function editText(of: { chat: number; message: number }, row: RowOf<"edit">, calls: Calls): Promise<void> {
  return richOrPlain(calls.server, async (style) => {
    const first = nextPart(row.markdown, countParts([]), style);
    if (first.kind === "part") await editPart(first.part, of, row.buttons, calls);
  });
}

async function deliverFile(body: RowOf<"file">, chat: number, calls: Calls): Promise<Delivered> {
  const { name, thread, caption, replyTo = null } = body;
  const content = await contentOf(body);
  // A retry would not find it either, and would block the chat forever.
  if (content === null) return { outcome: "failed", reason: "file_gone" };
  const options = { ...placeOf(thread, replyTo), ...(caption === undefined ? {} : { caption }) };
  try {
    const file = new InputFile(content, name);
    const sent = await calls.api.sendDocument(chat, file, options, grammySignal(calls.signal));
    return { outcome: "sent", ref: { message: sent.message_id, style: "plain" } };
  } catch (error) {
    const problem = classifyError(error);
    if (problem.kind === "thread_gone" && thread !== null) return deliverFile({ ...body, thread: null }, chat, calls);
    return settle(problem, chat, calls);
  }
}

async function contentOf({ source }: RowOf<"file">) {
  if ("text" in source) return Buffer.from(source.text);
  try {
    return (await open(source.path)).createReadStream();
  } catch {
    return null;
  }
}

/** For calls that may fail without anyone missing the result. */
async function attempt(
  call: () => Promise<unknown>,
  { chat, ref }: { chat: number; ref: unknown },
  deps: DeliverDeps,
): Promise<Delivered> {
  try {
    await call();
    return { outcome: "sent", ref };
  } catch (error) {
    const problem = classifyError(error);
    const isMoot = ["not_modified", "message_gone", "reply_gone", "refused_content", "thread_gone", "unknown_method"];
    return isMoot.includes(problem.kind) ? { outcome: "sent", ref } : settle(problem, chat, deps);
  }
}

/** What becomes of a row when no simpler form is left to try: a retry, another chat, or failure. */
async function settle(problem: SendProblem, chat: number, deps: DeliverDeps): Promise<Delivered> {
  switch (problem.kind) {
    case "later":
      return { outcome: "later", afterMs: problem.afterMs, reason: problem.reason };
    case "migrated":
      await deps.onMigrated(chat, problem.to);
      return { outcome: "moved", to: String(problem.to) };
    case "unreachable":
      return { outcome: "later", afterMs: unreachableMs, reason: problem.reason };
    // The forum's general topic is closed, and may be reopened.
    case "thread_gone":
      return { outcome: "later", afterMs: unreachableMs, reason: problem.kind };
    case "unauthorized":
      deps.onUnauthorized();
      return { outcome: "later", afterMs: null, reason: "token_refused" };
    case "refused_content":
      return { outcome: "failed", reason: problem.reason };
    case "message_gone":
    case "reply_gone":
    case "not_modified":
      return { outcome: "failed", reason: problem.kind };
    case "unknown_method":
      return { outcome: "later", afterMs: null, reason: problem.kind };
    default:
      return problem satisfies never;
  }
}
