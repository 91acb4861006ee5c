/** What each kind of proof means, and what a message asked for. docs/proof.md has the rules. Pure. */
import type { Delivery, DeliveryDetail, Message } from "waybill/client";

type Evidence = DeliveryDetail["evidence"];
type Proof = NonNullable<Evidence["proof"]>;
type Correlation = NonNullable<Evidence["visibleReply"]>["correlation"];

export const proofWords: Record<Proof, { name: string; meaning: string }> = {
  destination_reply: {
    name: "Reply at its destination",
    meaning: "The agent's reply is in the recipient's mailbox. It has arrived, whatever the agent says about it.",
  },
  visible_reply: {
    name: "Reply sent with a tool",
    meaning:
      "The transcript shows that the agent sent a reply with a tool. It had not been found at its destination when this was decided.",
  },
  tool: {
    name: "Work",
    meaning:
      "The message asked for work, and tools that change something ran and succeeded. A lookup or failed work would not have counted.",
  },
  plain_text: {
    name: "Answer in words",
    meaning:
      "The turn ended with a real answer: not empty, not just an acknowledgement, not an error from the model provider.",
  },
  notified_turn: {
    name: "Turn without an error",
    meaning: "No answer was asked for. The turn ended without an error, and that is enough.",
  },
};

export const correlationWords: Record<Correlation, string> = {
  relayOfMessageId: "The reply names this message.",
  direct_child_message_send: "The reply names no message, but it was sent in the turn of this prompt.",
  plain_assistant_text: "The answer is the final text of the turn that began with this prompt.",
};

export const outcomeWords: Record<NonNullable<Evidence["outcome"]>, string> = {
  answer: "an answer",
  done: "finished work",
  question: "a question; it is the sender's turn",
  blocked: "blocked; it is the sender's turn",
  progress: "progress, which is not an answer",
};

export type Wanted = { name: string; closes: string };

type Intent = NonNullable<Delivery["actionMode"]> | "task";

const wants: Record<Intent, Wanted> = {
  ask: {
    name: "An answer",
    closes: "A real answer closes it. Tools or an acknowledgement do not.",
  },
  do: {
    name: "Work",
    closes: "Successful work or an answer in words closes it. A lookup or an acknowledgement does not.",
  },
  task: {
    name: "Work on a task",
    closes: "Successful work or an answer in words closes it. A lookup or an acknowledgement does not.",
  },
  delegate: {
    name: "An answer, or work by anyone",
    closes: "An answer in words, a changed task or a message to somebody else closes it. An acknowledgement does not.",
  },
  notify: {
    name: "No answer",
    closes: "A turn that ends without an error closes it.",
  },
};

export function wantedOf(actionMode: Delivery["actionMode"], message: Pick<Message, "taskRefs"> | null): Wanted {
  if (actionMode === "notify") return wants.notify;
  return message !== null && message.taskRefs.length > 0 ? wants.task : wants[actionMode ?? "ask"];
}
