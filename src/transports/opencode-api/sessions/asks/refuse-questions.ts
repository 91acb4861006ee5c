/**
 * For a client that has said of its session that nobody there can answer questions, as `opencode run` does: while it
 * waits for an answer to its prompt, a question would keep it waiting for good, and is refused on its behalf.
 */
import { AppError } from "../../../../app-error.ts";
import type { Service } from "../../../../service/service.ts";

type Deps = { service: Pick<Service, "answer" | "followEvents"> };
/** `after` is a cursor from before the prompt was sent: its agent may ask at once. */
type Asking = { lane: string; after: string; signal: AbortSignal };

/** Goes on until `signal` is aborted. */
export async function refuseQuestions({ service }: Deps, { lane, after, signal }: Asking): Promise<void> {
  for await (const told of service.followEvents({ after, lane, signal })) {
    if (told.type !== "event" || told.event.type !== "question.requested") continue;
    try {
      await service.answer(told.event.data.ask, { decision: "reject" });
    } catch (error) {
      // Somebody else has answered it.
      if (!(error instanceof AppError) || error.code !== "ask_unknown") throw error;
    }
  }
}
