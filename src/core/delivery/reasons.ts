/** Reasons of deliveries: their codes, and the same in plain words, shown to people next to the code. Pure. */

/** Why a text is not an answer; these codes select the retry text. */
export const reasons = {
  acknowledgement: "visible_reply_ack_only_still_requires_answer",
  progress: "progress_still_requires_outcome",
  failedSend: "reply_not_delivered",
  failedWork: "work_failed",
  notice: "answer_reads_like_provider_error",
} as const;

/** For a message that may have been sent before its record was lost, if the agent's sessions cannot be searched. */
export const mayHaveBeenSent = "may_have_been_sent_before";

/** For a row in an inbox file whose body changed after its message was admitted. */
export const payloadMismatch = "payload_mismatch";

/** For a message whose sender wrote another one while it waited for a retry. */
export const superseded = "superseded_by_later_message";

/** Noted on a delivery whose read flag could not be written when a person released its lane. */
export const readReleased = "read_released_by_person";

/** For a message with files that its recipient cannot receive. It is never sent as text alone. */
export const attachmentsNotSupported = "attachments_not_supported";

/** For a message that waits because the limit of lanes working for its source is reached. */
export const tooManyTurns = "too_many_turns_running";

/**
 * Each is the start of a sentence. Errors from programs and from the system are not listed: they are already
 * sentences.
 */
const clauses: Readonly<Record<string, string>> = {
  no_response: "The agent said nothing",
  empty_assistant_turn: "The agent said nothing",
  [reasons.acknowledgement]: "The agent only acknowledged the message",
  [reasons.progress]: "The agent only reported progress",
  [reasons.failedSend]: "The agent's reply did not arrive",
  [reasons.failedWork]: "The agent's work failed",
  [reasons.notice]: "The answer reads like an error from the model's provider",
  visible_reply_still_required: "The agent used tools but did not reply",

  permission_pending: "The agent is waiting for a permission",
  question_pending: "The agent is waiting for an answer to its question",
  ask_pending: "The agent is waiting for a person",
  ask_rejected: "A person refused what the agent asked for",
  tool_runs_long: "A tool has been running for a long time",

  provider_billing: "The model's provider requires payment first",
  provider_auth: "The model's provider did not accept the credentials",
  provider_organization: "The model's provider does not let this account use the model",
  provider_key_limit: "The key for the model's provider has reached its limit",
  provider_rate_limit: "The model's provider limits the rate of requests",
  provider_overloaded: "The model's provider is overloaded",
  provider_context_length: "The session is too long for the model",
  provider_rejected: "The model's provider rejected the request itself",
  assistant_error: "The turn ended with an error",
  tool_error: "A tool failed, and the agent said nothing more",
  turn_interrupted: "The turn was cut off",

  delivered_user_message_not_found: "The prompt is not in the agent's transcript",
  never_run: "The agent has the prompt but has not started to work on it",
  coalesced: "The prompt was merged with a later one",
  prompt_not_taken_yet: "The agent's program has not taken the prompt yet",
  prompt_not_stored_yet: "The agent's program has not stored the prompt yet",
  an_earlier_program_still_works: "A program from before the last start is still working in this session",
  program_ended: "The agent's program ended while it was receiving the prompt",
  reconcile_failed: "The agent's transcript could not be read",

  session_stale: "The agent's session is no longer usable",
  session_stuck: "The agent's session was busy for a long time without any activity",
  session_busy: "The agent's session is busy with something else",
  session_replaced: "The agent's session was replaced",
  abort_did_not_stop_the_session: "The agent's session did not stop when it was told to",
  agent_unavailable: "The agent's program is unavailable",
  agent_refused: "The agent's program refused the prompt",
  runtime_not_active: "The agent's program is not running",
  recipient_runtime_identity_changed: "The lane was moved to another program",
  lane_paused: "The lane is paused",
  lane_removed: "The lane was removed",
  automatic_retry_is_off: "Automatic retries are turned off",
  loop_guard: "The two agents only write to each other",
  [mayHaveBeenSent]: "It may have been sent before",

  [superseded]: "Its sender wrote another message while it waited for a retry",
  [payloadMismatch]: "Its row in the inbox file changed after it was admitted",
  [attachmentsNotSupported]: "The agent's program does not accept these files",
  attachment_unknown: "A file of the message is missing",
  attachment_mismatch: "A file does not match the message",
  system_not_supported: "The agent's program accepts no instructions with a message",
  system_prompt_unusable: "The file with the instructions cannot be used",
  message_gone: "The message itself no longer exists",

  stopped_by_person: "A person stopped it",
  stopped_in_session: "Somebody stopped it in the agent's own session",
  stopped_before_it_was_sent: "A person stopped it before it was sent",
  cancelled_by_person: "A person cancelled it",
  released_by_person: "A person released the lane",
  withdrawn: "Its sender withdrew it",
  expired: "It expired",
};

/** The codes that have words. */
export const explainedReasons: readonly string[] = Object.keys(clauses);

const isCode = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/**
 * The start of a sentence, without its full stop. A reason is a code, a code with details, or a program's own words.
 * Null for a code without words.
 */
export function reasonClause(reason: string): string | null {
  const [code = "", ...details] = reason.split(": ");
  const clause = clauses[code];
  const detail = withoutStop(details.join(": "));
  if (clause !== undefined) return detail === "" ? clause : `${clause} (${detail})`;
  return isCode.test(reason) ? null : withoutStop(reason);
}

/** The full sentence. A code without words is named. */
export function reasonSentence(reason: string): string {
  return `${reasonClause(reason) ?? `The reason is ${reason}`}.`;
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, "");
}
