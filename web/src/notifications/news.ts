/** Which events are worth a desktop notification. Pure. */
import type { Message, StreamEvent } from "waybill/client";
import { conversationsOf } from "../live/conversation-id.ts";
import { beginningOf, exactText, proseText } from "../ui/safe-text.ts";

/** Where a click leads. */
export type NewsPlace =
  | { type: "ask"; lane: string; ask: string }
  | { type: "delivery"; id: string }
  | { type: "message"; conversation: string; message: string };

/** The same tag is the same news: it is shown once, however often it is reported. */
export type News = { tag: string; title: string; body: string; place: NewsPlace };

const maxLines = 4;
const maxCharacters = 240;

export function newsOf(event: StreamEvent, nameOf: (lane: string) => string): News | null {
  switch (event.type) {
    case "permission.requested":
    case "question.requested": {
      if (event.copied) return null;
      const { lane, data } = event;
      const isQuestion = event.type === "question.requested";
      return {
        tag: askTag(data.ask),
        title: isQuestion ? `${nameOf(lane)} asks you something` : `${nameOf(lane)} asks for permission`,
        body: short(
          isQuestion ? event.data.questions.map(({ question }) => question).join("\n") : exactText(event.data.title),
        ),
        place: { type: "ask", lane, ask: data.ask },
      };
    }
    case "delivery": {
      if (event.event !== "failed_terminal") return null;
      const { id, lane, why } = event.delivery;
      const title = `A message to ${nameOf(lane)} failed`;
      const body = `It is still unread. ${why === null ? "" : `${exactText(why)} `}You can retry or cancel it.`;
      return { tag: `delivery ${id}`, title, body, place: { type: "delivery", id } };
    }
    case "message": {
      const { message } = event;
      const [conversation] = conversationsOf(message);
      if (!isAnswer(message) || conversation === undefined) return null;
      const { lane, id, from } = message;
      const place: NewsPlace = { type: "message", conversation, message: id };
      const who = lane === null ? exactText(from) : nameOf(lane);
      return { tag: `message ${id}`, title: `${who} answered`, body: short(message.text), place };
    }
    default:
      return null;
  }
}

/** The tag of news that has been dealt with, here or elsewhere. */
export function overTag(event: StreamEvent): string | null {
  switch (event.type) {
    case "permission.resolved":
    case "question.resolved":
      return askTag(event.data.ask);
    case "delivery":
      return event.delivery.status === "failed_terminal" ? null : `delivery ${event.delivery.id}`;
    default:
      return null;
  }
}

/** An answer to the person's own message: not a remark that closes nothing, and not a message from Waybill. */
export function isAnswer({ to, from, relayOfMessageId, outcome }: Message): boolean {
  const isForUser = "person" in to && to.person === "user";
  const closes = outcome === null || !["progress", "acknowledgement", "provider_error"].includes(outcome);
  return isForUser && relayOfMessageId !== null && from !== "waybill" && closes;
}

function askTag(ask: string): string {
  return `ask ${ask}`;
}

function short(text: string): string {
  const { text: beginning, leftOut } = beginningOf(proseText(text), maxLines, maxCharacters);
  return leftOut > 0 ? `${beginning.trimEnd()}…` : beginning;
}
