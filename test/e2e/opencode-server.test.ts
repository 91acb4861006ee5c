/** The lifecycle of an OpenCode server under Waybill: found, started, attached to, restarted, adopted, ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerSettings } from "../../src/runtimes/opencode/server/choose-server.ts";
import { newNonce, writeServerRecord } from "../../src/runtimes/opencode/server/server-record.ts";
import type { ServerAddress } from "../../src/runtimes/opencode/server/server-supervisor.ts";
import { nonceVariable } from "../../src/runtimes/process/agent-environment.ts";
import { processTable, tableFromPs } from "../../src/runtimes/process/process-table.ts";
import { lives, nextChange, patientTimes, SupervisorFixture, startOf } from "../support/daemon/supervisor-fixture.ts";
import { OtherProcess } from "../support/files/other-process.ts";
import { opencodeBin, startOpencode } from "../support/opencode/opencode-server.ts";

let fixture: SupervisorFixture;
beforeEach(() => {
  fixture = new SupervisorFixture();
});
afterEach(() => fixture.dispose());

const status = async ({ url }: ServerAddress, authorization: string | null) => {
  const headers = authorization ? { authorization } : undefined;
  const answer = await fetch(`${url}/config`, { headers, signal: AbortSignal.timeout(60_000) } as RequestInit);
  await answer.body?.cancel();
  return answer.status;
};

describe("no server is started", () => {
  /** Listens, and never answers. */
  const hanging = `require("http").createServer(() => {}).listen(+process.argv.at(-1), "127.0.0.1");`;
  const hungServers = async () =>
    (await processTable()).filter((row) => row.command.includes(`${fixture.home}/not-opencode serve`));

  test("without a program, and the error says how to get one", async () => {
    const supervisor = await fixture.supervisor(
      { opencodeBin: "opencode" },
      { installedPaths: [], env: { ...fixture.env, PATH: "/none" } },
    );
    await expect(supervisor.start()).rejects.toMatchObject({
      code: "opencode_not_found",
      hint: expect.stringContaining("npm install -g opencode-ai"),
    });
    expect(supervisor.health()).toContain("neither in PATH nor installed with Waybill");
    expect(supervisor.address()).toBeNull();
  });

  test("if the configured program does not exist, even if another one does", async () => {
    const supervisor = await fixture.supervisor({ opencodeBin: join(fixture.home, "nothing-here") });
    await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_not_found" });
  });

  test("of a version that is too old, and the error names both", async () => {
    const supervisor = await fixture.supervisor({ opencodeBin: fixture.program("1.18.14") });
    await expect(supervisor.start()).rejects.toMatchObject({
      code: "opencode_too_old",
      message: expect.stringMatching(/1\.18\.14.*1\.18\.15/),
    });
  });

  test("by a program that does not report its version, or takes too long", async () => {
    const silent = await fixture.supervisor({ opencodeBin: fixture.program("") });
    await expect(silent.start()).rejects.toMatchObject({ code: "opencode_unusable" });
    await silent.close();
    const slow = join(fixture.home, "slow");
    writeFileSync(slow, "#!/usr/bin/env node\nsetInterval(() => {}, 1000);\n", { mode: 0o755 });
    const waiting = await fixture.supervisor({ opencodeBin: slow }, { times: { startMs: 500, versionMs: 500 } });
    await expect(waiting.start()).rejects.toMatchObject({
      code: "opencode_unusable",
      message: expect.stringContaining("no answer within 0.5 s"),
    });
  });

  test("if its record cannot be written first", async () => {
    const mark = join(fixture.home, "was-started");
    // A shell writes its marker immediately, before anything could end it.
    const program = join(fixture.home, "quick");
    const script = `[ "$1" = --version ] && echo 1.18.33 || : > "${mark}"`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    mkdirSync(join(fixture.directory, "server.json.new"), { recursive: true });
    const supervisor = await fixture.supervisor({ opencodeBin: program }, { times: { startMs: 1000 } });
    await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_record_unwritable" });
    expect(existsSync(mark)).toBe(false);
  });

  test("for other machines without a configured password", async () => {
    const supervisor = await fixture.supervisor({ opencodeServeHost: "0.0.0.0" });
    await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_host_not_loopback" });
  });

  test("if another program has the configured port, and that program is left running", async () => {
    const other = createServer((_, response) => response.end("a shop")).listen(await fixture.port(), "127.0.0.1");
    await once(other, "listening");
    try {
      const supervisor = await fixture.supervisor();
      await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_port_taken", hint: expect.any(String) });
      const elsewhere = await fixture.supervisor({ opencodeAttachUrl: "http://127.0.0.1:9" });
      await expect(elsewhere.start()).rejects.toMatchObject({ code: "opencode_port_taken" });
      expect(await (await fetch(`http://127.0.0.1:${await fixture.port()}/`)).text()).toBe("a shop");
    } finally {
      other.close();
    }
  });

  test("for good if it hangs: it is ended and retried until it works", async () => {
    const program = fixture.program("1.18.33", hanging);
    const supervisor = await fixture.supervisor(
      { opencodeBin: program },
      { times: { ...patientTimes, startMs: 1500, firstWaitMs: 500 } },
    );
    await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_start_timeout" });
    expect(supervisor.health()).toMatch(/did not answer within 1.5 s/);
    expect(fixture.record).toBeNull();
    await supervisor.close();
    expect(await hungServers()).toEqual([]);

    const next = await fixture.supervisor({ opencodeBin: program });
    rmSync(program);
    await expect(next.start()).rejects.toMatchObject({ code: "opencode_not_found" });
    const works = nextChange(next, "address");
    symlinkSync(opencodeBin, program);
    expect(await works).toMatchObject({ version: "1.18.33", startedByUs: true });
    expect(next.health()).toBeNull();
  });

  test("that outlives a stop during its start", async () => {
    const supervisor = await fixture.supervisor({ opencodeBin: fixture.program("1.18.33", hanging) });
    const started = supervisor.start().catch((error: unknown) => error);
    while ((await hungServers()).length === 0) await wait(20);
    await supervisor.close();
    expect(await started).toMatchObject({ code: "opencode_stopping" });
    expect(await hungServers()).toEqual([]);
    expect(fixture.record).toBeNull();
  });

  test("if it exits immediately, and the error quotes its output without secrets", async () => {
    const dying = `console.error("no such \\x1b[31mplugin\\x1b[0m", process.env.OPENCODE_SERVER_PASSWORD, process.env.OPENAI_API_KEY); process.exit(3);`;
    const env = { ...fixture.env, OPENAI_API_KEY: "sk-very-secret" };
    const supervisor = await fixture.supervisor({ opencodeBin: fixture.program("1.18.33", dying) }, { env });
    await expect(supervisor.start()).rejects.toMatchObject({
      code: "opencode_start_failed",
      message: expect.stringMatching(/exit code 3 .*no such plugin \(secret\) \(secret\)$/),
    });
    expect(fixture.record).toBeNull();
  });
});

