/** What a person does on the page every day: writes, attaches files, searches, and creates lanes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PageWorld } from "../support/page/page-world.ts";
import { aRow, TeamDirectory } from "../support/teams/team-directory.ts";

const script = { otherwise: [{ say: "You said: {{text}}" }] };
const echo = { script: { always: [{ steps: [{ echo: "I read: " }] }] } };

const world = new PageWorld();
let crew: TeamDirectory;
beforeAll(async () => {
  crew = new TeamDirectory(world.program.directory).make(["team-lead", "tom", "nate"]);
  await world.start({
    script,
    stubs: { inbox: echo, other: echo },
    settings: {
      teams: { crew: { directory: crew.path, members: { tom: { lane: "inbox" }, nate: { kind: "native" } } } },
    },
  });
});
afterEach(() => expect(world.takeProblems()).toEqual([]));
afterAll(() => world.dispose());

test.each(["/", "/lanes/other"])("the first load of %s is less than 250 kB, compressed", async (path) => {
  await world.client.sendAndWait({ to: { lane: "other" }, text: "Is there anybody?" });
  const view = await world.signIn();
  view.requests.length = 0;
  await view.open(path);
  await view.page.getByRole("main").getByText("Is there anybody?").first().waitFor();
  const files = new Set(view.requests.filter((url) => /\/assets\//.test(url)));
  const bodies = [view.page.url(), ...files].map(async (url) => (await view.page.request.get(url)).body());
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length);
  expect(files.size).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});

test("a page that is opened reads everything once", async () => {
  await world.client.sendAndWait({ to: { lane: "other" }, text: "Is this read once?" });
  // Otherwise the page marks it as read, and counts again.
  await world.client.markRead();
  const view = await world.signIn();
  // If the stream takes more than a second to open, as on a slow machine, the page reads without it, and then again.
  await view.page.addInitScript(`{
    const { setTimeout } = window;
    window.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 1000 ? 60_000 : ms, ...rest);
  }`);
  view.requests.length = 0;
  await view.open("/lanes/other");
  await view.sign("Is this read once?", "answered").waitFor();
  await view.page.waitForTimeout(1000);
  const reads = view.requests.filter((url) => url.includes("/v1/") && !url.endsWith("/v1/stream"));
  expect(reads.length).toBeGreaterThan(5);
  expect(reads.toSorted()).toEqual([...new Set(reads)].sort());
});

test("a draft survives a reload, and belongs to its conversation", async () => {
  const view = await world.signIn({ path: "/lanes/other" });
  await view.box.fill("Half a thought");
  await view.page.reload();
  await expect.poll(() => view.box.inputValue()).toBe("Half a thought");
  await view.openLane("inbox");
  expect(await view.box.inputValue()).toBe("");
  await view.openLane("other");
  await view.box.press("Enter");
  await view.sign("Half a thought", "answered").waitFor();
  expect(await view.box.inputValue()).toBe("");
  await view.page.reload();
  await view.message("Half a thought").waitFor();
  expect(await view.box.inputValue()).toBe("");
});

test("a file is attached, sent, shown with its message and downloaded", async () => {
  const view = await world.signIn();
  await view.openLane(await world.lane("files"));
  const path = join(world.work, "notes.md");
  writeFileSync(path, "# Notes\n");
  await view.page.getByLabel("Files to attach").setInputFiles(path);
  await view.page.getByRole("list", { name: "Attached files" }).getByText("notes.md").waitFor();
  await view.send("What do these say?");
  await view.sign("What do these say?", "answered").waitFor();
  const attached = view.message("What do these say?").getByRole("link", { name: /notes\.md/ });
  const [download] = await Promise.all([view.page.waitForEvent("download"), attached.click()]);
  expect(download.suggestedFilename()).toBe("notes.md");
  expect(await view.page.getByRole("list", { name: "Attached files" }).count()).toBe(0);
});

test("messages show wherever they came from: the command line, the API, a tool, an inbox file", async () => {
  const view = await world.signIn({ path: "/lanes/inbox" });
  await world.program.json("send", "--lane", "inbox", "From the command line.");
  await world.client.send({ to: { lane: "inbox" }, text: "From a program.", from: "robot" });
  crew.add("tom", aRow({ text: "From an inbox file.", from: "nate" }));
  await view.sign("From the command line.", "answered").waitFor();
  await view.message("From the command line.").getByText("via terminal").first().waitFor();
  await view.sign("From a program.", "answered").waitFor();
  await view.sign("From an inbox file.", "answered").waitFor();
  await view.message("From an inbox file.").getByText("via inbox file").waitFor();
});

test("a row that was lost from an inbox file is a warning, until it is dismissed", async () => {
  const view = await world.signIn({ path: "/" });
  await world.client.send({ messageId: "for-nate", to: { team: "crew", member: "nate" }, text: "To an inbox file." });
  const sent = async () => (await world.client.messages({ messageId: "for-nate" })).messages[0];
  await expect.poll(async () => (await sent())?.handOver?.state).toBe("handed_over");
  crew.put("nate", []);
  const notices = view.page.getByRole("region", { name: "Notices" });
  const own = notices.getByRole("status").filter({ hasText: "for-nate" });
  expect(await own.innerText()).toContain("A message is no longer in the inbox file of nate in team crew");
  await own.getByRole("button", { name: "Dismiss" }).click();
  await own.waitFor({ state: "detached" });
});

test("older messages load up to the first one, and after a failure only when they are asked for again", async () => {
  const view = await world.signIn({ path: "/lanes/other" });
  const texts = Array.from({ length: 60 }, (_, index) => `Old message ${index}.`);
  for (const text of texts) await world.client.sendAndWait({ to: { lane: "other" }, text });
  view.allow(/ERR_FAILED/);
  const older = /\/v1\/messages\?.*cursor=/;
  await view.page.route(older, (route) => route.abort());
  await view.open("/lanes/other");
  await view.message("Old message 59.").waitFor();
  await view.conversation.focus();
  const again = view.page.getByRole("button", { name: "Load older messages" });
  // Pressed while the conversation is still being loaded, the key does not get to its beginning.
  await expect
    .poll(async () => {
      await view.page.keyboard.press("Home");
      return again.count();
    })
    .toBe(1);
  const asked = () => view.requests.filter((url) => older.test(url)).length;
  const before = asked();
  await view.page.keyboard.press("End");
  await view.page.keyboard.press("Home");
  await again.waitFor();
  expect(asked()).toBe(before);
  await view.page.unroute(older);
  await again.click();
  await expect
    .poll(async () => {
      await view.page.keyboard.press("Home");
      return view.message("Old message 0.").count();
    })
    .toBe(1);
});

test("a link to a message that is not in the conversation says so, and loads no older messages", async () => {
  const view = await world.signIn({ path: "/lanes/other?message=no-such-message" });
  await view.page.getByText("Message not found").waitFor();
  await view.message("Old message 59.").waitFor();
  const { messages } = await world.client.messages({ lane: "other", q: "Old message 0" });
  const [, sent] = messages;
  await view.open(`/lanes/inbox?message=${sent?.id}`);
  const notice = view.page.getByRole("status").filter({ hasText: "is in another conversation" });
  await notice.waitFor();
  const older = () => view.requests.filter((url) => /\/v1\/messages\?.*cursor=/.test(url));
  expect(older()).toEqual([]);
  await notice.getByRole("link", { name: "other" }).click();
  await view.message("Old message 0.").waitFor();
  expect(older().length).toBeGreaterThan(0);
  expect(await notice.count()).toBe(0);
});

test("a member that runs elsewhere has a conversation with the state of each row and its replies", async () => {
  const view = await world.signIn({ path: "/" });
  const link = view.page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /nate/ });
  await link.click();
  await view.send("Is the roof done?");
  await view.sign("Is the roof done?", "handed_over").waitFor();
  const [row] = crew.rows("nate").filter(({ text }) => text === "Is the roof done?");
  crew.put(
    "nate",
    crew.rows("nate").map((one) => ({ ...one, read: true })),
  );
  await view.sign("Is the roof done?", "taken").waitFor();
  await view.open("/");
  crew.add("user", aRow({ from: "nate", text: "The roof is done.", relayOfMessageId: row?.messageId }));
  await link.getByText("1 unread").waitFor();
  await link.click();
  await view.message("The roof is done.").getByText("nate", { exact: true }).waitFor();
  await link.getByText("1 unread").waitFor({ state: "detached" });
  await view.page.reload();
  await view.sign("Is the roof done?", "taken").waitFor();
  await view.message("The roof is done.").waitFor();
});

test("unseen messages are counted, and read when the conversation is opened", async () => {
  const view = await world.signIn({ path: "/lanes/inbox" });
  const row = view.page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /other/ });
  await world.client.sendAndWait({ to: { lane: "other" }, text: "While you look elsewhere." });
  await row.getByText(/\d+ unread/).waitFor();
  await row.click();
  await view.message("While you look elsewhere.").waitFor();
  await row.getByText(/\d+ unread/).waitFor({ state: "detached" });
  const { messages } = await world.client.inbox({ person: "user", unread: true });
  expect(messages.filter(({ lane }) => lane === "other")).toEqual([]);
});

test("search finds words in messages and answers, and links to the message in its conversation", async () => {
  const { messageId } = await world.client.sendAndWait({ to: { lane: "other" }, text: "Where is the heliograph?" });
  const view = await world.signIn({ path: "/search?q=heliograph" });
  await view.page
    .getByRole("main")
    .getByRole("link", { name: /heliograph/ })
    .last()
    .click();
  await view.page.waitForURL(/\/lanes\/other\?message=/);
  await view.message("Where is the heliograph?").waitFor();

  // The link opens the same in another browser.
  const other = await world.signIn({ path: `/lanes/other?message=${messageId}` });
  await other.message("Where is the heliograph?").waitFor();
});

test("the palette reaches every view by keyboard", async () => {
  const view = await world.signIn({ path: "/" });
  // What was read is shown only after the page listens to keys.
  const conversations = view.page.getByRole("navigation", { name: "Conversations" });
  await conversations.getByRole("link", { name: /other/ }).waitFor();
  await view.page.keyboard.press("Control+k");
  await view.page.getByRole("dialog").waitFor();
  await view.page.keyboard.type("other");
  await view.page.getByRole("option", { name: /other/ }).first().waitFor();
  await view.page.keyboard.press("Enter");
  await view.page.waitForURL(/\/lanes\/other/);
  await view.page.getByRole("dialog").waitFor({ state: "detached" });
  await view.box.waitFor();
  await view.page.keyboard.press("/");
  await expect.poll(() => view.box.evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
  await view.page.keyboard.press("Escape");
  await view.page.keyboard.press("g");
  await view.page.keyboard.press("s");
  await view.page.waitForURL(/\/status/);
  await view.page.keyboard.press("?");
  await view.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await view.page.keyboard.press("Escape");
  await view.page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a lane is created in the page with a directory picker, and verified with a test message", async () => {
  world.directoryOf("new-project");
  const view = await world.signIn({ path: "/" });
  await view.page.getByRole("button", { name: "New lane" }).first().click();
  const dialog = view.page.getByRole("dialog");
  await dialog.getByRole("button", { name: /work$/ }).click();
  await dialog.getByRole("button", { name: "new-project" }).click();
  await dialog.getByRole("button", { name: "Create lane" }).click();
  await dialog.getByRole("button", { name: /test message/i }).click();
  await dialog.locator("[data-sign=answered]").waitFor();
  const lanes = (await world.client.lanes()).lanes.map(({ id, directory, runtime }) => ({ id, directory, runtime }));
  const made = { id: "new-project", directory: world.directoryOf("new-project"), runtime: "opencode" };
  expect(lanes).toContainEqual(made);
});
