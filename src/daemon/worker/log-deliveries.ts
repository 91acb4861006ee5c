/** Writes the delivery lines to the log. What a message says is written under `debug` only, and not all of it. */
import type { DeliveryChange } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { Store } from "../../store/port.ts";
import type { Logger } from "../logging.ts";
import { logLines } from "./delivery-log.ts";

const previewCharacters = 80;

export function logDeliveries({ store, log }: { store: Store; log: Logger }): (change: DeliveryChange) => void {
  return (change) => {
    for (const { level, ...line } of logLines(change)) log[level](line);
    const admitted = change.events.some((event) => event.type === "admitted");
    if (admitted && log.isLevelEnabled("debug"))
      preview(change.record, store, log).catch((error: unknown) =>
        log.error({ err: error }, "A message could not be read."),
      );
  };
}

async function preview(record: DeliveryRecord, store: Store, log: Logger): Promise<void> {
  const message = await store.message({ kind: "lane", lane: record.laneId }, record.messageId);
  if (message) log.debug({ inboxMessageId: record.messageId, preview: message.text.slice(0, previewCharacters) });
}
