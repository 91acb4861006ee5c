/** What becomes of a row when no simpler form is left to try: a retry, another chat, or failure. */
import type { Delivered } from "../../../mail/outbox/outbox.ts";
import type { SendProblem } from "../classify-error.ts";

export type SettleDeps = {
  onMigrated: (from: number, to: number) => Promise<void>;
  onUnauthorized: () => void;
};

/** An unreachable chat is retried after this, or as soon as something comes from it. */
const unreachableMs = 60 * 60 * 1000;

export async function settle(problem: SendProblem, chat: number, deps: SettleDeps): Promise<Delivered> {
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
