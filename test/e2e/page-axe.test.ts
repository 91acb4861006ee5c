/** No view or dialog has a serious or critical accessibility violation: light and dark, wide and narrow. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { PageView } from "../support/page/page-view.ts";
import { PageWorld } from "../support/page/page-world.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const diff = "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n # Notes\n-old line\n+new line\n";
const table =
  "## Result\n\n| step | state |\n|---|---|\n| build | *green* |\n\n```sh\nnpm test\n```\n\n1. one\n2. [two](https://example.com)";
const stubs = {
  work: {
    displayName: "Working agent",
    script: {
      always: [
        {
          when: "everything",
          steps: [
            { think: "I think about it." },
            { tool: "bash", input: { command: "npm test" }, output: "all green", exitCode: 0 },
            { tool: "read", input: { path: "gone.md" }, output: "no such file", fails: true },
            { tool: "edit", output: "done", changes: [{ path: "notes.md", change: "modified" as const, diff }] },
            { say: table },
            { uses: { tokens: 1200, cost: 0.02 } },
          ],
        },
        {
          when: "permission",
          steps: [{ ask: "permission" as const, title: "bash: rm -r build", detail: { command: "rm -r build" } }],
        },
        {
          when: "question",
          steps: [
            {
              ask: "question" as const,
              questions: [
                { question: "Which colour?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] },
              ],
            },
          ],
        },
      ],
    },
  },
  mute: { script: { always: [{ steps: [{ wait: 20 }] }] } },
  paused: { script: {} },
};
const settings = {
  teams: {
    core: { displayName: "Core team", members: { ann: { lane: "work", role: "lead" }, bob: { kind: "person" } } },
  },
};

const world = new PageWorld();
let failed: string;
beforeAll(async () => {
  await world.start({ stubs, settings, waits: { retryDelaysMs: [100] } });
  const { client } = world;
  await client.pauseLane("paused", "for a test");
  await client.send({ to: { lane: "paused" }, text: "This waits." });
  await client.sendAndWait({ to: { lane: "work" }, text: "Show everything." });
  failed = (await client.sendAndWait({ to: { lane: "mute" }, text: "Say something." })).id;
  await client.send({ to: { lane: "work" }, text: "Ask for permission." });
  await client.send({ to: { lane: "work" }, text: "Ask a question." });
});
afterEach(() => expect(world.takeProblems()).toEqual([]));
afterAll(() => world.dispose());

type Violation = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] };

/** axe is injected from outside, which the page's own policy would not allow. */
async function expectAccessible({ page }: PageView, what: string): Promise<void> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: Violation[];
  };
  const bad = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}\n${failureSummary}`),
    );
  expect(bad, what).toEqual([]);
}

test("a violation is detected", async () => {
  const view = await world.signIn({ bypassCSP: true });
  await view.page.getByRole("main").evaluate((main) => main.append(main.ownerDocument.createElement("button")));
  await expect(expectAccessible(view, "a button without a name")).rejects.toThrow("a button without a name");
});

/** Colours do not depend on the width: two combinations cover both. */
const looks = [
  { colorScheme: "light" as const, viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark" as const, viewport: { width: 390, height: 800 } },
];

test.each(looks)("every view and dialog, $colorScheme and $viewport.width wide", async (look) => {
  const view = await world.signIn({ ...look, bypassCSP: true });
  const { page } = view;
  const main = page.getByRole("main");
  const asks = page.getByRole("region", { name: "Asks", exact: true });
  const openAsks = asks.getByRole("button", { name: /waiting for you/, expanded: false });
  const allow = asks.getByRole("button", { name: /Allow once/ });
  const views: [path: string, shown: () => Promise<unknown>][] = [
    ["/", () => main.getByRole("heading").first().waitFor()],
    ["/lanes/work", () => openAsks.or(allow).first().waitFor()],
    ["/lanes/mute", () => page.locator("[data-sign=failed]").waitFor()],
    ["/lanes/paused", () => main.getByText("Paused").first().waitFor()],
    ["/lanes/nothing-here", () => page.getByText("This lane was removed").waitFor()],
    [`/deliveries/${failed}`, () => page.getByRole("heading", { name: "Evidence" }).waitFor()],
    ["/deliveries/unknown", () => page.getByRole("heading", { name: "No such delivery" }).waitFor()],
    ["/status", () => main.getByRole("heading").nth(2).waitFor()],
    ["/search?q=something", () => main.getByText("Say something.").first().waitFor()],
    ["/deliveries", () => page.getByRole("heading", { name: "Nothing here" }).waitFor()],
  ];
  view.allow(/404/);
  for (const [path, shown] of views) {
    await view.open(path);
    await shown();
    await expectAccessible(view, path);
  }

  await view.open("/lanes/work");
  if (look.viewport.width < 768) await openAsks.click();
  await allow.waitFor();
  await expectAccessible(view, "an ask");
  await view.turns.first().waitFor();
  const folded = page.locator("article details:not([open]) > summary");
  while ((await folded.count()) > 0) await folded.first().click();
  await expectAccessible(view, "a turn with everything unfolded");
  const dialogs: [name: string, open: () => Promise<unknown>][] = [
    ["palette", () => page.keyboard.press("Control+k")],
    ["shortcuts", () => page.keyboard.press("?")],
    ["new lane", () => page.keyboard.press("n")],
  ];
  for (const [name, open] of dialogs) {
    await main.focus();
    await open();
    await page.getByRole("dialog").waitFor();
    await expectAccessible(view, name);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Lane actions" }).click();
  await page.getByRole("menu").waitFor();
  await expectAccessible(view, "menu of a lane");
  await page.keyboard.press("Escape");
  if (look.viewport.width < 768) {
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("navigation", { name: "Conversations" }).waitFor();
    await expectAccessible(view, "menu of a narrow screen");
  }
});
