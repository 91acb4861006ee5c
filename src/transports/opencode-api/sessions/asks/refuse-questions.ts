/**
 * For a client that cannot answer questions, such as `opencode run`: a question would keep it waiting for its answer
 * forever, so it is rejected on the client's behalf.
 */
import { AppError } from "../../../../platform/app-error.ts";
import type { Service } from "../../../../service/service.ts";

/** `after` is a cursor from before the prompt was sent: its agent may ask immediately. */
type Prompted = { lane: string; after: string; signal: AbortSignal };

/** Runs until `signal` is aborted. */
export async function refuseQuestions(
  service: Pick<Service, "answer" | "follow">,
  { lane, after, signal }: Prompted,
): Promise<void> {
  for await (const item of service.follow({ after, lane, types: ["question.requested"], signal })) {
    if (item.type !== "event" || item.event.type !== "question.requested") continue;
    try {
      await service.answer(item.event.data.ask, { decision: "reject" });
    } catch (error) {
      // Someone else has answered it.
      if (!(error instanceof AppError) || error.code !== "ask_unknown") throw error;
    }
  }
}
