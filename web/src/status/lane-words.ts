/** Words for what holds a lane, and why messages wait in it. Pure. */
import type { Delivery, Lane } from "waybill/client";
import { signOf } from "../conversation/delivery-sign.ts";
import { plainCode } from "../ui/plain-code.ts";

/** An ended delivery holds its lane while its turn still runs or its read flag is not written. */
export function holderWords(delivery: Delivery): string {
  if (delivery.status === "responded" || delivery.status === "cancelled") {
    const ended = delivery.status === "responded" ? "Answered" : "Cancelled";
    return delivery.readCommittedAt === null
      ? `${ended}; the read flag is not written yet`
      : `${ended}; the turn is still running`;
  }
  return signOf({ delivery, isAcknowledged: false }).words;
}

/** Since when a delivery holds its lane. */
export function holdsSince(delivery: Pick<Delivery, "acceptedAt" | "createdAt">): string {
  return delivery.acceptedAt ?? delivery.createdAt;
}

/** Why an unsent delivery waits. `lane` is undefined if it was removed. */
export function whyItWaits(delivery: Delivery, lane: Lane | undefined): string {
  if (delivery.heldReason) return `Held until you decide. ${delivery.why}`;
  if (!lane) return "Its lane was removed.";
  if (lane.pausedReason !== null) return `The lane is paused: ${plainCode(lane.pausedReason)}.`;
  if (delivery.queuedBehindMessageId !== undefined) return "An earlier message is not finished yet.";
  if (lane.waitReason !== null) return `It cannot be sent right now: ${plainCode(lane.waitReason)}.`;
  if (!lane.runtimeReady) return `${lane.runtime} is not running.`;
  return "It is next, and is being sent.";
}

/** What removing a lane does to its open messages. */
export function removalWords({ holder, waiting }: Pick<Lane, "holder" | "waiting">): string {
  const kept = "The conversation stays here.";
  const running = holder === null ? null : "the one its agent is working on";
  const queued = waiting === 0 ? null : waiting === 1 ? "one waiting message" : `${waiting} waiting messages`;
  const open = [running, queued].filter((part) => part !== null).join(" and ");
  if (open === "") return `It has no open messages. ${kept}`;
  return `This cancels its open messages: ${open}. ${kept}`;
}

export function hasOpenDeliveries({ holder, waiting }: Pick<Lane, "holder" | "waiting">): boolean {
  return holder !== null || waiting > 0;
}
