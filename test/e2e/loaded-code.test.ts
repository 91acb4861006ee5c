/** What a start loads of the program, as V8 itself reports it. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Program } from "../support/program.ts";

let waybill: Program;
beforeEach(() => {
  waybill = new Program();
  waybill.configure({ lane: { always: [{ steps: [{ say: "Done." }] }] } }, { piBin: "/nowhere/pi" });
});
afterEach(() => waybill.dispose());

/** The files of the program that supervisor and worker have loaded until they ended, without their hashes, and their size. */
async function loadedDuring(work: () => Promise<unknown>): Promise<{ loaded: string[]; bytes: number }> {
  const directory = join(waybill.directory, "coverage");
  const daemon = await waybill.up({ NODE_V8_COVERAGE: directory });
  await work();
  daemon.kill("SIGTERM");
  expect(await daemon.exit()).toMatchObject({ code: 0 });
  const urls = readdirSync(directory).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(directory, name), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.includes("/dist/"));
  });
  const paths = [...new Set(urls)].map((url) => fileURLToPath(url));
  return {
    loaded: paths.map((path) => basename(path).replace(/-[A-Z0-9]{8}\.js$/, "")),
    bytes: paths.reduce((sum, path) => sum + statSync(path).size, 0),
  };
}

const onlyWhenNeeded = [
  ...["opencode-runtime", "claude-runtime", "pi-runtime", "opencode-app", "demo-opencode", "doctor"],
  ...["mcp-app", "serve-tools"],
];

test("a start loads nothing of agent programs that no lane uses, and no other part that is not needed yet", async () => {
  const send = () => waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Tidy up." });
  const { loaded, bytes } = await loadedDuring(send);
  expect(loaded).toEqual(expect.arrayContaining(["worker", "up"]));
  expect(onlyWhenNeeded.filter((name) => loaded.includes(name))).toEqual([]);
  // Each kilobyte costs every start. What is not needed by a daemon that waits for work is better loaded later.
  expect(bytes).toBeLessThan(1_310_000);
});

test("what was not needed at the start is there when it is", async () => {
  const { loaded } = await loadedDuring(async () => {
    expect((await waybill.fetch("/opencode/global/health")).status).toBe(200);
    expect((await waybill.fetch("/opencode/nothing")).status).toBe(404);
    await callTool();
    const lane = { id: "second", directory: waybill.work, runtime: "pi" };
    const headers = { "content-type": "application/json" };
    const made = await waybill.fetch("/v1/lanes", { method: "POST", body: JSON.stringify(lane), headers });
    expect(made.status).toBe(201);
    // The truth about its program is known all the same.
    expect(await (await waybill.fetch("/ready")).json()).toMatchObject({ reasons: ["runtime_not_ready:pi"] });
  });
  expect(onlyWhenNeeded.filter((name) => loaded.includes(name)).sort()).toEqual([
    "mcp-app",
    "opencode-app",
    "pi-runtime",
  ]);
});

/** As an agent that somebody else runs. */
async function callTool(): Promise<void> {
  const client = waybill.client();
  await client.putTeam("core");
  await client.putMember("core", "nate", { kind: "native" });
  const { token } = await client.memberToken("core", "nate");
  const headers = {
    Authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect((await waybill.fetch("/mcp", { method: "POST", headers, body })).status).toBe(200);
}
