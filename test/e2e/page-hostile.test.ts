/**
 * Everything that agents and senders write is data. None of it runs, loads anything, becomes a script link or a control of the
 * page, or blocks the page.
 */
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { PageView } from "../support/page/page-view.ts";
import { PageWorld } from "../support/page/page-world.ts";

/** Each sets a flag on the window if it ever runs. */
const run = "window.ran=(window.ran||0)+1;alert(1)";
const html = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<svg onload="${run}"><script>${run}</script></svg>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<a href="javascript:${run}">press</a>`,
  `<form action="/v1/restart" method="post"><button data-ask="x">Allow once</button></form>`,
  `<style>*{display:none}</style><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<details open ontoggle="${run}">x</details>`,
].join("\n");
const markdown = [
  `[script](javascript:${run.replaceAll(" ", "")})`,
  "[data](data:text/html,<script>alert(1)</script>)",
  "[vb](vbscript:x) [file](file:///etc/passwd) [relative](/v1/restart) [other](//evil.example/x)",
  "<javascript:alert(1)> <https://evil.example/auto>",
  "![picture](https://evil.example/picture.png) ![data](data:image/svg+xml;base64,PHN2Zy8+) ![own](/v1/lanes)",
  "[ref]: javascript:alert(1)\n\n[ref]\n\n- [x] done <input autofocus onfocus=alert(1)>",
  "| a | b |\n|---|---|\n| <b onclick=alert(1)>x</b> | ![](https://evil.example/2.png) |",
].join("\n\n");
const bidi = "safe\u202Etxt.exe\u202C \u2066hidden\u2069 \u200Fmark";
const codes =
  "\u001b[31mred\u001b[0m \u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007 \u001b[2J\u001b]0;title\u0007\nover\rwritten \u0007\u0000";
const hugeLine = "x".repeat(100_000);
/** As many as an agent's event can hold. */
const manyLines = "\n".repeat(125_000);
const bombs = [
  `${">".repeat(8000)} deep`,
  `${"- ".repeat(4000)}deep`,
  `${"[".repeat(12_000)}x${"](y)".repeat(4000)}`,
  `${"*a **b ".repeat(4000)}`,
  `${"`".repeat(7000)} ${"~".repeat(7000)}`,
  `${"![".repeat(8000)}`,
  `${"<".repeat(20_000)}`,
  `|${" a |".repeat(2000)}\n|${"-|".repeat(2000)}\n${`|${" b |".repeat(2000)}\n`.repeat(3)}`,
  `${"a\n\n".repeat(15_000)}`,
];
const name = `<img src=x onerror="${run}"> & \u202Ename`;

const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old ${html.split("\n")[1]}\n+new \u202E${html.split("\n")[0]}\n`;
const stubScript = {
  always: [
    {
      when: "Some markup",
      steps: [{ think: html }, { say: html }, { say: `\n\n${markdown}` }, { say: `\n\n${bidi}` }],
    },
    {
      when: "Use your tools",
      steps: [
        { tool: html.slice(0, 40), input: { command: `${bidi} ${html}`, [html]: html }, output: html },
        { tool: "bash", input: { command: codes }, output: codes, exitCode: 0 },
        { tool: "read", input: { path: name }, output: manyLines },
        { tool: "edit", output: "done", changes: [{ path: name, change: "modified" as const, diff }] },
        { say: hugeLine },
      ],
    },
    { when: "Now ask", steps: [{ ask: "permission" as const, title: `bash: rm ${bidi}`, detail: { command: html } }] },
    {
      when: "One question",
      steps: [
        {
          ask: "question" as const,
          questions: [{ header: html, question: markdown, options: [{ label: html, description: html }] }],
        },
        { say: "So be it." },
      ],
    },
    { when: "An error", steps: [{ error: html, status: 400 }] },
    ...bombs.map((bomb, index) => ({ when: `bomb ${index}.`, steps: [{ say: bomb }] })),
    { steps: [{ say: "Fine." }] },
  ],
};
const lane = { displayName: name };
const stubs = { markup: lane, tools: lane, asks: lane, mail: lane };

const world = new PageWorld();
beforeAll(async () => {
  await world.start({ stubs, settings: { stubScript } });
});
afterEach(() => expect(world.takeProblems()).toEqual([]));
afterAll(() => world.dispose());

/** Tags that the page itself generates from markdown. */
const known =
  "A BLOCKQUOTE BR BUTTON CODE DEL DIV EM H1 H2 H3 H4 H5 H6 HR LI OL P PATH PRE SECTION SPAN STRONG SUP SVG TABLE TBODY TD TH THEAD TR UL";

