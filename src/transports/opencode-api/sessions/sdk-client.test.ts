import { createOpencodeClient } from "@opencode-ai/sdk/v2/client";
import { expect, it, onTestFinished } from "vitest";
import { anApiOn, token } from "../../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { World, WorldOptions } from "../../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";
import { listen } from "../../http/serve.ts";

async function aClient(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const { app, errors } = anApiOn(serviceOf(world.waybill), { clock: world.clock });
  const listening = await listen({ port: 0, app });
  onTestFinished(async () => {
    await listening.close();
    expect(errors).toEqual([]);
  });
  const client = createOpencodeClient({
    baseUrl: `${listening.url}/opencode`,
    headers: { authorization: `Basic ${Buffer.from(`opencode:${token}`).toString("base64")}` },
    throwOnError: true,
  });
  return { world, client };
}

async function dataOf<T>(answer: Promise<{ data?: T | undefined }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error("the client was answered without data");
  return data;
}

/** Advances the clock until the promise settles. */
async function inTime<T>(world: World, wanted: Promise<T>): Promise<T> {
  let isOver = false;
  const over = wanted.finally(() => {
    isOver = true;
  });
  while (!isOver) await world.clock.advance(250);
  return over;
}

/** Lets the agent work until the client's message exists and has one of the wanted statuses. */
async function delivered(world: World, lane: string, messageID: string, ...wanted: ("responded" | "accepted")[]) {
  await expect.poll(() => world.waybill.store.deliveryOf(lane, messageID)).not.toBeNull();
  await world.clock.until(async () => wanted.includes((await world.delivery(messageID, lane)).status as "responded"));
}

it("the real client creates a session, prompts it, and reads the messages", async () => {
  const { world, client } = await aClient({ script: { always: [{ steps: [{ say: "The build is green again." }] }] } });
  const model = { providerID: "stub", id: "default" };
  const session = await dataOf(client.session.create({ directory: "/tmp", title: "Builds", model }));
  expect(session).toMatchObject({ id: expect.stringMatching(/^ses_oc-/), title: "Builds", directory: "/tmp" });
  const sessionID = session.id;

  const messageID = "msg_0123456789abABCDEF";
  const prompt = client.session.prompt({
    sessionID,
    messageID,
    parts: [{ type: "text", text: "Is the build green?" }],
  });
  await delivered(world, session.slug, messageID, "responded");
  await world.clock.advance(60_000);
  const answer = await inTime(world, dataOf(prompt));
  expect(answer.info).toMatchObject({ role: "assistant", sessionID, parentID: messageID, providerID: "stub" });
  expect(answer.parts).toContainEqual(expect.objectContaining({ type: "text", text: "The build is green again." }));

  const messages = await dataOf(client.session.messages({ sessionID, limit: 10 }));
  expect(messages.map(({ info }) => info.role)).toEqual(["user", "assistant"]);
  expect(messages[0]).toMatchObject({
    info: { id: messageID },
    parts: [{ type: "text", text: "Is the build green?" }],
  });
  expect(messages[1]).toEqual(answer);
  expect(await dataOf(client.session.message({ sessionID, messageID }))).toEqual(messages[0]);
  expect((await dataOf(client.session.list())).map(({ id }) => id)).toEqual([sessionID, "ses_lane"]);
  expect(await dataOf(client.session.status())).toEqual({});
});

it("the real client grants a permission once", async () => {
  const steps = [{ ask: "permission" as const, title: "bash: rm -r build" }, { say: "The build directory is gone." }];
  const { world, client } = await aClient({ script: { always: [{ steps }] } });
  const sessionID = "ses_lane";
  await client.session.promptAsync({ sessionID, messageID: "msg_1", parts: [{ type: "text", text: "Tidy up." }] });
  await world.clock.until(async () => (await world.waybill.asks.list()).length > 0);
  expect(await dataOf(client.session.status())).toEqual({ [sessionID]: { type: "busy" } });

  const pending = await dataOf(client.permission.list());
  expect(pending).toEqual([
    expect.objectContaining({
      sessionID,
      permission: "bash",
      patterns: ["rm -r build"],
      id: expect.stringMatching(/^per_/),
    }),
  ]);
  const requestID = pending[0]?.id ?? "";
  expect(await dataOf(client.question.list())).toEqual([]);
  expect(await dataOf(client.permission.reply({ requestID, reply: "once" }))).toBe(true);
  const again = client.permission.reply({ requestID, reply: "once" });
  await expect(again).rejects.toMatchObject({
    cause: { status: 404, body: { _tag: "PermissionNotFoundError", requestID } },
  });
  await world.reaches("msg_1", "responded");
  expect(await dataOf(client.permission.list())).toEqual([]);
});

it("the real client answers a question once", async () => {
  const steps = [{ ask: "question" as const, title: "Which colour?" }, { say: "It is painted red now." }];
  const { world, client } = await aClient({ script: { always: [{ steps }] } });
  await client.session.promptAsync({
    sessionID: "ses_lane",
    messageID: "msg_1",
    parts: [{ type: "text", text: "Paint." }],
  });
  await world.clock.until(async () => (await world.waybill.asks.list()).length > 0);
  const [question] = await dataOf(client.question.list());
  expect(question).toMatchObject({ sessionID: "ses_lane", questions: [{ question: "Which colour?" }] });
  const requestID = question?.id ?? "";
  expect(await dataOf(client.question.reply({ requestID, answers: [["Red"]] }))).toBe(true);
  await expect(client.question.reject({ requestID })).rejects.toMatchObject({
    cause: { status: 404, body: { _tag: "QuestionNotFoundError", requestID } },
  });
  await world.reaches("msg_1", "responded");
});

it("the real client aborts a turn, and a client that waits for its answer is notified", async () => {
  const { world, client } = await aClient({ script: { always: [{ steps: [{ say: "I begin." }, { hang: true }] }] } });
  const [sessionID, messageID] = ["ses_lane", "msg_1"];
  const prompt = client.session.prompt({ sessionID, messageID, parts: [{ type: "text", text: "Go on for ever." }] });
  await delivered(world, "lane", messageID, "accepted");
  await world.clock.advance(1000);
  expect(await dataOf(client.session.abort({ sessionID }))).toBe(true);
  await world.reaches(messageID, "cancelled");
  await world.clock.advance(60_000);
  expect((await inTime(world, dataOf(prompt))).info).toMatchObject({
    parentID: messageID,
    error: { name: "MessageAbortedError" },
  });
});

it("a client that cannot answer questions is not kept waiting by one", async () => {
  const steps = [{ ask: "question" as const, title: "Which colour?" }, { say: "It is painted red now." }];
  const { world, client } = await aClient({ script: { always: [{ steps }] } });
  const deny = (permission: string) => ({ permission, action: "deny" as const, pattern: "*" });
  const session = await dataOf(
    client.session.create({
      directory: "/tmp",
      model: { providerID: "stub", id: "default" },
      permission: ["question", "plan_enter", "plan_exit"].map(deny),
    }),
  );
  const prompt = client.session.prompt({
    sessionID: session.id,
    messageID: "msg_1",
    parts: [{ type: "text", text: "Paint." }],
  });
  await expect.poll(() => world.waybill.store.deliveryOf(session.slug, "msg_1")).not.toBeNull();
  const { parts } = await inTime(world, dataOf(prompt));
  expect(parts).toContainEqual(
    expect.objectContaining({ type: "tool", state: expect.objectContaining({ status: "error" }) }),
  );
  expect(await dataOf(client.question.list())).toEqual([]);
});
