/** Input and output of the demo's chat: a terminal with an input line at the bottom, or plain lines. */
import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { truncated } from "../output/table.ts";
import type { Paint } from "../output/terminal.ts";
import { printable } from "../output/terminal.ts";
import type { ChatChange } from "./chat-changes.ts";

export type ChatScreen = {
  print(line: string): void;
  /** The text being written right now, "" for none. Not shown where lines cannot be replaced. */
  draft(text: string): void;
  /** Resolves at the end of the input or on Ctrl-C. */
  lines(onLine: (line: string) => Promise<void>): Promise<void>;
  close(): void;
};

export function plainScreen(input: NodeJS.ReadableStream, print: (line: string) => void): ChatScreen {
  const lines = createInterface({ input });
  return {
    print,
    draft: () => {},
    async lines(onLine) {
      for await (const line of lines) await onLine(line);
    },
    close: () => lines.close(),
  };
}

export function terminalScreen(input: NodeJS.ReadStream, output: NodeJS.WriteStream): ChatScreen {
  const lines = createInterface({ input, output, prompt: "> " });
  let closed = false;
  // A prompt after the end would read from the terminal again, and the process would not exit.
  const prompt = () => {
    if (!closed) lines.prompt(true);
  };
  lines.once("close", () => {
    closed = true;
  });
  return {
    print(line) {
      const { rows } = lines.getCursorPos();
      moveCursor(output, 0, -rows);
      cursorTo(output, 0);
      clearScreenDown(output);
      // Leaves room for the prompt, which is redrawn over its previous number of rows.
      output.write(`${line}\n${"\n".repeat(rows)}`);
      prompt();
    },
    draft(text) {
      const shown = truncated(text.replaceAll(/\s+/g, " "), (output.columns || 80) - 3);
      lines.setPrompt(text === "" ? "> " : `… ${shown}\n> `);
      prompt();
    },
    lines: (onLine) =>
      new Promise((resolve) => {
        lines.on("line", (line) => void onLine(line).then(prompt));
        lines.on("close", resolve).on("SIGINT", resolve);
        lines.prompt();
      }),
    close: () => lines.close(),
  };
}

export function chatLines(change: ChatChange, paint: Paint): string[] {
  switch (change.type) {
    case "message": {
      const { topic, text, isEdited, file, buttons } = change;
      const where = topic === null ? "" : ` [${printable(topic)}]`;
      const head = paint("cyan", `bot${where}${isEdited ? " (edited)" : ""}:`);
      const [first = "", ...rest] = printable(text).split("\n");
      const shown = buttons.map(({ number, text: label }) => paint("yellow", `[:${number} ${printable(label)}]`));
      return [
        `${head} ${first}`,
        ...rest.map((line) => `     ${line}`),
        ...(file === null ? [] : [`     file: ${printable(file)}`]),
        ...(shown.length === 0 ? [] : [`     ${shown.join(" ")}`]),
      ];
    }
    case "reaction":
      return change.emoji.length === 0 ? [] : [paint("dim", `bot reacts: ${change.emoji.join(" ")}`)];
    case "deleted":
      return [paint("dim", "bot deleted a message.")];
    default:
      return change satisfies never;
  }
}