/** Nothing ran, nothing was requested elsewhere, and all content is only text and safe links. */
async function expectHarmless(view: PageView, path: string): Promise<void> {
  const { page } = view;
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(new URL(page.url()).pathname).toBe(path);
  const tags = await page
    .locator(".markdown *")
    .evaluateAll((all) => [...new Set(all.map((one) => one.tagName.toUpperCase()))]);
  expect(known.split(" ")).toEqual(expect.arrayContaining(tags));
  const names = await page
    .locator("body *")
    .evaluateAll((all) => all.flatMap((one) => [...one.attributes].map(({ name }) => name)));
  expect(names.filter((name) => name.startsWith("on"))).toEqual([]);
  const links = await page.locator("a[href]").evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
  expect(links.filter((href) => !/^(https?:\/\/|mailto:|\/(?!\/)|#view)/.test(href))).toEqual([]);
  const written = page.locator(".markdown a[href]");
  for (const link of await written.all()) expect(await link.getAttribute("rel")).toContain("noopener");
  const buttons = (await page.getByRole("button").allInnerTexts()).map((text) => text.trim());
  expect(buttons.filter((text) => text.startsWith("Allow once")).length).toBeLessThanOrEqual(1);
  await expectNoMarks(page.locator("body"));
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}

async function expectNoMarks(element: Locator): Promise<void> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(await element.innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u001b\u0007\u0000]/);
}

async function unfoldAll(element: Locator): Promise<void> {
  const folded = element.locator("details:not([open]) > summary");
  while ((await folded.count()) > 0) await folded.first().click();
}

/** How long the page takes to react. */
async function reactionMs({ page }: PageView): Promise<number> {
  const started = performance.now();
  await page.getByRole("button", { name: /Keyboard shortcuts/ }).click();
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return performance.now() - started;
}

/** The page reacts immediately. `calmMs`: how long it took before, since a slow machine takes longer for everything. */
async function expectResponsive(view: PageView, calmMs: number): Promise<void> {
  expect(await reactionMs(view)).toBeLessThan(Math.max(5000, 20 * calmMs));
}

test("an agent's markup, scripts, links and pictures are shown as text", async () => {
  const view = await world.signIn({ path: "/lanes/markup" });
  await view.send("Some markup, please.");
  await view.sign("Some markup, please.", "answered").waitFor();
  await view.lastTurn.locator(".markdown").getByText("<script>").first().waitFor();
  await view.lastTurn.getByText("[image: picture https://evil.example/picture.png]").waitFor();
  await view.lastTurn.getByText("Thought about it").click();
  await expectHarmless(view, "/lanes/markup");
  expect(view.requests.filter((url) => url.includes("evil.example"))).toEqual([]);
});

test("so are its tools' input and output, with terminal codes, a huge line and countless lines", async () => {
  const view = await world.signIn({ path: "/lanes/tools" });
  const calmMs = await reactionMs(view);
  await view.send("Use your tools.");
  await view.sign("Use your tools.", "answered").waitFor();
  await unfoldAll(view.lastTurn);
  await view.lastTurn.getByText("red link", { exact: false }).first().waitFor();
  await expectHarmless(view, "/lanes/tools");
  // Everything that is kept can be shown.
  await view.lastTurn
    .locator("details")
    .filter({ hasText: "read" })
    .getByRole("button", { name: /^Show [\d,.]+ more characters$/ })
    .last()
    .click();
  await expectResponsive(view, calmMs);
  await expectHarmless(view, "/lanes/tools");
});

test("an agent's ask is shown verbatim, and only the page's own buttons answer it", async () => {
  const view = await world.signIn({ path: "/lanes/asks" });
  await view.send("Now ask.");
  const ask = view.page.getByRole("region", { name: "Asks", exact: true });
  await ask.getByText("⟨U+202E⟩").first().waitFor();
  await expectHarmless(view, "/lanes/asks");
  await ask
    .getByRole("button", { name: "Reject", exact: true })
    .and(view.page.locator("[aria-disabled=false]"))
    .click();
  await ask.waitFor({ state: "detached" });
  await view.send("One question.");
  await ask.getByRole("radio").first().waitFor();
  await expectHarmless(view, "/lanes/asks");
  await ask.getByRole("radio").first().check();
  await ask.getByRole("button", { name: "Answer" }).and(view.page.locator("[aria-disabled=false]")).click();
  await ask.waitFor({ state: "detached" });
  await view.send("An error.");
  await view.lastTurn.getByRole("alert").first().waitFor();
  await expectHarmless(view, "/lanes/asks");
});

test("senders' names, files, tasks and countless lines are also shown as text", async () => {
  const { client } = world;
  const file = await client.attach(new TextEncoder().encode("x"), {
    name: `${html.slice(0, 60)}.txt`,
    mimeType: "text/plain",
  });
  await client.sendAndWait({
    to: { lane: "mail" },
    from: html.slice(0, 60),
    text: `${html}\n\n${markdown}\n\n${bidi}\n\n${codes}`,
    summary: html,
    taskRefs: [{ id: html.slice(0, 100), title: html.slice(0, 100) }],
    attachments: [file],
  });
  const lines = (count: number) => `So many lines: ${"\n".repeat(count)}end`;
  await expect(client.send({ to: { lane: "mail" }, text: lines(1_000_000) })).rejects.toThrow("not be longer");
  await client.sendAndWait({ to: { lane: "mail" }, text: lines(262_000) });
  const view = await world.signIn({ path: "/lanes/mail" });
  await view.message("So many lines").waitFor();
  await expectHarmless(view, "/lanes/mail");
  for (const path of ["/", "/status", "/search"]) {
    await view.open(path === "/search" ? "/search?q=script" : path);
    await view.page.getByRole("main").getByRole("heading").first().waitFor();
    await expectHarmless(view, path);
  }
  const { deliveries } = await client.deliveries({ lane: "mail", limit: 2 });
  await view.open(`/deliveries/${deliveries[1]?.id}`);
  await view.page.getByRole("heading", { name: "Evidence" }).waitFor();
  await expectHarmless(view, `/deliveries/${deliveries[1]?.id}`);
});

test("malicious markdown that is expensive to render is shown, and the page keeps working", async () => {
  const view = await world.signIn({ path: "/lanes/markup" });
  const calmMs = await reactionMs(view);
  for (const index of bombs.keys()) {
    await view.send(`Now bomb ${index}.`);
    await view.sign(`Now bomb ${index}.`, "answered").waitFor();
    await expectResponsive(view, calmMs);
  }
  await expectHarmless(view, "/lanes/markup");
});
