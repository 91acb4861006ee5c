/**
 * Permissions that the stream of events told of. The server's own list is the truth, but fails as a whole while it has
 * one with a gap in it, as every webfetch without a time-out is (seen with 1.18.33); until that is answered, this book
 * stands in for the list.
 */
import type { PermissionRequest } from "../server/opencode-api.ts";

export class HeardAsks {
  readonly #open = new Map<string, PermissionRequest>();

  hear(type: string, properties: Readonly<Record<string, unknown>>): void {
    if (type === "permission.asked" && isRequest(properties)) this.#open.set(properties.id, properties);
    else if (type === "permission.replied") this.#open.delete(String(properties.requestID));
  }

  list(): PermissionRequest[] {
    return [...this.#open.values()];
  }

  forget(): void {
    this.#open.clear();
  }
}

function isRequest(value: object): value is PermissionRequest {
  const { id, sessionID, permission, patterns } = value as Record<string, unknown>;
  return [id, sessionID, permission].every((one) => typeof one === "string") && Array.isArray(patterns);
}
