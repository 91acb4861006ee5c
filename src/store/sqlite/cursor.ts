/** Cursors are sequence numbers that clients must not calculate with. */
import { AppError } from "../../platform/app-error.ts";

export function cursorFrom(seq: number): string {
  return Buffer.from(`v1.${seq}`).toString("base64url");
}

export function seqOf(cursor: string): number {
  const [, digits] = /^v1\.(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined) {
    throw new AppError({
      code: "cursor_invalid",
      message: "The cursor is invalid.",
      hint: "Use one from an earlier answer unchanged, or none.",
    });
  }
  return Number(digits);
}
