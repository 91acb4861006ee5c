import { Api } from "grammy";
import { expect, test } from "vitest";
import { ManualClock, settled } from "../../../test/support/core/manual-clock.ts";
import { testService } from "../../../test/support/daemon/test-service.ts";
import { transportBox } from "../../mail/outbox/transport-box.ts";
import { ChatAsks } from "./asks/chat-asks.ts";
import { tellNotices } from "./notices.ts";
import type { TelegramSettings } from "./settings.ts";
import type { TelegramContext } from "./telegram-context.ts";
import { Topics } from "./topics/topics.ts";

const settings: TelegramSettings = {
  ...{ token: "1:x", apiRoot: "http://127.0.0.1", defaultWorkspace: "/", webhook: null, footer: false },
  ...{ allowedUsers: [5], allowedChats: [], admins: [] },
  ...{ pollIntervalMs: 0, longPollMs: 1000, callTimeoutMs: 1000, previewEveryMs: 1000 },
  progress: { firstMs: 1, everyMs: 1, maxCount: 1 },
};

test("a store that cannot be written for a while delays notices to the chats, and loses none of them", async () => {
  const service = testService();
  await service.ready();
  const clock = new ManualClock();
  const box = transportBox("telegram", service.store, clock);
  const after = service.logEnd();
  let failures = 2;
  const write: typeof box.write = async (writes) => {
    if (failures > 0) {
      failures -= 1;
      throw new Error("the disk is full");
    }
    return box.write(writes);
  };
  const context: TelegramContext = {
    ...{ service, clock, settings, box: { ...box, write }, topics: new Topics(), asks: new ChatAsks() },
    ...{ api: new Api("1:x"), bot: { id: 1, username: "bot" }, sent: async () => {} },
  };
  const closing = new AbortController();
  const errors: unknown[] = [];
  const woken: string[] = [];
  const telling = tellNotices(
    {
      ...{ context, after, onGap: () => {} },
      wake: (channel) => woken.push(channel),
      onError: ({ error }) => errors.push(error),
    },
    closing.signal,
  );
  // Its topic is unknown, as after a crash between admitting the message and storing the topic.
  const message = { to: { lane: "demo" }, from: "ann", text: "Sort it.", conversation: "5:root" };
  await service.send({ ...message, id: "telegram:1:5:7", source: "telegram" });
  await service.withdraw("telegram:1:5:7", "demo");
  await settled();
  await clock.advance(10_000);
  await settled();
  expect(await box.head("5")).toMatchObject({ channel: "5", body: { markdown: "Withdrawn.", replyTo: 7 } });
  expect(woken).toEqual(["5"]);
  expect(errors).toHaveLength(2);
  closing.abort();
  await telling;
});