describe("Waybill's own server", () => {
  test("requires its password, knows none of Waybill's secrets, and ends with everything its tools started", async () => {
    const env = {
      ...fixture.env,
      TELEGRAM_BOT_TOKEN: "1:bot",
      WAYBILL_TOKEN: "t",
      OPENCODE_SERVER_PASSWORD: "persons",
    };
    const supervisor = await fixture.supervisor({}, { env });
    const address = await supervisor.start();
    expect(address).toMatchObject({
      url: `http://127.0.0.1:${await fixture.port()}`,
      startedByUs: true,
      version: "1.18.33",
    });
    expect(await status(address, null)).toBe(401);
    expect(await status(address, `Basic ${btoa("opencode:persons")}`)).toBe(401);
    expect(await status(address, address.authorization)).toBe(200);
    expect(fixture.record).toMatchObject({ pid: address.pid, url: address.url });
    const row = (await tableFromPs()).find((one) => one.pid === address.pid);
    expect(row?.command).not.toContain(fixture.record?.password);
    if (process.platform === "linux") {
      expect(readFileSync(`/proc/${address.pid}/environ`, "utf8")).not.toMatch(/TELEGRAM|WAYBILL_TOKEN|persons/);
    }
    const [serverStart, tool] = [await startOf(address.pid), await runningTool(address)];
    await supervisor.close();
    expect([lives(address.pid, serverStart), lives(tool.pid, tool.start)]).toEqual([false, false]);
    expect(fixture.record).toBeNull();
    expect(supervisor.address()).toBeNull();
  });

  test("is restarted when it is killed or hangs, and listeners are notified", async () => {
    const supervisor = await fixture.supervisor({}, { times: { ...patientTimes, probeMs: 8000, probes: 2 } });
    const first = await supervisor.start();
    const tool = await runningTool(first);
    const told = [nextChange(supervisor, "loss"), nextChange(supervisor, "address")];
    process.kill(first.pid ?? 0, "SIGKILL");
    const [loss, second] = await Promise.all(told);
    expect(loss).toBeNull();
    expect(lives(tool.pid, tool.start)).toBe(false);
    expect(second).toMatchObject({ startedByUs: true });
    expect(second?.pid).not.toBe(first.pid);
    expect(await status(second as ServerAddress, second?.authorization ?? null)).toBe(200);

    // A server that answers is left alone.
    await supervisor.checkHealth();
    expect(supervisor.address()).toBe(second);

    const start = await startOf(second?.pid ?? null);
    process.kill(second?.pid ?? 0, "SIGSTOP");
    const back = nextChange(supervisor, "address");
    await supervisor.checkHealth();
    expect(supervisor.health()).toContain("no longer answers");
    const third = await back;
    expect(lives(second?.pid ?? null, start)).toBe(false);
    expect(await status(third as ServerAddress, third?.authorization ?? null)).toBe(200);
    expect(supervisor.health()).toBeNull();
  });
});

