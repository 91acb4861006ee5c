/** Whose fault it is that events were not written, and what is said when they are given up. */
import { AppError } from "../app-error.ts";

export function isStoreDown(error: unknown): boolean {
  return error instanceof AppError && ["store_unwritable", "store_replaced", "store_corrupt"].includes(error.code);
}

/** A lane's numbers and those in the store have come apart; the store is right. */
export function isOutOfOrder(error: unknown): boolean {
  return error instanceof AppError && error.code === "events_out_of_order";
}

export function eventsLost(count: number): AppError {
  return new AppError({
    code: "events_lost",
    message: `${count} events could not be kept, because the store does not take them.`,
    hint: "Make room on its disk, if that is full. Deliveries are not touched by it; agents go on.",
  });
}
