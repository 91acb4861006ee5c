import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../test/support/daemon/free-port.ts";
import { readConfig } from "../daemon/config/config.ts";
import type { Check } from "../platform/doctor-check.ts";
import { descriptorOf } from "./descriptor.ts";
import { serverDirectory, writeServerRecord } from "./opencode/server/server-record.ts";
import { runtimeDescriptors } from "./registry.ts";

function home() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "waybill-doctor-test-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function program(script: string): string {
  const path = join(home(), "program");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The results of a runtime's checks for one lane, by name. */
async function checksOf(kind: string, variables: NodeJS.ProcessEnv, choice = {}): Promise<Map<string, Check>> {
  const env = { HOME: home(), PATH: "/usr/bin:/bin", ...variables };
  const { runtimeSettings, stateDirectory } = readConfig(env);
  const lanes = [{ id: "one", directory: "/src", agent: null, model: null, ...choice }];
  const context = { env, stateDirectory, lanes, signal: new AbortController().signal };
  const checks = await descriptorOf(kind, runtimeDescriptors).doctor(runtimeSettings, context);
  for (const { status, fix } of checks) expect(fix === undefined).toBe(status === "ok");
  return new Map(checks.map((check) => [check.name, check]));
}

test("the scripted agent needs nothing", async () => {
  expect((await checksOf("stub", {})).get("runtime stub")).toMatchObject({ status: "ok" });
});

describe("an agent program", () => {
  test("that exists is named with its version and the lanes' models", async () => {
    const path = program("echo 1.2.3");
    const checks = await checksOf("claude", { CLAUDE_BIN: path }, { model: "big" });
    expect(checks.get("program claude")).toMatchObject({ status: "ok", detail: `${path}, version 1.2.3.` });
    expect(checks.get("model claude")).toMatchObject({ status: "ok", detail: "big." });
    expect((await checksOf("claude", { CLAUDE_BIN: path })).get("model claude")?.detail).toBe("left to the program.");
  });

  test("is asked for its version without Waybill's own keys", async () => {
    const path = program('echo "1.2.3 $PI_AGENT_API_KEY $WAYBILL_HOME"');
    const checks = await checksOf("pi", { PI_BIN: path, PI_AGENT_API_KEY: "hush", WAYBILL_HOME: "/hush" });
    expect(checks.get("program pi")?.detail).toBe(`${path}, version 1.2.3.`);
  });

  test("that is missing or does not answer fails the check", async () => {
    expect((await checksOf("claude", { CLAUDE_BIN: "/nowhere" })).get("program claude")).toMatchObject({
      status: "failed",
      fix: expect.stringMatching(/PATH/),
    });
    expect((await checksOf("claude", { CLAUDE_BIN: program("exit 3") })).get("program claude")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/exit code 3/),
      fix: expect.stringMatching(/--version/),
    });
  });

  test("of pi needs a key", async () => {
    const PI_BIN = program("echo 1.2.3");
    expect((await checksOf("pi", { PI_BIN })).get("model pi")).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(/openrouter\/auto from openrouter/),
    });
    for (const key of [{ PI_AGENT_API_KEY: "key" }, { OPENROUTER_API_KEY: "key" }]) {
      expect((await checksOf("pi", { PI_BIN, ...key })).get("model pi")?.status).toBe("ok");
    }
  });
});

