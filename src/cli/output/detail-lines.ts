/** A delivery, or a message, with all that is known of it. Pure. */
import type { DeliveryDetail, Message } from "../../client/index.ts";
import { fieldLines } from "./field-lines.ts";
import { statusStyle } from "./outcome-lines.ts";
import type { Paint } from "./terminal.ts";
import { printable } from "./terminal.ts";
import { ago, oneLine, span, until } from "./words.ts";

export function deliveryLines(delivery: DeliveryDetail, paint: Paint, now: number): string[] {
  const { status, reason, message, replies, next, evidence } = delivery;
  const titled = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", paint("bold", title), ...lines];
  return [
    ...fieldLines(
      [
        ["delivery", oneLine(delivery.id)],
        ["message", oneLine(delivery.messageId)],
        ["lane", oneLine(delivery.lane)],
        ["status", paint(statusStyle[status], status) + (reason === undefined ? "" : ` (${oneLine(reason)})`)],
        ["seen", delivery.responseState],
        ["attempts", `${delivery.attempts} of ${delivery.maxAttempts}${repairsOf(delivery)}`],
        ["admitted", ago(delivery.createdAt, now)],
        ["expires", delivery.expiresAt === null ? null : until(delivery.expiresAt, now)],
        ["behind", delivery.queuedBehindMessageId === undefined ? null : oneLine(delivery.queuedBehindMessageId)],
        ["next", `${oneLine(next.words)}${next.at === null ? "" : ` (${until(next.at, now)})`}`],
        ["notes", delivery.diagnostics.length === 0 ? null : delivery.diagnostics.map(oneLine).join("\n")],
      ],
      paint,
    ),
    ...titled(
      "What was said",
      said(
        [message, ...replies].filter((one) => one !== null),
        paint,
      ),
    ),
    ...titled(
      "Attempts",
      delivery.attemptList.flatMap((attempt) => [attemptLine(attempt, now), ...timingLine(attempt, paint)]),
    ),
    ...titled("Evidence", evidenceLines(evidence, paint, now)),
    ...titled(
      "History",
      delivery.audit.map(({ at, event, reason: why, by }) =>
        [
          paint("dim", clock(at)),
          event,
          why === null ? "" : `(${oneLine(why)})`,
          by === null ? "" : `by ${oneLine(by)}`,
        ]
          .filter((part) => part !== "")
          .join("  "),
      ),
    ),
  ];
}

export function messageLines(message: Message, paint: Paint, now: number): string[] {
  const { to, lane, relayOfMessageId, createdAt, readAt } = message;
  return [
    ...fieldLines(
      [
        ["message", oneLine(message.id)],
        ["from", oneLine(message.from)],
        ["to", oneLine("lane" in to ? `lane ${to.lane}` : to.person)],
        ["lane", lane === null ? null : oneLine(lane)],
        ["reply to", relayOfMessageId === null ? null : oneLine(relayOfMessageId)],
        ["written", ago(createdAt, now)],
        ["read", readAt === null ? "not yet" : ago(readAt, now)],
      ],
      paint,
    ),
    "",
    ...printable(message.text).split("\n"),
  ];
}

function repairsOf({ repairs }: DeliveryDetail): string {
  return repairs === 0 ? "" : `, and ${repairs} to repair the session`;
}

function said(messages: readonly Message[], paint: Paint): string[] {
  const fields = messages.map(({ from, text }) => [oneLine(from), printable(text)] as const);
  return fieldLines(fields, (_style, words) => paint("cyan", words));
}

function attemptLine(attempt: DeliveryDetail["attemptList"][number], now: number): string {
  const { number, kind, because, sends, sessionId, submittedAt } = attempt;
  const why = because === null ? "" : ` (${oneLine(because)})`;
  const again = sends > 1 ? `, sent ${sends} times` : "";
  return `${number}  ${oneLine(kind)}${why}  ${ago(submittedAt, now)}${again}  in session ${oneLine(sessionId)}`;
}

/** How long after it was sent each thing happened, as far as that is known. */
export function timingLine(attempt: DeliveryDetail["attemptList"][number], paint: Paint): string[] {
  const { storedAt, firstTokenAt, finishedAt, provenAt } = attempt;
  const steps: [string, string | null][] = [
    ["stored", storedAt],
    ["first token", firstTokenAt],
    ["finished", finishedAt],
    ["proven", provenAt],
  ];
  const sent = Date.parse(attempt.submittedAt);
  const known = steps.flatMap(([what, at]) => (at === null ? [] : [`${what} ${span(Date.parse(at) - sent)}`]));
  return known.length === 0 ? [] : [paint("dim", `   after sending: ${known.join(", ")}`)];
}

function evidenceLines(evidence: DeliveryDetail["evidence"], paint: Paint, now: number): string[] {
  const { proof, toolNames, assistantMessageId, deliveredUserMessageId, observedAt, turnEndedAt } = evidence;
  return fieldLines(
    [
      ["proof", proof],
      ["prompt", deliveredUserMessageId === null ? null : oneLine(deliveredUserMessageId)],
      ["answer", assistantMessageId === null ? null : oneLine(assistantMessageId)],
      ["tools", toolNames.length === 0 ? null : toolNames.map(oneLine).join(", ")],
      ["looked at", observedAt === null ? null : ago(observedAt, now)],
      ["turn ended", turnEndedAt === null ? null : ago(turnEndedAt, now)],
      ["read flag", evidence.readCommitError === null ? null : oneLine(evidence.readCommitError)],
    ],
    paint,
  );
}

function clock(time: string): string {
  return time.replace("T", " ").replace(/\.\d+Z$/, "Z");
}
