/** Short names for universal events by their type. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";

export type EventOf<T extends UniversalEvent["type"]> = Extract<UniversalEvent, { type: T }>;

export type ItemEvent = EventOf<"item.started" | "item.completed">;
