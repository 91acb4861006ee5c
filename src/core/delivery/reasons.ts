/** Why words are no answer, in the words that pick the retry text. */
export const reasons = {
  acknowledgement: "visible_reply_ack_only_still_requires_answer",
  progress: "progress_still_requires_outcome",
  failedSend: "reply_not_delivered",
  failedWork: "work_failed",
  notice: "answer_reads_like_provider_error",
} as const;

/** Of a message that may have been sent before its record was lost, where the agent's sessions cannot be searched. */
export const mayHaveBeenSent = "may_have_been_sent_before";

/** Of a row in an inbox file whose body changed after its message was admitted. */
export const payloadMismatch = "payload_mismatch";

/** Of a message that waited for its next try when its sender wrote on. */
export const superseded = "superseded_by_later_message";

/** Noted of a delivery whose read flag could not be written when a person gave its lane back. */
export const readReleased = "read_released_by_person";

/** Of a message with files that its recipient cannot get. It is never sent as text alone. */
export const attachmentsNotSupported = "attachments_not_supported";

/** Of a message that waits because as many lanes work on messages of its source as may. */
export const tooManyTurns = "too_many_turns_running";