describe("the server of an earlier run", () => {
  /** A daemon that is killed and leaves its server running. */
  async function leftBehind(settings: Partial<ServerSettings> = {}): Promise<ServerAddress & { start: string }> {
    const options = await fixture.options(settings);
    const daemon = await OtherProcess.start("test/support/daemon/supervisor-process.ts", [JSON.stringify(options)]);
    const address = await daemon.hear<ServerAddress>();
    await daemon.kill();
    return { ...address, start: await startOf(address.pid) };
  }

  test("is adopted, even if its process id was not recorded in time, and finally ended", async () => {
    const left = await leftBehind();
    const supervisor = await fixture.supervisor();
    const { start, ...address } = left;
    expect(await supervisor.start()).toEqual(address);
    await supervisor.close({ keep: true });
    expect(lives(left.pid, start)).toBe(true);

    const record = fixture.record;
    if (!record) throw new Error("no record");
    writeServerRecord(fixture.directory, { ...record, pid: null, processStart: null });
    const next = await fixture.supervisor();
    expect(await next.start()).toEqual(address);
    expect(fixture.events.filter((event) => event.type === "opencode_adopted")).toHaveLength(2);

    // It is not our child, but its end is noticed.
    const back = nextChange(next, "address");
    process.kill(left.pid ?? 0, "SIGKILL");
    const second = await back;
    expect(second?.pid).not.toBe(left.pid);
    const secondStart = await startOf(second?.pid ?? null);
    await next.close();
    expect(lives(second?.pid ?? null, secondStart)).toBe(false);
  });

  test("is ended if it hangs, before another one is started", async () => {
    const left = await leftBehind();
    process.kill(left.pid ?? 0, "SIGSTOP");
    const supervisor = await fixture.supervisor({}, { times: { ...patientTimes, probeMs: 1000, endMs: 1000 } });
    const address = await supervisor.start();
    expect(address).toMatchObject({ startedByUs: true, url: left.url });
    expect(address.pid).not.toBe(left.pid);
    expect(lives(left.pid, left.start)).toBe(false);
  });

  test("is ended if it was started with other settings", async () => {
    const left = await leftBehind();
    const supervisor = await fixture.supervisor({}, { extraEnv: { OPENCODE_CONFIG_CONTENT: '{"share":"disabled"}' } });
    const address = await supervisor.start();
    expect(address.pid).not.toBe(left.pid);
    expect(lives(left.pid, left.start)).toBe(false);
  });

  test("is ended if the program was upgraded", async () => {
    const program = join(fixture.home, "upgradable");
    writeFileSync(program, `#!/bin/sh\nexec ${opencodeBin} "$@"\n`, { mode: 0o755 });
    const left = await leftBehind({ opencodeBin: program });
    writeFileSync(program, "#!/bin/sh\n[ $1 = --version ] && echo 1.18.99\n", { mode: 0o755 });
    const supervisor = await fixture.supervisor({ opencodeBin: program });
    await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_start_failed" });
    expect(lives(left.pid, left.start)).toBe(false);
  });

  test.runIf(process.platform === "linux")(
    "is ended if its record cannot be read, and no other server is",
    async () => {
      const carrying = async (directory: string) => {
        const env = { ...process.env, [nonceVariable]: newNonce(directory) };
        const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore", env });
        await once(child, "spawn");
        return { child, pid: child.pid ?? 0, start: await startOf(child.pid ?? 0) };
      };
      const ours = await carrying(fixture.directory);
      const others = await carrying(join(fixture.home, "of-another"));
      try {
        mkdirSync(fixture.directory, { recursive: true });
        writeFileSync(join(fixture.directory, "server.json"), '{"nonce":');
        const supervisor = await fixture.supervisor({ opencodeAutoStart: false });
        await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_unreachable" });
        expect([ours, others].map(({ pid, start }) => lives(pid, start))).toEqual([false, true]);
      } finally {
        for (const { child } of [ours, others]) child.kill("SIGKILL");
      }
    },
  );

  test("is not confused with a process that only has its id", async () => {
    const innocent = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    await once(innocent, "spawn");
    try {
      const pid = innocent.pid ?? 0;
      const url = `http://127.0.0.1:${await fixture.port()}`;
      const record = {
        nonce: "gone",
        url,
        port: await fixture.port(),
        password: "p",
        passwordIsRandom: true,
        startedAt: 1,
      };
      writeServerRecord(fixture.directory, { ...record, fingerprint: "f", pid, processStart: "of another time" });
      const supervisor = await fixture.supervisor({ opencodeAutoStart: false });
      await expect(supervisor.start()).rejects.toMatchObject({ code: "opencode_unreachable" });
      expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
      expect(lives(pid, await startOf(pid))).toBe(true);
      expect(fixture.record).toBeNull();
    } finally {
      innocent.kill("SIGKILL");
    }
  });
});

