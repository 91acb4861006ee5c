/** What is said while a stream has lost its daemon. */
import type { WaybillError } from "../client/index.ts";
import type { CommandContext } from "./command.ts";

/** A daemon that stays away is the same trouble at every try. */
export function sayOnce({ json, remark }: CommandContext): (error: WaybillError) => void {
  let said = "";
  return ({ code, message }) => {
    if (message === said) return;
    said = message;
    remark(json ? JSON.stringify({ trouble: { code, message } }) : `${message} Trying again.`);
  };
}
