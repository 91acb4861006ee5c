/** Parses a line typed in the demo's chat. Pure. */
export type ChatCommand =
  | { kind: "send"; text: string }
  | { kind: "press"; button: number }
  | { kind: "topic"; name: string }
  | { kind: "file"; path: string }
  | { kind: "edit"; text: string }
  | { kind: "topics" | "stop" | "offline" | "online" | "kill" | "help" | "quit" | "nothing" }
  | { kind: "unknown"; word: string };

export const chatHelp = [
  ":1              press button 1",
  ":topic NAME     open or enter a topic; without a name, go back to the main chat",
  ":topics         list the topics",
  ":file PATH      send a file",
  ":edit TEXT      edit your last message",
  ":stop           press the stop button of the current answer",
  ":offline        take Telegram down; :online brings it back",
  ":kill           kill the worker, to see that nothing is lost",
  ":help           show this list",
  ":quit           end the demo",
];

export function readChatCommand(line: string): ChatCommand {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  if (!text.startsWith(":")) return { kind: "send", text };
  const [, word = "", rest = ""] = /^:(\S*)\s*(.*)$/s.exec(text) ?? [];
  if (/^\d+$/.test(word)) return { kind: "press", button: Number(word) };
  switch (word) {
    case "topic":
      return { kind: "topic", name: rest };
    case "file":
    case "edit":
      if (rest === "") return { kind: "help" };
      return word === "file" ? { kind: "file", path: rest } : { kind: "edit", text: rest };
    case "topics":
    case "stop":
    case "offline":
    case "online":
    case "kill":
    case "help":
    case "quit":
      return { kind: word };
    default:
      return { kind: "unknown", word: text };
  }
}
