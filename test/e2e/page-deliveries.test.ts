/**
 * What the page says about a message until it is answered. Accepted is not answered: each case has its own sign, the page
 * claims nothing that the ledger does not know, and every possible action is one click away.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { lostConnection, type PageView } from "../support/page/page-view.ts";
import { PageWorld } from "../support/page/page-world.ts";

const silent = { steps: [{ wait: 50 }] };
const endless = { wait: 600_000 };
/** Only the text of a retry has these words. */
const retried = "nothing shows that you acted on it";

const script = {
  rules: [
    { when: "fail twice", once: true, steps: [{}] },
    { when: "fail twice", once: true, steps: [{}] },
    { when: "stay silent", steps: [{}] },
    { when: retried, steps: [{ say: "Now I answer." }] },
    { when: "be silent", steps: [{}] },
  ],
};
const stubs = {
  busy: {
    script: {
      always: [{ when: "hold", steps: [{ say: "One moment." }, endless] }, { steps: [{ say: "Done at once." }] }],
    },
  },
  mute: { script: { always: [silent] } },
  away: { script: { always: [{ arrival: "unavailable" as const }] } },
  mate: { contract: "tool" as const, script: { always: [{ steps: [{ reply: "The build is green." }, endless] }] } },
};

const world = new PageWorld();
beforeAll(async () => {
  await world.start({ script, stubs });
});
afterEach(() => expect(world.takeProblems()).toEqual([]));
afterAll(() => world.dispose());

async function stop(view: PageView): Promise<void> {
  await view.page.getByRole("button", { name: "Stop", exact: true }).click();
  await view.page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
}

/** Sends something that the agent leaves unanswered. Its retry then waits until the lane is resumed. */
async function sendIgnored(view: PageView, lane: string, text: string): Promise<void> {
  const theEnd = '"finish_reason":"stop"';
  world.model.holdBefore(theEnd);
  await view.openLane(lane);
  await view.send(text);
  await view.sign(text, "accepted").waitFor();
  await world.client.pauseLane(lane);
  world.model.letPass(theEnd);
}

test("a retry is announced with its time, happens, and succeeds", async () => {
  const view = await world.signIn();
  const lane = await world.lane("retries");
  await sendIgnored(view, lane, "Please be silent.");
  const notice = view.message("Please be silent.").locator("[data-notice=retry_scheduled]");
  await notice.filter({ hasText: /The agent said nothing\. .* asked again (in \d s|now)/ }).waitFor();
  expect(await view.awaited("Please be silent.").count()).toBe(1);
  await world.client.resumeLane(lane);
  await view.sign("Please be silent.", "answered").waitFor();
  await notice.waitFor({ state: "detached" });
  await view.page.getByText("asked again, attempt 2").waitFor();
  await view.lastTurn.getByText("Now I answer.").waitFor();
});

/** Gives a scripted agent another script. */
async function restartWith(lane: string, script: unknown): Promise<void> {
  const path = world.program.env.WAYBILL_CONFIG ?? "";
  const config = JSON.parse(readFileSync(path, "utf8")) as { lanes: { id: string }[] };
  const lanes = config.lanes.map((one) => (one.id === lane ? { ...one, script } : one));
  writeFileSync(path, JSON.stringify({ ...config, lanes }));
  await world.program.kill();
  await world.up();
}

test("a message that failed for good says why, and its button retries it; its page shows each attempt and the proof", async () => {
  const view = await world.signIn();
  await view.openLane(await world.lane("failures"));
  await view.send("Please fail twice.");
  await view.sign("Please fail twice.", "failed").waitFor();
  const notice = view.message("Please fail twice.").getByRole("alert");
  expect(await notice.innerText()).toMatch(/after 2 attempts\. .*\. The message is still unread/);
  expect(await view.awaited("Please fail twice.").count()).toBe(0);

  await notice.getByRole("button", { name: "Retry" }).click();
  await view.sign("Please fail twice.", "answered").waitFor();
  await view.message("Please fail twice.").getByRole("link", { name: "Why?" }).click();
  await view.page.getByRole("heading", { name: "Message to failures" }).waitFor();
  for (const number of [1, 2, 3]) await view.page.getByRole("region", { name: `Attempt ${number}` }).waitFor();
  const evidence = view.page.getByRole("region", { name: "Evidence" });
  await evidence.getByText("Answer in words").waitFor();
  await view.page.getByRole("link", { name: "Show in the conversation" }).click();
  await view.message("Please fail twice.").waitFor();
});

test("a button cancels a failed message", async () => {
  const view = await world.signIn({ path: "/lanes/mute" });
  await view.send("Say something.");
  await view.sign("Say something.", "failed").waitFor();
  await view.message("Say something.").getByRole("button", { name: "Cancel the message" }).click();
  await view.sign("Say something.", "cancelled").waitFor();
  expect(await view.message("Say something.").getByRole("button").count()).toBe(0);
});

