/** Buttons for what a person can do about a delivery. The stream delivers the result. */
import { useMutation } from "@tanstack/react-query";
import type { DeliveryDetail } from "waybill/client";
import { client } from "../live/client.ts";
import { refresh } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { errorWords, Note } from "../ui/note.tsx";
import type { DeliveryAction } from "./delivery-actions.ts";
import { actionsFor } from "./delivery-actions.ts";

const buttons: Record<DeliveryAction, { name: string; title: string; icon: IconName; isDanger: boolean }> = {
  retry: {
    name: "Retry",
    title: "Checks the earlier attempts once more, then asks the agent again",
    icon: "retry",
    isDanger: false,
  },
  release: {
    name: "Let them continue",
    title: "Lets the two agents write to each other again",
    icon: "play",
    isDanger: false,
  },
  withdraw: { name: "Withdraw", title: "Takes the message back before it is sent", icon: "close", isDanger: true },
  cancel: {
    name: "Cancel",
    title: "Ends the delivery permanently, and stops its turn if it is running",
    icon: "stop",
    isDanger: true,
  },
};

export function DeliveryActions({ detail }: { detail: DeliveryDetail }) {
  const run = useMutation({
    mutationFn: (action: DeliveryAction) => perform(action, detail),
    onSettled: () => refresh("delivery"),
  });
  return (
    <>
      {actionsFor(detail).map((action) => {
        const { name, title, icon, isDanger } = buttons[action];
        return (
          <Button
            key={action}
            icon={icon}
            title={title}
            look={isDanger ? "danger" : "primary"}
            disabled={run.isPending}
            onClick={() => run.mutate(action)}
          >
            {name}
          </Button>
        );
      })}
      {run.error && (
        <div className="order-last w-full">
          <Note tone="bad">{errorWords(run.error)}</Note>
        </div>
      )}
    </>
  );
}

async function perform(action: DeliveryAction, { id, messageId, lane }: DeliveryDetail): Promise<void> {
  switch (action) {
    case "retry":
      await client.retry(id);
      return;
    case "cancel":
      await client.cancel(id);
      return;
    case "withdraw":
      await client.withdraw(messageId, lane);
      return;
    case "release":
      return releaseHoldsOf(lane);
    default:
      return action satisfies never;
  }
}

async function releaseHoldsOf(lane: string): Promise<void> {
  const { holds } = await client.holds();
  for (const { lanes } of holds.filter((hold) => hold.lanes.includes(lane))) {
    const other = lanes.find((one) => one !== lane);
    if (other !== undefined) await client.releaseHold(lane, other);
  }
}