describe("a server that somebody else started", () => {
  test("is attached to with the configured password, survives Waybill, and is replaced once it has ended", async () => {
    const port = await fixture.port();
    const theirs = await startOpencode({ modelUrl: "http://127.0.0.1:9", port, password: "persons" });
    try {
      const stranger = await fixture.supervisor();
      await expect(stranger.start()).rejects.toMatchObject({ code: "opencode_password_refused" });
      const wrong = await fixture.supervisor({}, { env: { ...fixture.env, OPENCODE_SERVER_PASSWORD: "wrong" } });
      await expect(wrong.start()).rejects.toMatchObject({
        code: "opencode_password_refused",
        hint: expect.stringContaining("OPENCODE_SERVER_PASSWORD"),
      });
      await Promise.all([stranger.close(), wrong.close()]);

      const env = { ...fixture.env, OPENCODE_SERVER_PASSWORD: "persons" };
      const guest = await fixture.supervisor({}, { env });
      const address = await guest.start();
      expect(address).toEqual({
        url: theirs.url,
        authorization: theirs.authorization,
        version: "1.18.33",
        startedByUs: false,
        pid: null,
      });
      await guest.close();
      expect(await status(address, theirs.authorization)).toBe(200);

      const supervisor = await fixture.supervisor({}, { env, times: { ...patientTimes, attachedAwayMs: 0 } });
      await supervisor.start();
      const back = nextChange(supervisor, "address");
      await theirs.stop();
      await supervisor.checkHealth();
      expect(await back).toMatchObject({ startedByUs: true, url: theirs.url });
    } finally {
      await theirs.stop();
    }
  });
});

/** A shell command that the server runs for a session without a model. It has its own process group. */
async function runningTool({ url, authorization }: ServerAddress): Promise<{ pid: number; start: string }> {
  const headers = { "content-type": "application/json", authorization: authorization ?? "" };
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
  const directory = join(fixture.home, "work");
  const { id } = (await (await post(`/session?directory=${encodeURIComponent(directory)}`, {})).json()) as {
    id: string;
  };
  const pidFile = join(directory, `pid-${id}`);
  const model = { providerID: "none", modelID: "none" };
  // The request never completes, since the command never ends.
  post(`/session/${id}/shell`, { agent: "build", model, command: `echo $$ > ${pidFile}; exec sleep 600` }).catch(
    () => {},
  );
  for (;;) {
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
    if (pid > 0) return { pid, start: await startOf(pid) };
    await wait(20);
  }
}
