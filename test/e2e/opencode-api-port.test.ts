/**
 * The port that serves OpenCode's API at its root, in the built daemon: its address, and the errors when it is taken.
 */
import { createServer } from "node:net";
import { createOpencodeClient } from "@opencode-ai/sdk/v2";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Check } from "../../src/platform/doctor-check.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { Program } from "../support/daemon/program.ts";

const script = { always: [{ steps: [{ say: "The build is green." }] }] };
/** Without OpenCode the demo uses scripted agents. */
const withoutOpencode = { OPENCODE_BIN: "/nowhere/opencode" };

let programs: Program[];
const aProgram = (env: Record<string, string> = {}) => {
  const program = new Program(env);
  programs.push(program);
  return program;
};
beforeEach(() => {
  programs = [];
});
afterEach(() => Promise.all(programs.map((program) => program.dispose())));

/** A free port before one that is taken: by this test, or by another program. */
async function portBeforeTaken(): Promise<number> {
  const port = await freePort();
  const server = createServer();
  await new Promise<unknown>((resolve) =>
    server.once("error", resolve).listen(port + 1, "127.0.0.1", () => resolve(null)),
  );
  onTestFinished(() => void server.close());
  return port;
}

const checkOf = async (program: Program) => {
  const { stdout } = await program.run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return checks.find(({ name }) => name === "port of OpenCode's API");
};

test("is off unless it is set", async () => {
  const program = aProgram();
  program.configure({ one: script });
  await program.up();
  expect(program.daemonFile.opencodeApiUrl).toBeNull();
  expect(await checkOf(program)).toBeUndefined();
});

test("is named by the log, the daemon file and the doctor, and serves a conversation at its root", async () => {
  const program = aProgram();
  program.configure({ one: script }, { opencodeApiPort: 0 });
  const daemon = await program.up();
  const { opencodeApiUrl, url } = program.daemonFile;
  expect(opencodeApiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(opencodeApiUrl).not.toBe(url);
  expect(await checkOf(program)).toMatchObject({
    status: "ok",
    detail: expect.stringContaining("in use by the Waybill"),
  });
  const authorization = `Basic ${Buffer.from(`opencode:${program.token}`).toString("base64")}`;
  const client = createOpencodeClient({
    baseUrl: opencodeApiUrl ?? "",
    headers: { authorization },
    throwOnError: true,
  });
  const { data } = await client.session.prompt({
    sessionID: "ses_one",
    parts: [{ type: "text", text: "Is it green?" }],
  });
  expect(data?.parts).toContainEqual(expect.objectContaining({ text: "The build is green." }));
  daemon.kill("SIGTERM");
  expect(await daemon.exit()).toMatchObject({ code: 0 });
});

test("that another daemon uses stops the start, names the setting to change, and leaves the other daemon running", async () => {
  const port = String(await freePort());
  const [first, second] = [aProgram(), aProgram()];
  for (const program of [first, second]) program.configure({ one: script }, { opencodeApiPort: Number(port) });
  await first.up();
  const { code, stderr } = await second.run(["up"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use by another program.`);
  expect(stderr).toContain("opencodeApiPort (WAYBILL_OPENCODE_API_PORT)");
  const headers = { authorization: `Bearer ${first.token}` };
  expect((await fetch(`${first.daemonFile.opencodeApiUrl}/global/health`, { headers })).status).toBe(200);
  expect(await checkOf(second)).toMatchObject({ status: "failed", fix: expect.stringContaining("opencodeApiPort") });
  await second.up({ WAYBILL_OPENCODE_API_PORT: "null" });
  expect(second.daemonFile.opencodeApiUrl).toBeNull();
});

test("that the daemon itself uses stops the start", async () => {
  const program = aProgram({ PORT: "7301", WAYBILL_OPENCODE_API_PORT: "7301" });
  program.configure({ one: script });
  const { code, stderr } = await program.run(["up"]);
  expect(code).toBe(1);
  expect(stderr).toContain("WAYBILL_OPENCODE_API_PORT is 7301, which is the daemon's own port");
});

test("is open in the demo, which continues without it if it is taken", async () => {
  const open = aProgram(withoutOpencode);
  await open.up();
  expect(open.daemonFile.opencodeApiUrl).toMatch(/^http:/);
  const closed = aProgram({ ...withoutOpencode, PORT: String(await portBeforeTaken()) });
  const daemon = closed.start(["up"]);
  const { hint } = await daemon.waitForLine({ event: "port_in_use" });
  expect(hint).toContain("opencodeApiPort");
  await daemon.waitForLine({ event: "daemon_ready" });
  expect(await closed.run(["send", "--lane", "demo", "--wait", "hello"])).toMatchObject({ code: 0 });
  expect(closed.daemonFile.opencodeApiUrl).toBeNull();
  expect(await checkOf(closed)).toMatchObject({ status: "warning" });
});
