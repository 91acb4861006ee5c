/** Which files of the program a start loads, as reported by V8. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Program } from "../support/daemon/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let waybill: Program;
beforeEach(() => {
  waybill = new Program();
  waybill.configure({ lane: { always: [{ steps: [{ say: "Done." }] }] } }, { piBin: "/nowhere/pi" });
});
afterEach(() => waybill.dispose());

/** The source files that the supervisor and worker loaded before they exited, by source maps, and the program's size. */
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
    loaded: paths.flatMap(sourcesOf),
    bytes: paths.reduce((sum, path) => sum + statSync(path).size, 0),
  };
}

/** The source files, from the root of the repository, that were bundled into a file of the program. */
function sourcesOf(path: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${path}.map`, "utf8")) as { sources: string[] };
  return sources.map((source) => relative(root, join(dirname(path), source)));
}

const onlyWhenNeeded = [
  ...["opencode", "claude", "pi"].map((runtime) => `src/runtimes/${runtime}/runtime.ts`),
  ...["src/daemon/demo/demo-opencode.ts", "src/cli/commands/doctor.ts", "src/runtimes/opencode/doctor.ts"],
  ...["src/transports/opencode-api/opencode-app.ts", "src/transports/mcp/mcp-app.ts"],
  ...["src/cli/mcp/forward-calls.ts", "src/transports/http/page/page-answers.ts"],
];

test("the files that are loaded only when they are needed exist", () => {
  expect(onlyWhenNeeded.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("a start loads no code for agent programs that no lane uses, and nothing else that is not needed yet", async () => {
  const send = () => waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Tidy up." });
  const { loaded, bytes } = await loadedDuring(send);
  expect(loaded).toEqual(expect.arrayContaining(["src/daemon/worker/worker.ts", "src/cli/commands/up.ts"]));
  expect(onlyWhenNeeded.filter((name) => loaded.includes(name))).toEqual([]);
  // Each kilobyte costs every start. Load code later if an idle daemon does not need it.
  expect(bytes).toBeLessThan(1_364_000);
});

test("code that was not needed at the start is loaded when it is needed", async () => {
  const { loaded } = await loadedDuring(async () => {
    expect((await waybill.fetch("/opencode/global/health")).status).toBe(200);
    expect((await waybill.fetch("/opencode/nothing")).status).toBe(404);
    expect((await fetch(`${waybill.daemonFile.url}/lanes`)).status).toBe(401);
    await callTool();
    const lane = { id: "second", directory: waybill.work, runtime: "pi" };
    const headers = { "content-type": "application/json" };
    const made = await waybill.fetch("/v1/lanes", { method: "POST", body: JSON.stringify(lane), headers });
    expect(made.status).toBe(201);
    // The state of its program is still known.
    expect(await (await waybill.fetch("/ready")).json()).toMatchObject({ reasons: ["runtime_not_ready:pi"] });
  });
  expect(onlyWhenNeeded.filter((name) => loaded.includes(name)).sort()).toEqual([
    "src/runtimes/pi/runtime.ts",
    "src/transports/http/page/page-answers.ts",
    "src/transports/mcp/mcp-app.ts",
    "src/transports/opencode-api/opencode-app.ts",
  ]);
});

/** Like an agent that Waybill does not run. */
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
