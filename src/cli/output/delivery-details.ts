/** Everything known about a delivery or a message, as lines. Pure. */
import type { DeliveryDetail, Message } from "../../client/index.ts";
import { recipientName } from "../../client/index.ts";
import { attachmentLines, missingFilesLines, outcomeNote, statusStyle } from "./describe-delivery.ts";
import { ago, formatDuration, inParentheses, oneLine, until } from "./format.ts";
import { fieldLines } from "./table.ts";
import type { Paint } from "./terminal.ts";
import { printable } from "./terminal.ts";

type Attempt = DeliveryDetail["attemptList"][number];

export function deliveryLines(delivery: DeliveryDetail, paint: Paint, now: number): string[] {
  const { status, reason, message, replies, next, repairs, evidence } = delivery;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", paint("bold", title), ...lines];
  const due = next.at === null ? "" : ` (${until(next.at, now)})`;
  const fields = fieldLines(
    [
      ["delivery", oneLine(delivery.id)],
      ["message", oneLine(delivery.messageId)],
      ["lane", oneLine(delivery.lane)],
      ["status", paint(statusStyle[status], status) + inParentheses(reason)],
      ["seen", delivery.responseState],
      [
        "attempts",
        `${delivery.attempts} of ${delivery.maxAttempts}${repairs === 0 ? "" : `, plus ${repairs} to repair the session`}`,
      ],
      ["admitted", ago(delivery.createdAt, now)],
      ["expires", delivery.expiresAt === null ? null : until(delivery.expiresAt, now)],
      ["behind", lineOrNull(delivery.queuedBehindMessageId ?? null)],
      ["next", oneLine(next.words) + due],
      ["notes", delivery.diagnostics.map(oneLine).join("\n") || null],
    ],
    paint,
  );
  const messages = [message, ...replies].filter((one) => one !== null);
  return [
    ...fields,
    ...section(
      "Messages",
      fieldLines(
        [
          ...messages.map((one) => [oneLine(one.from), textLines(one).join("\n")] as const),
          ...missingFilesLines(delivery).map((line) => ["", line] as const),
        ],
        (_style, text) => paint("cyan", text),
      ),
    ),
    ...section(
      "Attempts",
      delivery.attemptList.flatMap((attempt) => [attemptLine(attempt, now), ...timingLine(attempt, paint)]),
    ),
    ...section("Evidence", evidenceLines(evidence, paint, now)),
    ...section(
      "History",
      delivery.audit.map(({ at, event, reason: why, by }) => {
        const time = at.replace("T", " ").replace(/\.\d+Z$/, "Z");
        const details = [why === null ? "" : `  (${oneLine(why)})`, by === null ? "" : `  by ${oneLine(by)}`];
        return `${paint("dim", time)}  ${event}${details.join("")}`;
      }),
    ),
  ];
}

export function messageLines(message: Message, paint: Paint, now: number): string[] {
  const { to, lane, relayOfMessageId, createdAt, readAt, handOver } = message;
  return [
    ...fieldLines(
      [
        ["message", oneLine(message.id)],
        ["from", oneLine(message.from)],
        ["to", oneLine("lane" in to ? `lane ${to.lane}` : recipientName(to))],
        ["lane", lineOrNull(lane)],
        ["reply to", lineOrNull(relayOfMessageId)],
        ["written", ago(createdAt, now)],
        ["read", readAt === null ? "not yet" : ago(readAt, now)],
        ["inbox file", handOver && handOverText(handOver, now)],
      ],
      paint,
    ),
    "",
    ...textLines(message),
  ];
}

function textLines(message: Message): string[] {
  return [...(printable(message.text) + outcomeNote(message)).split("\n"), ...attachmentLines(message)];
}

type HandOver = NonNullable<Message["handOver"]>;

const handOverWords: Record<HandOver["state"], string> = {
  waiting: "not written yet",
  handed_over: "written; not known yet whether it was read",
  taken: "taken by the recipient, which is not an answer",
  gone: "removed from the file: taken or lost",
};

function handOverText({ state, reason, changedAt }: HandOver, now: number): string {
  return `${handOverWords[state]}${inParentheses(reason)}, ${ago(changedAt, now)}`;
}

function lineOrNull(text: string | null): string | null {
  return text === null ? null : oneLine(text);
}

function attemptLine({ number, kind, because, sends, sessionId, submittedAt }: Attempt, now: number): string {
  const again = sends > 1 ? `, sent ${sends} times` : "";
  const session = `in session ${oneLine(sessionId)}`;
  return `${number}  ${oneLine(kind)}${inParentheses(because)}  ${ago(submittedAt, now)}${again}  ${session}`;
}

/** How long after the submission each known step happened. */
export function timingLine(attempt: Attempt, paint: Paint): string[] {
  const steps = [
    ["stored", attempt.storedAt],
    ["first token", attempt.firstTokenAt],
    ["finished", attempt.finishedAt],
    ["proven", attempt.provenAt],
  ] as const;
  const sentAt = Date.parse(attempt.submittedAt);
  const known = steps.flatMap(([step, at]) =>
    at === null ? [] : [`${step} ${formatDuration(Date.parse(at) - sentAt)}`],
  );
  return known.length === 0 ? [] : [paint("dim", `   after sending: ${known.join(", ")}`)];
}

function evidenceLines(evidence: DeliveryDetail["evidence"], paint: Paint, now: number): string[] {
  const { proof, toolNames, assistantMessageId, deliveredUserMessageId, observedAt, turnEndedAt } = evidence;
  return fieldLines(
    [
      ["proof", proof],
      ["prompt", lineOrNull(deliveredUserMessageId)],
      ["answer", lineOrNull(assistantMessageId)],
      ["tools", toolNames.map(oneLine).join(", ") || null],
      ["observed", observedAt === null ? null : ago(observedAt, now)],
      ["turn ended", turnEndedAt === null ? null : ago(turnEndedAt, now)],
      ["read flag", lineOrNull(evidence.readCommitError)],
    ],
    paint,
  );
}
