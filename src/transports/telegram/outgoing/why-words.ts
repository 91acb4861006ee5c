/** The core's explanation of a delivery, for a chat: without the ids of messages, which say nothing there. Pure. */
import { explanation } from "../../../core/delivery/explanation.ts";
import { wordsBehind } from "../../../core/delivery/outlook.ts";
import type { DeliveryDetail } from "../../../service/service.ts";

type Explained = Pick<DeliveryDetail, "record" | "outlook" | "queuedBehind">;

export function whyWords({ record, outlook, queuedBehind }: Explained): string {
  const isQueued = outlook.next === "waits_in_line" && queuedBehind !== null;
  return explanation(
    record,
    isQueued ? { ...outlook, words: wordsBehind("an earlier message", queuedBehind) } : outlook,
  );
}
