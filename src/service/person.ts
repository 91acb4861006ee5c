/** Who acts through the service, and when it takes nothing new. */
import { AppError } from "../app-error.ts";

/** The token belongs to the person whose daemon this is. */
export const person = "user";

export function refuseWhileDraining(draining: () => boolean): void {
  if (!draining()) return;
  throw new AppError({
    code: "draining",
    message: "This daemon is about to end and takes no new messages.",
    hint: "Send it again in a moment, under the same message id.",
    retryable: true,
  });
}
