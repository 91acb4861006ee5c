/** What the start page shows: what needs a person, what runs, what waits, and what was answered. Pure. */
import type { Ask, Delivery, Lane, Message } from "waybill/client";
import type { LaneFacts } from "../app/groups.ts";
import { laneState } from "../app/groups.ts";
import { conversationsOf } from "../live/conversation-id.ts";
import { isAnswer } from "../notifications/news.ts";
import { plainCode } from "../ui/plain-code.ts";
import { exactText } from "../ui/safe-text.ts";

/** `text`: the message's text if it is among the newest, else null. */
export type DeliveryRow = { delivery: Delivery; lane: string; laneName: string; text: string | null };

export type Need =
  | { type: "ask"; key: string; lane: string; laneName: string; ask: Ask }
  | ({ type: "failed" | "held"; key: string } & DeliveryRow)
  /** A lane that is blocked until a person acts. */
  | { type: "lane"; key: string; lane: string; laneName: string; words: string };

export type Running = {
  lane: string;
  laneName: string;
  doing: string;
  since: number | null;
  text: string | null;
  waiting: number;
};

export type Answer = { conversation: string; name: string; message: Message; isUnread: boolean };

export type Overview = {
  needs: readonly Need[];
  running: readonly Running[];
  waiting: readonly DeliveryRow[];
  answers: readonly Answer[];
};

export type OverviewInput = {
  lanes: readonly Lane[];
  facts: LaneFacts;
  waiting: readonly Delivery[];
  /** Newest first. */
  messages: readonly Message[];
};

const maxAnswers = 10;

export function overviewOf({ lanes, facts, waiting, messages }: OverviewInput): Overview {
  const names = new Map(lanes.map(({ id, displayName }) => [id, displayName ?? id]));
  const nameOf = (lane: string) => names.get(lane) ?? lane;
  const texts = new Map(messages.map(({ lane, id, text }) => [`${lane} ${id}`, text]));
  const rowOf = (delivery: Delivery): DeliveryRow => {
    const { lane, messageId } = delivery;
    return { delivery, lane, laneName: nameOf(lane), text: texts.get(`${lane} ${messageId}`) ?? null };
  };
  const held = waiting.filter(({ heldReason }) => heldReason !== null);
  return {
    needs: [
      ...facts.asks.map((ask): Need => {
        return { type: "ask", key: ask.id, lane: ask.lane, laneName: nameOf(ask.lane), ask };
      }),
      ...facts.failed.map((delivery): Need => ({ type: "failed", key: delivery.id, ...rowOf(delivery) })),
      ...held.map((delivery): Need => ({ type: "held", key: delivery.id, ...rowOf(delivery) })),
      ...lanes.flatMap((lane) => laneNeeds(lane, nameOf(lane.id))),
    ],
    running: lanes.flatMap((lane): Running[] => {
      const { dot, doing, since } = laneState(lane, facts);
      if (dot !== "working") return [];
      const text = lane.holder ? (texts.get(`${lane.id} ${lane.holder.messageId}`) ?? null) : null;
      const { id, waiting } = lane;
      return [{ lane: id, laneName: nameOf(id), doing: doing ?? "working", since, text, waiting }];
    }),
    waiting: waiting.filter(({ heldReason }) => heldReason === null).map(rowOf),
    answers: messages
      .filter(isAnswer)
      .flatMap((message): Answer[] => {
        const [conversation] = conversationsOf(message);
        if (conversation === undefined) return [];
        const name = message.lane === null ? exactText(message.from) : nameOf(message.lane);
        return [{ conversation, name, message, isUnread: message.readAt === null }];
      })
      .slice(0, maxAnswers),
  };
}

function laneNeeds(lane: Lane, laneName: string): Need[] {
  const words = [
    ...(lane.pausedReason === null ? [] : [`Paused: ${plainCode(lane.pausedReason)}. Its messages wait.`]),
    ...(lane.runtimeReady ? [] : [`${lane.runtime} cannot be reached. Its messages wait.`]),
    ...lane.notices.map(({ message }) => message),
  ];
  return words.map((text) => ({ type: "lane", key: `${lane.id} ${text}`, lane: lane.id, laneName, words: text }));
}

export type HomeKind = "demo" | "overview" | "no-lanes";

export function homeKind(isDemo: boolean, lanes: readonly Pick<Lane, "id">[]): HomeKind {
  if (isDemo && lanes.some(({ id }) => id === "demo")) return "demo";
  return lanes.length > 0 ? "overview" : "no-lanes";
}

/** The state of everything in one sentence. */
export function summaryWords({ needs, running, waiting }: Overview, lanes: number): string {
  const agents = lanes === 1 ? "1 lane" : `${lanes} lanes`;
  const work = running.length === 0 ? "none working" : `${running.length} working`;
  const queue =
    waiting.length === 0 ? "" : `, ${waiting.length} ${waiting.length === 1 ? "message" : "messages"} waiting`;
  const need =
    needs.length === 0
      ? "Nothing needs you."
      : needs.length === 1
        ? "One thing needs you."
        : `${needs.length} things need you.`;
  return `${need} ${agents}, ${work}${queue}.`;
}