describe("OpenCode", () => {
  const nowhere = async () => `http://127.0.0.1:${await freePort()}`;

  /** A server with one agent and one model, which may require a password. */
  async function server(password: string | null = null): Promise<string> {
    const answers: Record<string, unknown> = {
      "/global/health": { healthy: true, version: "1.18.33" },
      "/agent": [{ name: "plan", mode: "primary" }],
      "/config/providers": { providers: [{ id: "some", models: { model: {} } }] },
    };
    const wanted = password === null ? undefined : `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;
    const listening = createServer((request, response) => {
      if (wanted !== undefined && request.headers.authorization !== wanted) return response.writeHead(401).end();
      const answer = answers[new URL(request.url ?? "/", "http://localhost").pathname];
      return response
        .writeHead(answer ? 200 : 404, { "Content-Type": "application/json" })
        .end(JSON.stringify(answer ?? {}));
    });
    onTestFinished(() => void listening.close());
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  }

  test("needs no program if Waybill attaches to a running server", async () => {
    const url = await server();
    const checks = await checksOf("opencode", { OPENCODE_ATTACH_URL: url, OPENCODE_BIN: "/nowhere" });
    expect(checks.get("server opencode")).toMatchObject({
      status: "ok",
      detail: `Waybill attaches to the server at ${url}, version 1.18.33.`,
    });
    expect(checks.has("program opencode")).toBe(false);
  });

  test("is started if no server runs", async () => {
    const path = program("echo 1.18.33");
    const checks = await checksOf("opencode", { OPENCODE_BIN: path, OPENCODE_ATTACH_URL: await nowhere() });
    expect(checks.get("program opencode")).toMatchObject({ status: "ok", detail: `${path}, version 1.18.33.` });
    expect(checks.get("server opencode")?.detail).toMatch(/starts its own server, at 127\.0\.0\.1:4096/);
  });

  test("that the daemon started is recognised, even at the attach address, and is itself asked", async () => {
    const url = await server("a random one");
    const HOME = home();
    const { stateDirectory } = readConfig({ HOME });
    writeServerRecord(serverDirectory(stateDirectory), {
      ...{ nonce: "n", url, password: "a random one", passwordIsRandom: true, port: 1, startedAt: 0, fingerprint: "f" },
      ...{ pid: null, processStart: null },
    });
    const path = program("[ $1 = --version ] && echo 1.18.33");
    const env = { HOME, OPENCODE_BIN: path, OPENCODE_ATTACH_URL: url, OPENCODE_SERVER_PASSWORD: "another" };
    const checks = await checksOf("opencode", env, { agent: "plan" });
    expect(checks.get("server opencode")?.detail).toBe(`Waybill runs its own server at ${url}, version 1.18.33.`);
    expect(checks.get("program opencode")).toMatchObject({ status: "ok", detail: `${path}, version 1.18.33.` });
    expect(checks.get("agent of lane one")?.status).toBe("ok");
  });

  test("is started if its record exists but it no longer answers", async () => {
    const HOME = home();
    const { stateDirectory } = readConfig({ HOME });
    const url = await nowhere();
    writeServerRecord(serverDirectory(stateDirectory), {
      ...{ nonce: "n", url, password: "p", passwordIsRandom: true, port: 1, startedAt: 0, fingerprint: "f" },
      ...{ pid: null, processStart: null },
    });
    const checks = await checksOf("opencode", {
      HOME,
      OPENCODE_BIN: program("echo 1.18.33"),
      OPENCODE_ATTACH_URL: url,
    });
    expect(checks.get("server opencode")?.detail).toMatch(/starts its own server/);
  });

  test.each([
    ["is missing", "/nowhere", "program opencode"],
    ["prints nothing", "exit 0", "program opencode"],
    ["is too old", "echo 1.18.14", "server opencode"],
  ])("fails the check if its program %s, with the runtime's error", async (_, script, name) => {
    const OPENCODE_BIN = script.startsWith("/") ? script : program(script);
    const checks = await checksOf("opencode", { OPENCODE_BIN, OPENCODE_ATTACH_URL: await nowhere() });
    expect(checks.get(name)).toMatchObject({ status: "failed", fix: expect.stringMatching(/OPENCODE_BIN|upgrade/) });
  });

  test("is asked whether it knows a lane's agent and model", async () => {
    const env = { OPENCODE_ATTACH_URL: await server() };
    expect((await checksOf("opencode", env, { agent: "plan" })).get("agent of lane one")?.status).toBe("ok");
    expect((await checksOf("opencode", env, { model: "some/model" })).get("model of lane one")?.status).toBe("ok");
    expect((await checksOf("opencode", env, { agent: "plann" })).get("agent of lane one")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/has no agent "plann" .* Did you mean "plan"\?/),
    });
    expect((await checksOf("opencode", env, { model: "other/thing" })).get("model of lane one")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/has no model "other\/thing" .* Known: some\/model\./),
    });
  });

  test("gives a warning if it cannot be asked for agents and models", async () => {
    const variables = { OPENCODE_BIN: program("echo 1.18.33"), OPENCODE_ATTACH_URL: await nowhere() };
    expect((await checksOf("opencode", variables, { agent: "plan" })).get("choices opencode")).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(/Could not ask/),
    });
  });
});
