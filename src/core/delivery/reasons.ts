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
