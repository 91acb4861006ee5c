/**
 * A stream of OpenCode events as a short list that can be compared with another program's: the types in order, repeats
 * collapsed. Events that OpenCode repeats appear once: `busy` only at the start of a turn, `idle` only at its end (it repeats
 * it at every step and after a stop), and a person's message when it arrives (a title and a summary are added later). A tool
 * may start just before or just after its permission is asked, so its start is left out during an ask. Everything after the
 * last `idle` is left out.
 */
import type { Message, Part } from "@opencode-ai/sdk/v2/types";

export type SeenEvent = { type: string; properties: Record<string, unknown> };

const compared = [
  "session.status",
  "session.idle",
  "session.error",
  "message.updated",
  "message.part.updated",
  "message.part.delta",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
];

export function typeList(events: readonly SeenEvent[], sessionID: string): string[] {
  const own = events.filter((event) => compared.includes(event.type) && sessionOf(event) === sessionID);
  return collapsed(onlyFirstBusy(onlyLastIdle(withoutPartsOfAsks(withoutUpdatesOfUsers(own)))).map(lineOf));
}

/** Collapses identical consecutive steps: their number depends on the agent. */
export function withoutRepeatedSteps(lines: readonly string[]): string[] {
  const isOfMessages = (block: readonly string[]) => block.every((line) => line.startsWith("message."));
  const left = [...lines];
  for (let size = 1; size <= left.length / 2; size += 1) {
    for (let at = 0; at + 2 * size <= left.length; ) {
      const [one, next] = [left.slice(at, at + size), left.slice(at + size, at + 2 * size)];
      if (isOfMessages(one) && one.join() === next.join()) left.splice(at, size);
      else at += 1;
    }
  }
  return left;
}

/** How often the session became idle, and how many messages of each kind it has in the end. */
export function countList(
  events: readonly SeenEvent[],
  rows: readonly { info: Message }[],
  sessionID: string,
): string[] {
  const rests = events.filter((event) => event.type === "session.idle" && sessionOf(event) === sessionID);
  const kinds = rows.map(({ info }) => ("error" in info && info.error ? `${info.role} ${info.error.name}` : info.role));
  const counts = new Map(kinds.map((kind) => [kind, kinds.filter((one) => one === kind).length]));
  return [`session.idle: ${rests.length}`, ...[...counts].sort().map(([kind, count]) => `${kind}: ${count}`)];
}

/** The messages that a session has in the end, with their parts. */
export function partList(rows: readonly { info: Message; parts: readonly Part[] }[]): string[] {
  return rows.map(({ info, parts }) => {
    const error = "error" in info && info.error ? ` ${info.error.name}` : "";
    return `${info.role}${error}: ${parts.map(partLine).join(", ")}`;
  });
}

function partLine(part: Part): string {
  if (part.type === "tool") return `tool ${part.tool} ${part.state.status}`;
  return part.type;
}

function sessionOf({ properties }: SeenEvent): unknown {
  const { sessionID, info, part } = properties as { sessionID?: string; info?: Message; part?: Part };
  return sessionID ?? info?.sessionID ?? part?.sessionID;
}

function lineOf({ type, properties }: SeenEvent): string {
  if (type !== "session.status") return type;
  return `${type} ${(properties.status as { type: string }).type}`;
}

function isStatus(event: SeenEvent, status: string): boolean {
  return lineOf(event) === `session.status ${status}`;
}

function withoutUpdatesOfUsers(events: readonly SeenEvent[]): SeenEvent[] {
  const known = new Set<string>();
  return events.filter(({ type, properties }) => {
    const info = properties.info as Message | undefined;
    if (type !== "message.updated" || info?.role !== "user") return true;
    const isNew = !known.has(info.id);
    known.add(info.id);
    return isNew;
  });
}

function withoutPartsOfAsks(events: readonly SeenEvent[]): SeenEvent[] {
  let asked = false;
  return events.filter(({ type }) => {
    if (type.endsWith(".asked")) asked = true;
    else if (type.endsWith(".replied") || type.endsWith(".rejected")) asked = false;
    return !asked || type !== "message.part.updated";
  });
}

function onlyFirstBusy(events: readonly SeenEvent[]): SeenEvent[] {
  let busy = false;
  return events.filter((event) => {
    if (isStatus(event, "idle")) busy = false;
    if (!isStatus(event, "busy")) return true;
    const isFirst = !busy;
    busy = true;
    return isFirst;
  });
}

/** Before the next message of a person, or the end. */
function onlyLastIdle(events: readonly SeenEvent[]): SeenEvent[] {
  const isRest = (event: SeenEvent) => isStatus(event, "idle") || event.type === "session.idle";
  const isPrompt = ({ type, properties }: SeenEvent) =>
    type === "message.updated" && (properties.info as Message).role === "user";
  const last = events.findLastIndex(isRest);
  // A dead server sends no idle.
  const all = last < 0 ? events : events.slice(0, last + 1);
  return all.filter((event, index) => {
    if (!isRest(event)) return true;
    const rest = all.slice(index + 1);
    const next = rest.findIndex(isPrompt);
    const turn = next < 0 ? rest : rest.slice(0, next);
    return !turn.some((later) => later.type === event.type && isRest(later));
  });
}

export function collapsed(lines: readonly string[]): string[] {
  return lines.filter((line, index) => line !== lines[index - 1]);
}
