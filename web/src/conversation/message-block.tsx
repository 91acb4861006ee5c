/** A message with its delivery sign. It looks the same whatever its sender and source. */
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Message } from "waybill/client";
import { recipientName } from "waybill/client";
import { memberConversation } from "../live/conversation-id.ts";
import { Icon } from "../ui/icon.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { exactText } from "../ui/safe-text.ts";
import { ClockTime } from "../ui/time.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import type { Sign } from "./delivery-sign.ts";
import { handOverSign, isAwaited, signOf } from "./delivery-sign.ts";
import { NoticeBlock } from "./notice-block.tsx";
import type { MessageEntry } from "./timeline.ts";

type MessageBlockProps = { entry: MessageEntry; conversation: string; agent: string; isMarked: boolean };

export const MessageBlock = memo(function MessageBlock({ entry, conversation, agent, isMarked }: MessageBlockProps) {
  const { message, delivery } = entry;
  const isIncoming = isToThem(message, conversation);
  const sign = delivery ? signOf({ ...entry, delivery }) : handOverSign(message);
  return (
    <article
      id={`message-${message.id}`}
      aria-label={`Message from ${exactText(message.from)}`}
      className={`px-4 py-2 ${isMarked ? "bg-accent-soft" : ""}`}
    >
      <header className="flex flex-wrap items-baseline gap-x-2 text-sm text-faint">
        <span className="text-base font-semibold text-ink">
          {isIncoming ? nameOf(message.from) : senderName(message, conversation, agent)}
        </span>
        {!isIncoming && !("person" in message.to && message.to.person === "user") && (
          <span>to {exactText(recipientName(message.to))}</span>
        )}
        <ClockTime at={message.createdAt} />
        <Origin message={message} />
        {message.outcome && <span className="text-wait">{outcomeWords[message.outcome]}</span>}
      </header>
      <div className={`mt-0.5 ${isIncoming ? "w-fit max-w-full rounded-lg bg-sunken px-3 py-1.5" : ""}`}>
        <Markdown text={message.text} />
        <AttachmentList attachments={message.attachments} />
        {message.taskRefs.length > 0 && (
          <p className="mt-1 text-sm text-muted">
            {message.taskRefs.map(({ id, title }) => exactText(title ?? id)).join(", ")}
          </p>
        )}
      </div>
      {sign && (
        <p className="mt-1 flex items-center gap-2 text-sm">
          <SignMark sign={sign} isAwaited={delivery !== null && isAwaited(delivery)} />
          {delivery && (
            <Link to="/deliveries/$id" params={{ id: delivery.id }} className="text-faint underline hover:text-ink">
              Why?
            </Link>
          )}
        </p>
      )}
      {delivery && <NoticeBlock delivery={delivery} isAcknowledged={entry.isAcknowledged} />}
    </article>
  );
});

export function SignMark({ sign, isAwaited }: { sign: Sign; isAwaited: boolean }) {
  const tone = { plain: "text-muted", busy: "text-busy", wait: "text-wait", bad: "text-bad", good: "text-good" }[
    sign.tone
  ];
  return (
    <span data-sign={sign.kind} className={`inline-flex items-center gap-1 ${tone}`}>
      <Icon name={sign.icon} className="size-3.5" />
      {sign.words}
      {isAwaited && (
        <span
          data-awaited
          className="size-1.5 animate-pulse rounded-full bg-current"
          aria-label="waiting for an answer"
          role="img"
        />
      )}
    </span>
  );
}

const outcomeWords: Record<NonNullable<Message["outcome"]>, string> = {
  answer: "answer",
  done: "done",
  question: "has a question",
  blocked: "is blocked",
  progress: "progress, not an answer yet",
  acknowledgement: "acknowledged, not answered yet",
  provider_error: "model provider error",
};

const sourceNames: Partial<Record<Message["source"], string>> = {
  telegram: "Telegram",
  cli: "terminal",
  mcp: "agent's tool",
  watcher: "inbox file",
  watchdog: "Waybill",
};

function Origin({ message: { source, actionMode } }: { message: Message }) {
  const name = sourceNames[source];
  return (
    <>
      {name && <span>via {name}</span>}
      {actionMode && <span>{actionMode}</span>}
    </>
  );
}

/** A message to a member that Waybill runs goes to its lane. */
function isToThem({ to, lane }: Message, conversation: string): boolean {
  if ("member" in to)
    return lane === conversation || memberConversation({ team: to.team, name: to.member }) === conversation;
  return "lane" in to && to.lane === conversation;
}

function senderName({ from, member }: Message, conversation: string, agent: string): string {
  const isTheirs = from === conversation || (member?.name === from && memberConversation(member) === conversation);
  return isTheirs ? agent : nameOf(from);
}

function nameOf(from: string): string {
  return from === "user" ? "You" : exactText(from);
}
