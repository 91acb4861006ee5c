/** Where the demo's chat is shown and typed: a terminal with a line for input below, or plain lines. */
import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { truncated } from "../output/table.ts";

export type ChatScreen = {
  print(line: string): void;
  /** What is being written at the moment; "" for nothing. Not shown where lines cannot be replaced. */
  draft(text: string): void;
  /** Resolves at the end of the input, and when Ctrl-C is pressed. */
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
  return {
    print(line) {
      const { rows } = lines.getCursorPos();
      moveCursor(output, 0, -rows);
      cursorTo(output, 0);
      clearScreenDown(output);
      // The prompt is drawn again as many rows further up as it had.
      output.write(`${line}\n${"\n".repeat(rows)}`);
      lines.prompt(true);
    },
    draft(text) {
      const shown = truncated(text.replaceAll(/\s+/g, " "), (output.columns || 80) - 3);
      lines.setPrompt(text === "" ? "> " : `… ${shown}\n> `);
      lines.prompt(true);
    },
    lines: (onLine) =>
      new Promise((resolve) => {
        lines.on("line", (line) => void onLine(line).then(() => lines.prompt(true)));
        lines.on("close", resolve).on("SIGINT", resolve);
        lines.prompt();
      }),
    close: () => lines.close(),
  };
}
