/** Says that a link names a message that is not here. */
import { Link } from "@tanstack/react-router";
import { placeOf } from "../../live/conversation-id.ts";
import { Icon } from "../../ui/icon.tsx";
import { errorWords, Note } from "../../ui/note.tsx";
import { exactText } from "../../ui/safe-text.ts";
import type { Marked } from "./use-marked.ts";

export function MarkedNotice({ marked, conversationId }: { marked: Marked; conversationId: string }) {
  return (
    <div className="border-b border-line p-2">
      <Note tone="wait" icon="search">
        <div className="flex items-start gap-2">
          <p className="grow wrap-anywhere">
            <NoticeText marked={marked} />
          </p>
          <Link
            {...placeOf(conversationId)}
            search={{}}
            replace
            aria-label="Dismiss"
            title="Dismiss"
            className="-my-1 inline-flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover"
          >
            <Icon name="close" />
          </Link>
        </div>
      </Note>
    </div>
  );
}

function NoticeText({ marked: { id, location, error } }: { marked: Marked }) {
  if (error !== null) return <>The message of this link could not be looked up. {errorWords(error)}</>;
  if (location?.in !== "other") return <>Message not found: this conversation has no message {exactText(id)}.</>;
  return (
    <>
      Message {exactText(id)} is in another conversation:{" "}
      <Link {...placeOf(location.conversation)} search={{ message: id }} className="underline">
        {exactText(location.conversation)}
      </Link>
      .
    </>
  );
}
