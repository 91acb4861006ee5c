/** What the projection puts out and holds, in OpenCode's words. */
import type { Message, Part } from "@opencode-ai/sdk/v2/types";

/** An event of OpenCode's, without its id. */
export type Emitted = { type: string; properties: Record<string, unknown> };

export type MessageRow = { info: Message; parts: Part[] };

/** Where a session is. */
export type Place = { lane: string; directory: string; providerID: string; modelID: string; agent: string };
