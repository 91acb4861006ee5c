/** What was said: the message, and what came back. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { DeliveryDetail, Message } from "waybill/client";
import { AttachmentList } from "../conversation/attachment-list.tsx";
import { lanesQuery } from "../live/queries.ts";
import { Markdown } from "../ui/markdown.tsx";
import { beginningOf, exactText } from "../ui/safe-text.ts";
import { ClockTime, RelativeTime } from "../ui/time.tsx";
import { replyRemark } from "./reply-remark.ts";
import { Section } from "./section.tsx";

const maxLines = 12;
const maxCharacters = 800;

export function MessageSection({ detail: { message, replies, lane } }: { detail: DeliveryDetail }) {
  const { data: lanes } = useQuery(lanesQuery);
  const agent = lanes?.find(({ id }) => id === lane)?.displayName ?? lane;
  return (
    <Section title={replies.length === 0 ? "Message" : "Message and replies"}>
      <div className="divide-y divide-line rounded-md border border-line">
        {message ? (
          <MessageText message={message} lane={lane} agent={agent} />
        ) : (
          <p className="px-3 py-2 text-muted">Its text is no longer kept.</p>
        )}
        {replies.map((reply) => (
          <MessageText key={reply.id} message={reply} lane={lane} agent={agent} isReply />
        ))}
      </div>
    </Section>
  );
}

type MessageTextProps = { message: Message; lane: string; agent: string; isReply?: boolean };

function MessageText({ message, lane, agent, isReply = false }: MessageTextProps) {
  const { id, from, text, createdAt, attachments, outcome } = message;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? { text, leftOut: 0 } : beginningOf(text, maxLines, maxCharacters);
  const remark = replyRemark(from, outcome);
  const name = from === "user" ? "You" : from === "waybill" ? "Waybill" : from === lane ? agent : from;
  return (
    <article aria-label={`${isReply ? "Reply" : "Message"} from ${name}`} className="px-3 py-2">
      <header className="flex flex-wrap items-baseline gap-x-2 text-sm text-faint">
        <span className="text-base font-semibold text-ink">{exactText(name)}</span>
        <ClockTime at={createdAt} />
        <RelativeTime at={createdAt} />
        {isReply && remark !== null && <span className="text-wait">{remark}</span>}
        <Link
          to="/lanes/$lane"
          params={{ lane: message.lane ?? lane }}
          search={{ message: id }}
          className="ml-auto underline hover:text-ink"
        >
          Show
        </Link>
      </header>
      <div className="mt-0.5">
        <Markdown text={shown.text} />
        {(shown.leftOut > 0 || isWhole) && (
          <button type="button" className="text-sm text-accent underline" onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show less" : `Show ${shown.leftOut.toLocaleString()} more characters`}
          </button>
        )}
        <AttachmentList attachments={attachments} />
      </div>
    </article>
  );
}
