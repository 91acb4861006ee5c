/**
 * OpenCode's web app in a real browser, on Waybill with the real Claude Code behind it. OpenCode serves its pages, and
 * they connect to the port where Waybill serves the API at its root: another origin, with a login.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeTools, modelScript } from "../support/agents/agent-scripts.ts";
import { ClaudeDaemon } from "../support/claude/claude-daemon.ts";
import type { OpencodeServer } from "../support/opencode/opencode-server.ts";
import { startOpencode } from "../support/opencode/opencode-server.ts";
import { OpencodeSession } from "../support/opencode/opencode-session.ts";
import { launchBrowser, openPage } from "../support/page/browser.ts";

const { rules } = modelScript(
  {
    "run it": [{ say: "I run it.", do: { shell: "sh -c 'echo done-by-bash'" } }, { say: "It ran." }],
    "ask me": [{ say: "I ask.", do: { asks: ["Which colour?"] } }, { say: "So be it." }],
    "wait for me": [{ say: "I begin.", do: { read: "README.md" } }, { hangs: "stopped" }],
  },
  claudeTools,
  ".",
);
const script = { rules: rules ?? [], otherwise: [{ say: "You said: {{text}}" }] };

const place = new ClaudeDaemon();
let pages: OpencodeServer;
let browser: Browser;

beforeAll(async () => {
  pages = await startOpencode({ modelUrl: "http://127.0.0.1:1" });
  await place.start(script, ["talk", "other"], [], { allowedOrigins: [pages.url] });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await place.dispose();
  await pages?.stop();
});

/** Like a person, adds Waybill as a server and the lane's directory as a project. */
async function connect(lane: string): Promise<{ page: Page; failed: string[] }> {
  const page = await openPage(browser);
  const failed: string[] = [];
  page.on("response", (response) => {
    // It also requests the health of a server before its password is entered.
    if (response.status() >= 400 && response.status() !== 401) failed.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => failed.push(error.message));
  await page.goto(pages.url);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Servers" }).click();
  await page.getByRole("button", { name: "Add server" }).click();
  const dialog = page.getByRole("dialog", { name: "Add server" });
  await dialog.getByPlaceholder("http://localhost:4096").fill(place.url);
  await dialog.getByPlaceholder("Localhost", { exact: true }).fill("Waybill");
  await dialog.getByPlaceholder("password").fill(place.program.token);
  await dialog.getByRole("button", { name: "Add server" }).click();
  await page.getByRole("tabpanel", { name: "Servers" }).getByText("Waybill").waitFor();

  await page.goto(pages.url);
  await page.getByRole("button", { name: "Collapse server projects Waybill" }).hover();
  await page.getByRole("button", { name: "Add project" }).last().click();
  await page.getByRole("textbox", { name: "Search folders" }).fill(lane);
  await page.getByRole("button", { name: `~/work/ ${lane} /` }).click();
  return { page, failed };
}

const recent = (page: Page) => page.getByRole("region", { name: "Recent sessions" });

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Prompt" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

test("opens a lane from its front page, shows the answer, a permission and a stop, and gets one idle event per prompt", async () => {
  const session = await new OpencodeSession(place, place.directoryOf("talk")).open("ses_talk");
  try {
    const { page, failed } = await connect("talk");
    await recent(page).getByRole("button", { name: "talk" }).click();

    await send(page, "hello you");
    await page.getByText("You said: hello you").waitFor();
    await session.untilRest(1);

    await send(page, "run it");
    await page.getByText("Permission required").waitFor();
    await page.getByRole("code").getByText("sh -c 'echo done-by-bash'").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("It ran.").waitFor();
    await session.untilRest(2);

    await send(page, "wait for me");
    await page.getByText("I begin.").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Interrupted").first().waitFor();
    await session.untilRest(3);

    // Another idle event of the earlier prompts would have arrived by now.
    await send(page, "hello again");
    await page.getByText("You said: hello again").waitFor();
    await session.untilRest(4);

    expect(session.events.filter(({ type }) => type === "session.idle")).toHaveLength(4);
    const rows = await session.messages();
    expect(rows.filter(({ info }) => info.role === "user")).toHaveLength(4);
    const errors = rows.flatMap(({ info }) => (info.role === "assistant" && info.error ? [info.error.name] : []));
    expect(errors).toEqual(["MessageAbortedError"]);
    expect(failed).toEqual([]);
  } finally {
    await session.close();
  }
  const { deliveries } = await place.program.json<{ deliveries: { status: string }[] }>("deliveries", "--lane", "talk");
  expect(deliveries.map(({ status }) => status).sort()).toEqual(["cancelled", "responded", "responded", "responded"]);
});

test("starts a session, which is a lane in that directory, refuses a permission and answers a question", async () => {
  const { page, failed } = await connect("other");
  await recent(page).getByRole("button", { name: "New session" }).click();
  await send(page, "hello there");
  await page.getByText("You said: hello there").waitFor();

  await send(page, "run it");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByRole("textbox", { name: "Prompt" }).waitFor();

  await send(page, "ask me");
  await page.getByText("Which colour?").waitFor();
  await page.getByRole("radio", { name: "Blue" }).click();
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("So be it.").waitFor();

  // A session is named after its first prompt. As with OpenCode itself, the front page lists new ones on load.
  await page.goto(pages.url);
  await recent(page).getByRole("button", { name: "hello there" }).waitFor();
  expect(failed).toEqual([]);
  const { lanes } = await place.program.json<{ lanes: { directory: string; displayName: string | null }[] }>("lanes");
  const made = expect.objectContaining({ directory: place.directoryOf("other"), displayName: "hello there" });
  expect(lanes).toContainEqual(made);
});

test("shows the reason of a refusal", async () => {
  const { page } = await connect("other");
  await recent(page).getByRole("button", { name: "other" }).click();
  await page.getByRole("heading", { name: "other" }).waitFor();
  await page.getByRole("main").getByRole("button", { name: "More options" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.getByText("Waybill keeps no archive of sessions.").waitFor();
});
