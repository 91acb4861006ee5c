/** Alerts, and rows that are no longer in inbox files. */
import { Link } from "@tanstack/react-router";
import type { Alert } from "waybill/client";
import type { Notice } from "../live/notices.ts";
import { dismiss, notices } from "../live/notices.ts";
import { useStore } from "../live/store.ts";
import { IconButton } from "../ui/button.tsx";
import { Note } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { RelativeTime } from "../ui/time.tsx";

const shownAtOnce = 3;

export function NoticeList() {
  const all = useStore(notices);
  if (all.length === 0) return null;
  return (
    <section aria-label="Notices" className="flex flex-col gap-1 border-b border-line p-2">
      {all.slice(-shownAtOnce).map((notice) => (
        <Note key={notice.key} tone="wait" icon="warning">
          <div className="flex items-start gap-2">
            <p className="grow">
              <NoticeText notice={notice} /> <RelativeTime at={notice.at} className="text-sm opacity-80" />
            </p>
            <IconButton icon="close" label="Dismiss" className="-my-1" onClick={() => dismiss(notice.key)} />
          </div>
        </Note>
      ))}
    </section>
  );
}

function NoticeText({ notice }: { notice: Notice }) {
  if (notice.type === "inbox") return inboxWords(notice.event);
  const { alert } = notice;
  return (
    <>
      {alertWords(alert)}{" "}
      {alert.deliveryId && (
        <Link to="/deliveries/$id" params={{ id: alert.deliveryId }} className="underline">
          Why?
        </Link>
      )}
    </>
  );
}

type InboxEvent = Extract<Notice, { type: "inbox" }>["event"];

function inboxWords({ inbox, team, messageId, detail, event }: InboxEvent): string {
  const file = `the inbox file of ${exactText(inbox ?? "a member")} in team ${team}`;
  const id = messageId === null ? "" : ` (${exactText(messageId)})`;
  const more = detail === null ? "" : ` ${exactText(detail)}`;
  if (event === "row_refused") return `A row in ${file} was refused${id}.${more}`;
  return `A message is no longer in ${file}${id}: it was taken or lost.${more}`;
}

function alertWords({ kind, lane, why }: Alert): string {
  switch (kind) {
    case "ask":
      return `The agent in ${lane} has been waiting for you for a while.`;
    case "failure":
      return `A message to ${lane} failed and is still unread. ${exactText(why)}`;
    case "late":
      return `A message to ${lane} is taking longer than usual.`;
    case "held":
      return `A message to ${lane} is held until you decide. ${exactText(why)}`;
    case "loop":
      return `${lane} and another agent keep writing to each other while nothing else happens. They are held.`;
    default:
      return kind satisfies never;
  }
}
