/** What a person can do about a delivery as it stands. Pure. */
import type { DeliveryDetail } from "waybill/client";

export type DeliveryAction = "retry" | "release" | "withdraw" | "cancel";

type Input = Pick<DeliveryDetail, "status" | "heldReason" | "acceptanceUnknown"> & { attemptList: readonly unknown[] };

export function actionsFor({ status, heldReason, acceptanceUnknown, attemptList }: Input): DeliveryAction[] {
  switch (status) {
    case "failed_terminal":
      return ["retry", "cancel"];
    case "responded":
    case "cancelled":
      return [];
    case "pending": {
      const end = attemptList.length === 0 && !acceptanceUnknown ? "withdraw" : "cancel";
      if (heldReason === null) return [end];
      return [heldReason === "loop_guard" ? "release" : "retry", end];
    }
    case "submitting":
    case "accepted":
    case "unanswered":
    case "retry_scheduled":
    case "failed_retryable":
      return ["cancel"];
    default:
      return status satisfies never;
  }
}
