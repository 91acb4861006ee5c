/** What a client shows if it handles events like OpenCode's terminal: it replaces by id, and appends deltas. */
import type { SseFrame } from "../../../src/transports/opencode-api/events/frames.ts";

type Properties = {
  sessionID: string;
  info: { id: string; sessionID?: string; role?: string };
  part: { id: string; messageID: string; text?: string };
  partID: string;
  delta: string;
  status: unknown;
  id: string;
  requestID: string;
};

export type Shown = {
  messages: Map<string, unknown>;
  /** By id; each part names its message. */
  parts: Map<string, { id: string; messageID: string; text?: string }>;
  asks: Set<string>;
  status: Map<string, unknown>;
  sessions: Set<string>;
};

export function shownBy(frames: readonly SseFrame[]): Shown {
  const shown: Shown = {
    messages: new Map(),
    parts: new Map(),
    asks: new Set(),
    status: new Map(),
    sessions: new Set(),
  };
  for (const frame of frames) show(shown, frame.type, propertiesOf(frame));
  return shown;
}

export function propertiesOf({ plain }: SseFrame): Properties {
  return (JSON.parse(plain.slice(plain.indexOf("data: ") + 6)) as { properties: Properties }).properties;
}

function show(shown: Shown, type: string, { info, part, ...properties }: Properties): void {
  switch (type) {
    case "session.created":
    case "session.updated":
      shown.sessions.add(info.id);
      break;
    case "message.updated":
      shown.messages.set(info.id, info);
      break;
    case "message.part.updated":
      shown.parts.set(part.id, part);
      break;
    case "message.part.delta": {
      const known = shown.parts.get(properties.partID);
      if (known) shown.parts.set(known.id, { ...known, text: (known.text ?? "") + properties.delta });
      break;
    }
    case "session.status":
      shown.status.set(properties.sessionID, properties.status);
      break;
    case "permission.asked":
    case "question.asked":
      shown.asks.add(properties.id);
      break;
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      shown.asks.delete(properties.requestID);
  }
}
