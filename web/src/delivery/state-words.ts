/** Short labels next to the daemon's own sentences. Pure. */
import type { Tone } from "../ui/note.tsx";
import type { Attempt } from "./attempt-groups.ts";

const tones: Readonly<Record<string, Tone>> = {
  rebuilt: "wait",
  submit: "busy",
  submit_follow_up: "busy",
  send_again: "busy",
  accepted: "busy",
  acceptance_unknown: "wait",
  not_sent: "wait",
  proven: "good",
  unanswered: "wait",
  failed_retryable: "wait",
  failed_terminal: "bad",
  retry_scheduled: "wait",
  read_commit_failed: "bad",
  retried_by_person: "busy",
};

/** The tone of an audit event. */
export function eventTone(event: string): Tone {
  return tones[event] ?? "plain";
}

const kinds: Readonly<Record<string, string>> = {
  prompt: "The message itself",
  retry: "Asked again",
  summary: "Asked for a summary of its work",
  follow_up: "Asked about missing files",
};

export function attemptWords({ kind }: Pick<Attempt, "kind">): string {
  return kinds[kind] ?? kind.replaceAll("_", " ");
}
