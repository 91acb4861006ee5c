/** The phase of a delivery, as the chat shows it. */

import type { Status } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Service } from "../../../service/service.ts";

/** `ended`: the result has been shown, or is about to be. */
export type Phase = "waiting" | "running" | "ended";

export function phaseOf(status: Status): Phase {
  if (status === "pending") return "waiting";
  return openStatuses.includes(status) ? "running" : "ended";
}

export async function phaseNow(delivery: string, service: Pick<Service, "delivery">): Promise<Phase> {
  try {
    return phaseOf((await service.delivery(delivery)).record.status);
  } catch (error) {
    // It ended long ago.
    if (error instanceof AppError && error.code === "delivery_unknown") return "ended";
    throw error;
  }
}
