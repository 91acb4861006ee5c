/** Cursors and pages of lists that only grow, as a service in memory has them. */
import { AppError } from "../../src/app-error.ts";
import type { Page, Paging } from "../../src/core/log/page.ts";

export function pageOf<T>(items: readonly T[], { limit, cursor }: Paging): Page<T> {
  const from = cursor === undefined ? 0 : placeOf(cursor);
  const next = from + limit < items.length ? cursorAt(from + limit) : null;
  return { items: items.slice(from, from + limit), next };
}

export function cursorAt(place: number): string {
  return Buffer.from(`c${place}`).toString("base64url");
}

export function placeOf(cursor: string): number {
  const [, digits] = /^c(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined) throw new AppError({ code: "cursor_invalid", message: "The cursor was not made here." });
  return Number(digits);
}
