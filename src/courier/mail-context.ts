/** What it takes to write to the sender of a delivery: an agent gets its mail in its own lane. */
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { MailContext } from "../core/delivery/replies.ts";
import type { Lane } from "../core/lane/lane.ts";
import { replyAddress } from "../core/message/message.ts";
import type { CourierDeps } from "./step-context.ts";

type Deps = Pick<CourierDeps, "store" | "policy" | "clock"> & { lane: Lane };

export async function mailContext(record: DeliveryRecord, { lane, store, policy, clock }: Deps): Promise<MailContext> {
  const to = replyAddress(record);
  const replyLane = to.kind === "lane" ? await store.lane(to.lane) : null;
  return { lane, replyLane, policy, at: clock.now() };
}
