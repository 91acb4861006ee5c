/** Why events were not written, and the error when they are dropped. */
import { AppError } from "../platform/app-error.ts";

export function isStoreDown(error: unknown): boolean {
  return error instanceof AppError && ["store_unwritable", "store_replaced", "store_corrupt"].includes(error.code);
}

/** The event numbers of a lane and of the store have diverged; the store is right. */
export function isOutOfOrder(error: unknown): boolean {
  return error instanceof AppError && error.code === "events_out_of_order";
}

export function eventsLost(count: number): AppError {
  return new AppError({
    code: "events_lost",
    message: `${count} events could not be kept, because the store cannot write them.`,
    hint: "Free up space on its disk, if it is full. Deliveries are not affected; agents continue.",
  });
}
