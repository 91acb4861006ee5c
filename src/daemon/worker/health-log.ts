/** Logs once, at level `fatal`, that the store can no longer be trusted, and whether its content was saved. */
import { messageOf } from "../../platform/app-error.ts";
import type { HealthEvent } from "../../store/administration.ts";
import type { Logger } from "../logging.ts";

export function logHealth(log: Logger): (event: HealthEvent) => void {
  return (event) => {
    switch (event.type) {
      case "distrusted": {
        const { code, message, hint } = event.problem;
        log.fatal({ event: code, hint }, `${message} Messages are refused until a person fixes this.`);
        return;
      }
      case "rescued":
        log.warn({ event: "store_rescued", to: event.to }, "The content of the store was saved.");
        return;
      case "rescue_failed":
        log.fatal(
          { event: "store_rescue_failed", why: messageOf(event.error) },
          "The content of the store could not be saved. Waybill tries once more when it stops.",
        );
        return;
      default:
        event satisfies never;
    }
  };
}
