/** The daemon goes down and comes back while the page is open: the page says so, and nothing is missing afterwards. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { lostConnection } from "../support/page/page-view.ts";
import { inPieces, PageWorld } from "../support/page/page-world.ts";

const script = {
  rules: [{ when: "tell me", steps: [inPieces("Before the crash", "and after it.")] }],
  otherwise: [{ say: "Answered." }],
};

const world = new PageWorld();
beforeAll(async () => {
  await world.start({ script });
});
afterEach(() => expect(world.takeProblems()).toEqual([]));
afterAll(() => world.dispose());

test("the page loses the daemon mid-turn, says so, and recovers without a gap", async () => {
  world.model.holdBefore("and after it.");
  const lane = await world.lane("crash");
  const view = await world.signIn();
  view.allow(lostConnection);
  await view.openLane(lane);
  await view.send("Hello there.");
  await view.sign("Hello there.", "answered").waitFor();
  await view.send("Please tell me.");
  await view.lastTurn.getByText("Before the crash").waitFor();

  await world.program.kill();
  const banner = view.page.getByText("Waybill does not answer");
  await banner.waitFor();
  // Shown content stays, and text typed during the outage is not lost.
  await view.lastTurn.getByText("Before the crash").waitFor();
  await view.send("Written while it was away.");
  await view.page.getByText("Your text is kept here").waitFor();
  expect(await view.box.inputValue()).toBe("Written while it was away.");

  // The agent continues without Waybill.
  world.model.letPass("and after it.");
  await world.up();
  await banner.waitFor({ state: "detached" });
  await view.sign("Please tell me.", "answered").waitFor();
  await view.conversation.getByText("Before the crash and after it.").waitFor();
  expect(await view.conversation.getByText("Before the crash").count()).toBe(1);

  await view.page.getByRole("button", { name: "Send", exact: true }).click();
  await view.sign("Written while it was away.", "answered").waitFor();
  // A turn's last words come after its message's sign.
  await view.lastTurn.getByText("delivered as the answer").waitFor();
  await view.page.locator("article[aria-busy=true]").waitFor({ state: "detached" });
  const shown = await view.conversation.getByRole("article").allInnerTexts();

  // A newly loaded page shows the same as the stream did.
  await view.page.reload();
  await view.sign("Written while it was away.", "answered").waitFor();
  await expect.poll(() => view.conversation.getByRole("article").allInnerTexts()).toEqual(shown);
  const { messages } = await world.client.messages({ lane });
  expect(messages.filter(({ text }) => text === "Written while it was away.")).toHaveLength(1);
});

test("events from while the page was disconnected appear when it reconnects", async () => {
  const lane = await world.lane("away");
  const view = await world.signIn();
  view.allow(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_FAILED/);
  await view.openLane(lane);
  await view.send("Hello there.");
  await view.sign("Hello there.", "answered").waitFor();
  await view.page.context().setOffline(true);
  await world.client.sendAndWait({ to: { lane }, text: "From a terminal.", source: "cli" });
  await view.page.context().setOffline(false);
  await view.sign("From a terminal.", "answered").waitFor();
  await view.message("From a terminal.").getByText("via terminal").waitFor();
  await expect.poll(() => view.conversation.getByText("Answered.", { exact: true }).count()).toBe(2);
});

test("the page says that its session has ended, and a new link opens it again", async () => {
  const view = await world.signIn();
  view.allow(lostConnection, /401/);
  await world.program.kill();
  // A new token ends all sessions.
  rmSync(join(world.program.home, "token"));
  await world.up();
  await view.page.getByRole("heading", { name: "Signed out" }).waitFor();
  await view.page.getByText("waybill open").waitFor();
  const { url } = await world.program.json<{ url: string }>("open");
  await view.page.goto(url);
  await view.page.getByRole("navigation", { name: "Conversations" }).waitFor();
  await view.page.goto(url);
  view.allow(/403/);
  await view.page.getByText("waybill open", { exact: true }).waitFor();
});
