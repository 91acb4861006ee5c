import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { fileWorkspace } from "../../../../test/support/files/file-workspace.ts";
import type { TextMatch } from "./search.ts";

describe("reading a file", () => {
  it("returns text trimmed, as OpenCode does", async () => {
    const { read } = fileWorkspace({ git: false });
    expect(await read("/file/content?path=a.txt")).toEqual({ type: "text", content: "first line\nthe needle" });
    expect(await read("/file/content?path=within/main.ts")).toMatchObject({ content: "export const needle = 1;" });
  });

  it("returns binary content in base64", async () => {
    const { read } = fileWorkspace({ git: false });
    const content = Buffer.from([0x89, 0x50, 0, 1]).toString("base64");
    expect(await read("/file/content?path=picture.png")).toEqual({
      type: "binary",
      content,
      encoding: "base64",
      mimeType: "image/png",
    });
  });

  it.each([
    "../outside/secret.txt",
    "../outside/nothing.txt",
    "/etc/passwd",
    "src/../../outside/secret.txt",
    "link.txt",
    "out/secret.txt",
    "out",
    "state/token",
    "a.txt%00",
  ])("%s is not shown", async (path) => {
    const { ask } = fileWorkspace({ git: false });
    for (const route of ["/file/content", "/file"]) {
      const answer = await ask(`/opencode${route}?path=${path}`);
      expect([answer.status, answer.json()]).toMatchObject([403, { data: { code: "path_not_allowed" } }]);
      expect(answer.body).not.toContain("secret needle");
    }
  });

  it("a missing file, or a path that is not a file, gets 404", async () => {
    const { ask } = fileWorkspace({ git: false });
    for (const path of ["nothing.txt", "src"]) {
      expect((await ask(`/opencode/file/content?path=${path}`)).status).toBe(404);
    }
  });

  it("a file that is too large is refused", async () => {
    const { ask, write } = fileWorkspace({ git: false });
    write("large.txt", "x".repeat(5 * 1024 * 1024 + 1));
    expect((await ask("/opencode/file/content?path=large.txt")).status).toBe(413);
  });

  it("a path is required", async () => {
    const { ask } = fileWorkspace({ git: false });
    const answer = await ask("/opencode/file/content");
    expect([answer.status, answer.json()]).toMatchObject([400, { name: "BadRequest" }]);
    expect(answer.body).toContain("path");
  });

  it("a lane's directory inside Waybill's state is still shown", async () => {
    const { root, service, ask } = fileWorkspace({ git: false });
    service.stateDirectories = [root];
    expect((await ask("/opencode/file/content?path=a.txt")).status).toBe(200);
  });
});

describe("listing a directory", () => {
  it("shows directories first, marks what git ignores, and leaves out links to elsewhere", async () => {
    const { directory, read } = fileWorkspace({ git: true });
    const nodes = await read<{ path: string; ignored: boolean; absolute: string }[]>("/file?path=");
    expect(nodes.map(({ path }) => path)).toEqual([
      ".git/",
      "src/",
      "within/",
      ".gitignore",
      "a.txt",
      "ignored.txt",
      "picture.png",
    ]);
    expect(nodes.filter(({ ignored }) => ignored).map(({ path }) => path)).toEqual(["ignored.txt"]);
    expect(nodes[1]?.absolute).toBe(join(directory, "src"));
    expect(await read("/file?path=src/deep")).toMatchObject([{ path: "src/deep/maintain.ts", type: "file" }]);
  });
});

describe("finding files", () => {
  it.each([true, false])("by a typed query, best matches first (git: %s)", async (git) => {
    const { read } = fileWorkspace({ git });
    expect(await read("/find/file?query=main")).toEqual(["src/main.ts", "src/deep/maintain.ts"]);
    expect(await read("/find/file?query=main&limit=1")).toEqual(["src/main.ts"]);
    expect(await read("/find/file?query=src&type=directory")).toEqual(["src/", "src/deep/"]);
    expect(await read("/find/file?query=src&dirs=false")).toEqual(["src/main.ts", "src/deep/maintain.ts"]);
    expect(await read("/find/file?query=token")).toEqual([]);
    expect(await read("/find/file?query=secret")).toEqual([]);
  });

  it("also works in the newer API, for a terminal that completes names", async () => {
    const { read } = fileWorkspace({ git: false });
    expect(await read("/api/fs/find?query=src&limit=2")).toMatchObject({
      data: [
        { path: "src/", type: "directory" },
        { path: "src/deep/", type: "directory" },
      ],
    });
    expect(await read("/api/fs/list?path=src/deep")).toMatchObject({
      data: [{ path: "src/deep/maintain.ts", type: "file" }],
    });
  });

  it("leaves out ignored and deleted files", async () => {
    const { read, directory } = fileWorkspace({ git: true });
    expect(await read("/find/file?query=ignored.txt")).toEqual([]);
    rmSync(join(directory, "a.txt"));
    expect(await read("/find/file?query=a.txt")).toEqual([]);
  });
});

/** Git lists what is in its index, even if a directory in the path has become a link since. */
test("a file behind a link to the outside is not found, although git lists it", async () => {
  const { read, write, directory, root } = fileWorkspace({ git: true });
  for (const [name, to] of [
    ["gone/secret.txt", join(root, "outside")],
    ["kept/token", join(directory, "state")],
  ] as const) {
    write(name, "nothing");
    execFileSync("git", ["-C", directory, "add", name], { env: { PATH: process.env.PATH ?? "" } });
    rmSync(join(directory, dirname(name)), { recursive: true });
    symlinkSync(to, join(directory, dirname(name)));
  }
  expect(await read("/find?pattern=secret")).toEqual([]);
  for (const name of ["secret.txt", "token", "link.txt", "gone/"]) {
    expect(await read(`/find/file?query=${name}`)).toEqual([]);
  }
});

describe("finding text", () => {
  it.each([true, false])("in files that may be shown (git: %s)", async (git) => {
    const { read } = fileWorkspace({ git });
    const found = await read<TextMatch[]>("/find?pattern=need%5Ba-z%5D%2B");
    expect(found.map(({ path }) => path.text).sort()).toEqual(["a.txt", "src/main.ts"]);
    expect(found.find(({ path }) => path.text === "a.txt")).toEqual({
      path: { text: "a.txt" },
      lines: { text: "the needle\n" },
      line_number: 2,
      absolute_offset: 13,
      submatches: [{ match: { text: "needle" }, start: 4, end: 10 }],
    });
  });

  it("refuses an invalid pattern, and one that would never finish", async () => {
    const { ask, write } = fileWorkspace({ git: false });
    write("b.txt", `${"a".repeat(60)}!`);
    for (const pattern of ["(", "(a%2B)%2B%24"]) {
      const answer = await ask(`/opencode/find?pattern=${pattern}`);
      expect([answer.status, answer.json()]).toMatchObject([400, { data: { code: "invalid_request" } }]);
    }
  });
});
