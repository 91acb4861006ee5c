import type { Message } from "waybill/client";
import type { ShownItem } from "../../live/turns.ts";
import { Icon } from "../../ui/icon.tsx";
import { Markdown } from "../../ui/markdown.tsx";

/** `answer`: this text was delivered as the answer to a message. */
export function Words({ item, text, answer }: { item: ShownItem; text: string; answer: Message | null }) {
  return (
    <div className={item.role === "user" ? "rounded-md bg-sunken px-2.5 py-1.5 text-muted" : ""}>
      <Markdown text={text} />
      {answer && <AnswerNote answer={answer} />}
    </div>
  );
}

function AnswerNote({ answer }: { answer: Message }) {
  const isRemark = answer.outcome === "acknowledgement" || answer.outcome === "provider_error";
  return (
    <p className={`mt-1 flex items-center gap-1 text-sm ${isRemark ? "text-wait" : "text-good"}`}>
      <Icon name={isRemark ? "check" : "checks"} className="size-3.5" />
      {isRemark ? "shown to the sender; not an answer yet" : "delivered as the answer"}
    </p>
  );
}
