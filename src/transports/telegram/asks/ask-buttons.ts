/** The buttons of an ask, and how to read a press. Pure. */
import type { AskDecision } from "../../../service/service.ts";
import type { Button, Keyboard } from "../outgoing/chat-row.ts";
import type { ChatAsk } from "./chat-asks.ts";

type AskPress =
  | { kind: "decide"; decision: AskDecision["decision"] }
  | { kind: "reason" }
  | { kind: "choose"; question: number; option: number }
  /** Carries the wanted state rather than a toggle, so that a repeated press is harmless. */
  | { kind: "mark"; question: number; option: number; on: boolean }
  | { kind: "send"; question: number }
  | { kind: "other"; question: number };

export const askPressPrefix = "ask";

/** Telegram shows at most 100 buttons. People can type the options beyond. */
const maxOptions = 50;
const maxLabel = 60;

export function askButtons(ask: ChatAsk, part: number): Keyboard {
  return ask.kind === "permission" ? permissionButtons(ask) : questionButtons(ask, part);
}

function permissionButtons({ name }: ChatAsk): Keyboard {
  const button = (text: string, word: string): Button => ({ text, data: `${askPressPrefix}:${name}:${word}` });
  return [
    [button("Once", "once"), button("Always", "always")],
    [button("Reject", "reject"), button("Reject with a reason…", "reason")],
  ];
}

function questionButtons({ name, questions, marked }: ChatAsk, index: number): Keyboard {
  const { options = [], multiple = false } = questions[index] ?? {};
  const chosen = marked[index] ?? [];
  const rows = options.slice(0, maxOptions).map(({ label }, option): Button[] => {
    const isMarked = chosen.includes(option);
    const action = multiple ? `mark:${index}:${option}:${isMarked ? "off" : "on"}` : `choose:${index}:${option}`;
    return [{ text: `${isMarked ? "✓ " : ""}${shortened(label)}`, data: `${askPressPrefix}:${name}:${action}` }];
  });
  const other: Button = {
    text: options.length === 0 ? "Answer…" : "Other…",
    data: `${askPressPrefix}:${name}:other:${index}`,
  };
  const send: Button = { text: "Send", data: `${askPressPrefix}:${name}:send:${index}` };
  return [...rows, multiple && options.length > 0 ? [send, other] : [other]];
}

function shortened(label: string): string {
  const characters = [...label];
  return characters.length <= maxLabel ? label : `${characters.slice(0, maxLabel - 1).join("")}…`;
}

/** Null for data that Waybill did not write. */
export function readAskPress(data: string): { name: string; press: AskPress } | null {
  const [, name, word = "", ...rest] = data.split(":");
  const press = pressOf(word, Number(rest[0]), Number(rest[1]), rest[2] === "on");
  return name === undefined || press === null ? null : { name, press };
}

function pressOf(word: string, question: number, option: number, on: boolean): AskPress | null {
  switch (word) {
    case "once":
    case "always":
    case "reject":
      return { kind: "decide", decision: word };
    case "reason":
      return { kind: "reason" };
    case "choose":
      return { kind: "choose", question, option };
    case "mark":
      return { kind: "mark", question, option, on };
    case "send":
      return { kind: "send", question };
    case "other":
      return { kind: "other", question };
    default:
      return null;
  }
}
