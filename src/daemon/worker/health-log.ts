/** Says loudly, once, that the store cannot be trusted any more, and what became of what it held. */
import { messageOf } from "../../app-error.ts";
import type { HealthEvent } from "../../store/sqlite/file/store-health.ts";
import type { Logger } from "../logging.ts";

export function logHealth(log: Logger): (event: HealthEvent) => void {
  return (event) => {
    switch (event.type) {
      case "distrusted": {
        const { code, message, hint } = event.problem;
        log.fatal({ event: code, hint }, `${message} Messages are refused until a person has seen to it.`);
        return;
      }
      case "rescued":
        log.warn({ event: "store_rescued", to: event.to }, "What the store still held was saved.");
        return;
      case "rescue_failed":
        log.fatal(
          { event: "store_rescue_failed", why: messageOf(event.error) },
          "What the store still holds could not be saved. It is tried once more when Waybill stops.",
        );
        return;
      default:
        event satisfies never;
    }
  };
}
