import { homedir } from "node:os";
import { join } from "node:path";
import type { Project } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import { testService } from "../../../../test/support/daemon/test-service.ts";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import { fileWorkspace } from "../../../../test/support/files/file-workspace.ts";
import { defaultBranch } from "../../../service/workspace/workspace.ts";

function aService() {
  const service = testService();
  service.runtimes = async () => [
    { kind: "stub", ready: true, isDefault: false, models: [], takesSystem: false },
    { kind: "opencode", ready: true, isDefault: true, models: ["acme/large"], takesSystem: true },
    { kind: "pi", ready: false, isDefault: false, models: [], takesSystem: true },
  ];
  const { ask } = anApi({ service });
  return { service, ask, read: async (path: string) => (await ask(`/opencode${path}`)).json() };
}

describe("the directory of a request", () => {
  it("is the default directory, unless the client names another", async () => {
    const { directory, read, ask } = fileWorkspace({ git: false });
    const expected = { home: homedir(), state: "", config: "", worktree: "/", directory };
    expect(await read("/path")).toEqual(expected);
    const src = join(directory, "src");
    expect(await read(`/path?directory=${encodeURIComponent(src)}`)).toEqual({ ...expected, directory: src });
    const headers = { "x-opencode-directory": encodeURIComponent(src) };
    expect((await ask("/opencode/path", { headers })).json()).toEqual({ ...expected, directory: src });
    const v2 = `/api/location?location%5Bdirectory%5D=${encodeURIComponent(src)}`;
    expect(await read(v2)).toEqual({ directory: src, project: { id: "global", directory: "/" } });
  });

  it("is refused where no lane may work, or if it cannot be decoded", async () => {
    const { ask } = fileWorkspace({ git: false });
    for (const path of ["/path", "/file?path=", "/find?pattern=x", "/vcs", "/api/agent", "/event"]) {
      const answer = await ask(`/opencode${path}${path.includes("?") ? "&" : "?"}directory=/etc`);
      expect([answer.status, answer.body]).toEqual([403, expect.stringContaining("directory_not_allowed")]);
    }
    expect((await ask("/opencode/path", { headers: { "x-opencode-directory": "%zz" } })).status).toBe(400);
  });

  it("may be the worktree of the project `global`, which is empty, in requests that read no files", async () => {
    const { read, ask } = fileWorkspace({ git: false });
    const root = "directory=/";
    expect(await read(`/path?${root}`)).toMatchObject({ worktree: "/", directory: "/" });
    expect(await read(`/project/current?${root}`)).toMatchObject({ id: "global", worktree: "/" });
    expect(await read(`/vcs?${root}`)).toEqual({ branch: null, default_branch: null });
    expect(await read(`/provider?${root}`)).toEqual(await read("/provider"));
    expect(await read(`/api/reference?${root}`)).toMatchObject({ location: { directory: "/" }, data: [] });
    for (const list of ["/session", "/permission", "/question"]) expect(await read(`${list}?${root}`)).toEqual([]);
    expect(await read(`/session/status?${root}`)).toEqual({});
    for (const path of [
      "/file?path=",
      "/find?pattern=x",
      "/find/file?query=x",
      "/vcs/diff?mode=git",
      "/api/fs/list?",
    ]) {
      expect((await ask(`/opencode${path}&${root}`)).status).toBe(403);
    }
    expect((await ask(`/opencode/session?${root}`, { method: "POST" })).status).toBe(403);
  });

  it("is its own project inside a repository", async () => {
    const { directory, service, read } = fileWorkspace({ git: true });
    const src = encodeURIComponent(join(directory, "src"));
    const project = (await read("/project/current")) as Project;
    expect(project).toMatchObject({ worktree: directory, vcs: "git", id: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(await read(`/project/current?directory=${src}`)).toEqual(project);
    await service.store.putLane(aLane({ id: "elsewhere", directory: "/tmp" }));
    expect(await read("/project")).toMatchObject([{ id: project.id }, { id: "global", worktree: "/" }]);
    expect(await read(`/project/${project.id}/directories`)).toEqual([{ directory }]);
    expect(await read("/project/nothing/directories")).toEqual([]);
    expect(await read("/vcs")).toEqual({ branch: "main", default_branch: null });
  });

  it("has no branch without a repository", async () => {
    const { read } = fileWorkspace({ git: false });
    expect(await read("/vcs")).toEqual({ branch: null, default_branch: null });
  });

  it("has the remote's default branch, otherwise one with a usual name", () => {
    const heads = "refs/heads/main \n";
    expect(defaultBranch(`${heads}refs/remotes/origin/HEAD refs/remotes/origin/trunk\n`)).toBe("trunk");
    expect(defaultBranch(heads)).toBe("main");
    expect(defaultBranch("refs/heads/master \n")).toBe("master");
    expect(defaultBranch("")).toBeNull();
  });
});

describe("the catalog", () => {
  it("lists the runtimes as providers, the default one first, with their known models", async () => {
    const { read } = aService();
    const { providers, ...rest } = (await read("/config/providers")) as { providers: { id: string; models: object }[] };
    expect(providers.map(({ id, models }) => [id, Object.keys(models)])).toEqual([
      ["opencode", ["default", "acme/large"]],
      ["stub", ["default"]],
    ]);
    expect(rest).toEqual({ default: { opencode: "default", stub: "default" } });
    expect(await read("/provider")).toMatchObject({
      all: [{ id: "opencode" }, { id: "stub" }, { id: "pi" }],
      connected: ["opencode", "stub"],
    });
  });

  it("names the default model and agent in the configuration", async () => {
    const { read } = aService();
    expect(await read("/config")).toMatchObject({ model: "opencode/default", default_agent: "default" });
    expect(await read("/agent")).toMatchObject([{ name: "default", mode: "primary" }]);
  });

  it("is the same in the newer API", async () => {
    const { read } = aService();
    const location = { directory: "/tmp", project: { id: "global", directory: "/" } };
    expect(await read("/api/agent")).toMatchObject({ location, data: [{ id: "default" }] });
    expect(await read("/api/provider")).toMatchObject({ data: [{ id: "opencode" }, { id: "stub" }] });
    expect(await read("/api/model")).toMatchObject({ data: [{ id: "default" }, { id: "acme/large" }, {}] });
    expect(await read("/api/provider/stub")).toMatchObject({ data: { id: "stub" } });
    expect(await read("/api/provider/pi")).toMatchObject({ _tag: "NotFoundError" });
    for (const path of ["/api/command", "/api/skill", "/api/reference", "/api/integration"]) {
      expect(await read(path)).toEqual({ location, data: [] });
    }
  });
});

describe("a client's log", () => {
  it("goes to Waybill's log, limited in length and without extra data", async () => {
    const entries: unknown[] = [];
    const { ask } = anApi({ onClientLog: (entry) => entries.push(entry) });
    const line = { service: "tui", level: "warn", message: "x".repeat(5000) };
    const answer = await ask("/opencode/log", { method: "POST", json: { ...line, extra: { key: "secret" } } });
    expect([answer.status, answer.json()]).toEqual([200, true]);
    expect(entries).toEqual([{ ...line, message: "x".repeat(2000) }]);
    const bad = await ask("/opencode/log", { method: "POST" });
    expect([bad.status, bad.json()]).toMatchObject([400, { name: "BadRequest" }]);
  });
});
