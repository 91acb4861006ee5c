import { test } from "vitest";
import { expectOneAnswerEach } from "../support/telegram/expect-killed-chats.ts";
import { killAtRandom } from "../support/telegram/telegram-kills.ts";

test("a hundred kills under ten topics: each message is prompted once and answered once, in order", async () => {
  expectOneAnswerEach(await killAtRandom(100));
});
