/** What happened to a delivery, attempt by attempt. */
import type { DeliveryDetail } from "waybill/client";
import { hasOutcome } from "waybill/client";
import { AttemptBlock, WaitingBlock } from "./attempt-block.tsx";
import { groupByAttempt } from "./attempt-groups.ts";

export function AttemptTimeline({ detail }: { detail: DeliveryDetail }) {
  const groups = groupByAttempt(detail);
  const newest = detail.attemptList.at(-1)?.number;
  const isOpen = !hasOutcome(detail) && detail.status !== "pending" && detail.status !== "retry_scheduled";
  return (
    <ol className="flex flex-col gap-3">
      {groups.map((group) => (
        <li key={group.key}>
          {group.type === "attempt" ? (
            <AttemptBlock group={group} isOpen={isOpen && group.attempt.number === newest} />
          ) : (
            <WaitingBlock group={group} />
          )}
        </li>
      ))}
    </ol>
  );
}
