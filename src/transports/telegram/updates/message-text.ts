/** The text that the agent reads: the message, and what it replies to or was forwarded from. Pure. */
import type { IncomingMessage } from "./read-update.ts";

const maxQuoted = 1000;

/** `isEdit`: the agent knows an earlier text of this message. */
export function agentText(message: IncomingMessage, { isEdit }: { isEdit: boolean }): string {
  const { text, repliesTo, forwardedFrom } = message;
  const quoted = repliesTo?.text ? `${quote(repliesTo.text.slice(0, maxQuoted))}\n\n` : "";
  const forwarded = forwardedFrom === null ? "" : `(Forwarded from ${forwardedFrom}.)\n\n`;
  const edited = isEdit ? "(I edited my earlier message. It now says:)\n\n" : "";
  const said = text === "" ? "(Sent without text. See the attachments.)" : text;
  return `${edited}${quoted}${forwarded}${said}`;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
