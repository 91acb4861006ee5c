/** What an agent does, as a person sees it on the page while it happens. The agent is the real OpenCode on a scripted model. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { inPieces, PageWorld } from "../support/page/page-world.ts";

const bash = (command: string) => ({ tool: "bash", input: { command, description: "Runs it" } });
const colours = ["Red", "Blue"].map((label) => ({ label, description: `It is ${label}.` }));
const question = { question: "Which colour?", header: "Colour", options: colours };
const edit = { filePath: "notes.txt", oldString: "second line", newString: "changed line" };
const manyPaths = Array.from({ length: 40 }, (_, index) => `old-${index}`).join(" \\\n");
const script = {
  rules: [
    {
      when: "tell me",
      steps: [{ think: "Nobody has to see this.", ...inPieces("It begins", "with **these** words", "and ends here.") }],
    },
    { when: "count", steps: [{ tools: [bash("seq 1000000")] }, { say: "I counted." }] },
    { when: "look around", steps: [{ tools: [bash("printf 'one\\ntwo\\n'")] }, { say: "I looked." }] },
    {
      when: "change it",
      steps: [
        { tools: [{ tool: "read", input: { filePath: "notes.txt" } }] },
        { tools: [{ tool: "edit", input: edit }] },
      ],
    },
    { when: "take long", steps: [inPieces("I began", "and never got here.")] },
    { when: "remove it", steps: [{ tools: [bash("rm -r 'old build'")] }, { say: "Removed with: {{result}}" }] },
    { when: "remove much", steps: [{ tools: [bash(`rm -r ${manyPaths}`)] }, { say: "Removed." }] },
    {
      when: "ask me",
      steps: [{ tools: [{ tool: "question", input: { questions: [question] } }] }, { say: "So it is {{result}}" }],
    },
  ],
};

const world = new PageWorld();
beforeAll(async () => {
  const permissionPolicy = { "*": "allow", bash: { "*": "allow", "rm *": "ask" } };
  await world.start({ script, settings: { permissionPolicy } });
});
afterEach(() => expect(world.takeProblems()).toEqual([]));
afterAll(() => world.dispose());

test("a message streams word by word, a reload mid-turn shows the same words, and then it is answered", async () => {
  world.model.holdBefore("with **these**", "and ends here.");
  const view = await world.signIn();
  await view.openLane(await world.lane("words"));
  await view.send("Please tell me.");
  await view.lastTurn.getByText("It begins", { exact: true }).waitFor();
  world.model.letPass("with **these**");
  await view.lastTurn.getByText("It begins with these words", { exact: true }).waitFor();
  await view.sign("Please tell me.", "accepted").waitFor();
  expect(await view.awaited("Please tell me.").count()).toBe(1);
  expect(await view.lastTurn.getAttribute("aria-busy")).toBe("true");
  expect(await view.lastTurn.locator("strong").innerText()).toBe("these");
  const thought = view.lastTurn.locator("details").filter({ hasText: "Nobody has to see this." });
  expect(await thought.getAttribute("open")).toBeNull();
  await thought.locator("summary").click();
  await thought.getByText("Nobody has to see this.").waitFor();

  await view.page.reload();
  const running = view.turns.and(view.page.locator("[aria-busy=true]"));
  await running.getByText("It begins with these words").waitFor();
  expect(await view.conversation.getByText("and ends here").count()).toBe(0);

  world.model.letPass("and ends here.");
  await view.lastTurn.getByText("It begins with these words and ends here.").waitFor();
  await view.sign("Please tell me.", "answered").waitFor();
  await view.lastTurn.getByText("delivered as the answer").waitFor();
  expect(await view.awaited("Please tell me.").count()).toBe(0);
  expect(await view.conversation.getByText("and ends here").count()).toBe(1);
  expect(await view.turns.count()).toBe(1);
});

test("a tool shows its input, output and duration", async () => {
  const view = await world.signIn();
  await view.openLane(await world.lane("tools"));
  await view.send("Please look around.");
  await view.sign("Please look around.", "answered").waitFor();
  const tool = view.lastTurn.locator("details").filter({ hasText: "bash" });
  expect(await tool.locator("summary").innerText()).toMatch(/bash\s+printf 'one\\ntwo\\n'\s+[\d.]+ s/);
  await tool.locator("summary").click();
  expect(await tool.getByRole("group", { name: "Input" }).innerText()).toContain("command: printf 'one\\ntwo\\n'");
  expect(await tool.getByRole("group", { name: "Output" }).innerText()).toContain("one\ntwo");
});

test("a tool that prints a million lines does not block the page", async () => {
  const view = await world.signIn();
  await view.openLane(await world.lane("lines"));
  await view.send("Please count.");
  await view.sign("Please count.", "answered").waitFor();
  const tool = view.lastTurn.locator("details").filter({ hasText: "seq 1000000" });
  await tool.locator("summary").click();
  const output = tool.getByRole("group", { name: "Output" });
  expect((await output.innerText()).split("\n").length).toBeLessThan(100);
  await tool.getByRole("button", { name: /^Show [\d,.]+ more characters$/ }).click();
  await view.send("Please look around.");
  await view.sign("Please look around.", "answered").waitFor();
});

test("a file change is shown as a coloured diff, and the work is the proof", async () => {
  const lane = await world.lane("changes");
  const notes = join(world.directoryOf(lane), "notes.txt");
  writeFileSync(notes, "first line\nsecond line\n");
  const view = await world.signIn();
  await view.openLane(lane);
  await view.page.getByRole("combobox", { name: "Intent" }).selectOption("do");
  await view.send("Please change it.");
  const diff = view.page.getByRole("group", { name: /^Changes to .*notes\.txt$/ });
  await diff.waitFor();
  expect(await diff.locator(".diff-code-delete").allInnerTexts()).toEqual(["second line"]);
  expect(await diff.locator(".diff-code-insert").allInnerTexts()).toEqual(["changed line"]);
  const colourOf = (kind: string) =>
    diff
      .locator(`.diff-code-${kind}`)
      .evaluate((cell) => cell.ownerDocument.defaultView?.getComputedStyle(cell).backgroundColor);
  expect(await colourOf("delete")).not.toBe(await colourOf("insert"));
  await view.sign("Please change it.", "done").waitFor();
  expect(readFileSync(notes, "utf8")).toContain("changed line");
});

test("a button stops a turn, and nothing is asked again", async () => {
  world.model.holdBefore("and never got here.");
  const view = await world.signIn();
  await view.openLane(await world.lane("stops"));
  await view.send("Please take long.");
  await view.lastTurn.getByText("I began").waitFor();
  await view.page.getByRole("button", { name: "Stop", exact: true }).click();
  await view.sign("Please take long.", "cancelled").waitFor();
  expect(await view.message("Please take long.").innerText()).toContain("Stopped");
  await view.page.locator("article[aria-busy=true]").waitFor({ state: "detached" });
  await view.page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  expect(await view.turns.count()).toBe(1);
});

test("a permission takes two clicks from any view, and a question is answered in its conversation", async () => {
  const lane = await world.lane("asks", "Agent that asks");
  const view = await world.signIn({ path: "/status" });
  await world.client.send({ to: { lane }, text: "Please remove it." });
  await view.page.getByRole("button", { name: "An agent is waiting for you" }).click();
  const permission = view.page.getByRole("group", { name: "Agent that asks asks for permission" });
  await permission.getByText("rm -r 'old build'").waitFor();
  await permission.getByText(world.directoryOf(lane)).waitFor();
  await permission.getByRole("button", { name: "Allow once" }).and(view.page.locator("[aria-disabled=false]")).click();
  await permission.waitFor({ state: "detached" });

  // A person's choice lasts until a reload; in the conversation itself the ask is open from the start.
  await view.openLane(lane);
  await view.sign("Please remove it.", "answered").waitFor();
  await view.send("Please ask me.");
  const asked = view.page.getByRole("group", { name: "Agent that asks asks a question" });
  await asked.getByText("Which colour?").waitFor();
  await view.sign("Please ask me.", "asks").waitFor();
  await asked.getByRole("radio", { name: /Blue/ }).check();
  await asked.getByRole("button", { name: "Answer" }).and(view.page.locator("[aria-disabled=false]")).click();
  await view.sign("Please ask me.", "answered").waitFor();
  await view.lastTurn.getByText(/So it is .*Blue/).waitFor();
  const card = view.lastTurn.locator("details").first();
  const line = card.locator("summary").first();
  expect(await line.innerText()).toMatch(/question\s+Which colour\?\s+Blue\s+[\d.]+ s/);
  await line.click();
  const answered = card.getByRole("group", { name: "Which colour?" }).getByRole("listitem");
  expect((await answered.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
    "Red It is Red.",
    "Blue (chosen) It is Blue.",
  ]);
  expect(await card.getByRole("group", { name: "Input" }).count()).toBe(0);
  await card.getByText("Input and output as sent").click();
  expect(await card.getByRole("group", { name: "Input" }).innerText()).toContain('"question": "Which colour?"');
});

test("on a phone, an ask is one line until it is opened, and its buttons are in view however long it is", async () => {
  const lane = await world.lane("phone", "Agent in a pocket");
  const size = { width: 390, height: 664 };
  const view = await world.signIn({ viewport: size, path: `/lanes/${lane}` });
  const asks = view.page.getByRole("region", { name: "Asks", exact: true });
  const folded = asks.getByRole("button", { name: "An agent is waiting for you", expanded: false });
  const allow = asks.getByRole("button", { name: "Allow once" }).and(view.page.locator("[aria-disabled=false]"));
  for (const words of ["Please remove it.", "Please remove much."]) {
    await view.send(words);
    await folded.getByText("Agent in a pocket").waitFor();
    expect((await asks.boundingBox())?.height).toBeLessThan(50);
    expect((await view.conversation.boundingBox())?.height).toBeGreaterThan(size.height / 2);
    await folded.click();
    await allow.waitFor();
    const [button, tray] = [await allow.boundingBox(), await asks.boundingBox()];
    const bottom = (box: typeof button) => (box ? box.y + box.height : Number.NaN);
    expect(bottom(button)).toBeLessThanOrEqual(bottom(tray));
    await allow.click();
    await view.sign(words, "answered").waitFor();
  }
});
