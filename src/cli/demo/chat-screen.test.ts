import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { terminalScreen } from "./chat-screen.ts";

test("a closed screen no longer reads from the terminal, whatever is printed or typed last", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const screen = terminalScreen(
    input as unknown as NodeJS.ReadStream,
    Object.assign(output, { columns: 80 }) as unknown as NodeJS.WriteStream,
  );
  const typed = screen.lines(async (line) => {
    if (line === ":quit") screen.close();
  });
  input.write(":quit\n");
  await typed;
  await new Promise(setImmediate);
  screen.print("bot deleted a message.");
  screen.draft("");
  expect(input.isPaused()).toBe(true);
});