test("a message queued behind another says so, and can be withdrawn", async () => {
  const view = await world.signIn({ path: "/lanes/busy" });
  await view.send("Please hold.");
  await view.sign("Please hold.", "accepted").waitFor();
  await view.send("And this.");
  await view.sign("And this.", "queued").waitFor();
  await view.message("And this.").getByRole("link", { name: "Why?" }).click();
  await view.page.getByRole("button", { name: "Withdraw" }).click();
  await view.page.getByText("Withdrawn before it was sent").first().waitFor();
  await view.page.goBack();
  await view.sign("And this.", "cancelled").waitFor();
  await stop(view);
  await view.send("And now?");
  await view.sign("And now?", "answered").waitFor();
});

describe("signs and drafts", () => {
  test("accepted but not answered yet does not count as a failed send", async () => {
    const view = await world.signIn({ path: "/lanes/busy" });
    await view.send("Please hold once more.");
    await view.sign("Please hold once more.", "accepted").waitFor();
    expect(await view.box.inputValue()).toBe("");
    expect(await view.page.getByRole("alert").count()).toBe(0);
    expect(await view.awaited("Please hold once more.").count()).toBe(1);
    await stop(view);
  });

  test("an unreachable agent is a warning, and the message is saved", async () => {
    const view = await world.signIn({ path: "/lanes/away" });
    view.allow(lostConnection);
    await view.send("Are you there?");
    await view.message("Are you there?").locator("[data-notice]").filter({ hasText: "saved" }).waitFor();
    await restartWith("away", { always: [{ steps: [{ say: "I am back." }] }] });
    await view.sign("Are you there?", "answered").waitFor();
  });

  test("a failed send keeps the draft with its files, and it can be sent again without them", async () => {
    const lane = await world.lane("drafts");
    const view = await world.signIn();
    view.allow(/409/);
    await view.openLane(lane);
    const file = { name: "data.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2, 3]) };
    await view.page.getByLabel("Files to attach").setInputFiles(file);
    await view.page.getByRole("list", { name: "Attached files" }).getByText("data.bin").waitFor();
    await view.send("What is in it?");
    await view.page.getByText("Your text is kept here").waitFor();
    expect(await view.box.inputValue()).toBe("What is in it?");
    await view.page.reload();
    await view.page.getByRole("list", { name: "Attached files" }).getByText("data.bin").waitFor();
    expect(await view.box.inputValue()).toBe("What is in it?");
    await view.page.getByRole("button", { name: "Remove data.bin" }).click();
    await view.page.getByRole("button", { name: "Send", exact: true }).click();
    await view.sign("What is in it?", "answered").waitFor();
    const { messages } = await world.client.messages({ lane });
    expect(messages.filter(({ text }) => text === "What is in it?")).toHaveLength(1);
  });

  test("the sign for a pending answer stays during a retry, and disappears with the final failure", async () => {
    const view = await world.signIn();
    const lane = await world.lane("silences");
    await sendIgnored(view, lane, "Please stay silent.");
    await view.sign("Please stay silent.", "asked_again").waitFor();
    expect(await view.awaited("Please stay silent.").count()).toBe(1);
    await world.client.resumeLane(lane);
    await view.sign("Please stay silent.", "failed").waitFor();
    expect(await view.awaited("Please stay silent.").count()).toBe(0);
  });

  test("it disappears when a reply arrives that names the message, while the agent keeps working", async () => {
    const view = await world.signIn({ path: "/lanes/mate" });
    await view.send("How is the build?");
    await view.sign("How is the build?", "answered").waitFor();
    expect(await view.awaited("How is the build?").count()).toBe(0);
    await view.message("The build is green.").waitFor();
    expect(await view.lastTurn.getAttribute("aria-busy")).toBe("true");
    await stop(view);
  });

  test("no reply is invented for an agent that said nothing", async () => {
    const view = await world.signIn({ path: "/lanes/mute" });
    await view.send("Anything at all?");
    await view.sign("Anything at all?", "failed").waitFor();
    const { messages } = await world.client.messages({ lane: "mute" });
    const fromAgent = messages.filter(({ from }) => from === "mute");
    expect(fromAgent).toEqual([]);
    expect(await view.page.getByRole("article", { name: "Message from mute" }).count()).toBe(0);
    // Waybill's own messages have its own name.
    for (const article of await view.page.getByRole("article", { name: /^Message from / }).all())
      expect(await article.getAttribute("aria-label")).toMatch(/^Message from (user|waybill)$/);
  });
});

test("a prompt without a timely confirmation is being checked until its transcript is read, and has not failed", async () => {
  const late = new PageWorld();
  onTestFinished(() => late.dispose());
  // No event and no timer leads to a read: only the restart does.
  const waits = { submitLimitMs: 500, firstReconcileDelayMs: 600_000, maxReconcileDelayMs: 600_000 };
  const turns = [{ arrival: "after_timeout" as const, steps: [{ say: "It had arrived." }] }];
  await late.start({ stubs: { late: { script: { turns, hints: false } } }, waits });
  const view = await late.signIn({ path: "/lanes/late" });
  await view.send("Did it arrive?");
  await view.sign("Did it arrive?", "checking").waitFor();
  await view.message("Did it arrive?").getByText("Still checking").waitFor();
  expect(await view.page.getByRole("alert").count()).toBe(0);

  await late.program.kill();
  await late.up();
  await view.sign("Did it arrive?", "answered").waitFor();
  expect((await late.client.deliveries({ lane: "late" })).deliveries[0]?.attempts).toBe(1);
});
