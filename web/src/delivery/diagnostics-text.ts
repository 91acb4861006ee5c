/** Diagnostics of a delivery, as fields and as text. Never what was said in it. Pure. */
import type { DeliveryDetail, Version } from "waybill/client";
import type { Step } from "./attempt-groups.ts";
import { stepsOf } from "./attempt-groups.ts";
import { timingSummary } from "./timing-summary.ts";

export type Field = { name: string; value: string };

type VersionFacts = Pick<Version, "version" | "runId">;

export function diagnosticFields(detail: DeliveryDetail, version: VersionFacts | null): Field[] {
  const { evidence, next } = detail;
  const times = timingSummary(detail);
  const fields: Record<string, string | number | null | undefined> = {
    delivery: detail.id,
    message: detail.messageId,
    lane: detail.lane,
    source: detail.source,
    intent: detail.actionMode,
    status: detail.status,
    seen: detail.responseState,
    reason: detail.reason,
    held: detail.heldReason,
    "acceptance unknown": detail.acceptanceUnknown ? "yes" : null,
    "queued behind": detail.queuedBehindMessageId,
    attempts: `${detail.attempts} of ${detail.maxAttempts}${detail.repairs === 0 ? "" : `, ${detail.repairs} repairs`}`,
    next: `${next.step}${next.at === null ? "" : ` at ${next.at}`}`,
    proof: evidence.proof,
    outcome: evidence.outcome,
    correlation: evidence.visibleReply?.correlation,
    "reply message": evidence.visibleReply?.messageId,
    runtime: evidence.runtime,
    session: evidence.sessionId,
    "prompt row": evidence.deliveredUserMessageId,
    "agent row": evidence.assistantMessageId,
    tools: evidence.toolNames.join(", "),
    "read error": evidence.readCommitError,
    admitted: detail.createdAt,
    "sent after": milliseconds(times.sent),
    "accepted after": milliseconds(times.accepted),
    "first token after": milliseconds(times.firstToken),
    "proven after": milliseconds(times.proven),
    notes: detail.diagnostics.join("; "),
    "missing files": detail.missingFiles.length === 0 ? null : String(detail.missingFiles.length),
    "payload hash": detail.payloadHash,
    "record version": detail.version,
    waybill: version?.version,
    run: version?.runId,
  };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined || value === "" ? [] : [{ name, value: String(value) }],
  );
}

export function diagnosticText(detail: DeliveryDetail, version: VersionFacts | null): string {
  return [
    ...diagnosticFields(detail, version).map(({ name, value }) => `${name}: ${value}`),
    "",
    "attempts",
    ...detail.attemptList.map(attemptLine),
    "",
    "history",
    ...stepsOf(detail.audit).map(stepLine),
  ].join("\n");
}

function stepLine({ row: { at, event, reason, by }, times, until }: Step): string {
  return words([
    at,
    event,
    reason && `(${reason})`,
    by && `by ${by}`,
    times > 1 ? `${times} times until ${until}` : null,
  ]);
}

function attemptLine(attempt: DeliveryDetail["attemptList"][number]): string {
  const { number, kind, because, sends, sessionId, runtimeMessageId, submittedAt } = attempt;
  const since = (name: string, at: string | null) =>
    at && `${name} ${milliseconds(Date.parse(at) - Date.parse(submittedAt))}`;
  return words([
    `${number} ${kind}`,
    because && `(${because})`,
    `at ${submittedAt}`,
    sends > 1 ? `sent ${sends} times` : null,
    `session ${sessionId}`,
    `prompt ${runtimeMessageId}`,
    since("stored", attempt.storedAt),
    since("first token", attempt.firstTokenAt),
    since("finished", attempt.finishedAt),
    since("proven", attempt.provenAt),
  ]);
}

function milliseconds(ms: number | null): string | null {
  return ms === null ? null : `${ms} ms`;
}

function words(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join(" ");
}
