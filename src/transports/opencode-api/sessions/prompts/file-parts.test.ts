import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { fileWorkspace } from "../../../../../test/support/files/file-workspace.ts";

async function aLane() {
  const { directory, root, service, ask } = fileWorkspace({ git: false });
  await service.putLane({ ...(await service.lane("demo")).lane, directory });
  const file = (path: string, more: object = {}) => ({
    type: "file",
    mime: "text/plain",
    url: String(pathToFileURL(`${directory}/${path}`)),
    ...more,
  });
  const named = (value: string) => ({ source: { type: "file", path: "x", text: { value, start: 0, end: 1 } } });
  const send = (...parts: object[]) =>
    ask("/opencode/session/ses_demo/prompt_async", { method: "POST", json: { parts } });
  const text = (words: string) => ({ type: "text", text: words });
  return { directory, root, service, file, named, send, text };
}

describe("files of a prompt", () => {
  it("become references when they are in the agent's workspace", async () => {
    const { service, file, send, text } = await aLane();
    const lines = file("src/main.ts");
    const selected = { ...lines, url: `${lines.url}?start=3&end=9` };
    const image = file("picture.png", { mime: "image/png" });
    expect((await send(text("Look at these."), file("a.txt"), selected, image, file("src"))).status).toBe(204);
    expect((await send(file("within/main.ts"))).status).toBe(204);
    expect(service.sent.map(({ text }) => text)).toEqual([
      "Look at these.\n\nFiles of this message: `a.txt`, `src/main.ts` (lines 3 to 9), `picture.png`, `src`",
      "Files of this message: `within/main.ts`",
    ]);
  });

  it("are not named a second time when the text already names them", async () => {
    const { service, file, named, send, text } = await aLane();
    expect((await send(text("Look at @a.txt."), file("a.txt", named("@a.txt")))).status).toBe(204);
    expect((await send(text("Look at [Image 1]."), file("picture.png", named("[Image 1]")))).status).toBe(204);
    expect(service.sent.map(({ text }) => text)).toEqual([
      "Look at @a.txt.",
      "Look at [Image 1].\n\nFiles of this message: `picture.png`",
    ]);
  });

  it.each(["../outside/secret.txt", "link.txt", "out/secret.txt", "out/missing.txt", "state/token", "../project-2/a"])(
    "are refused when they are elsewhere, directly or through a link: %s",
    async (path) => {
      const { service, file, named, send, text } = await aLane();
      for (const more of [{}, named("@this")]) {
        const answer = await send(text("Look at @this."), file(path, more));
        expect([answer.status, answer.json()]).toMatchObject([403, { data: { code: "path_not_allowed" } }]);
      }
      expect(service.sent).toEqual([]);
    },
  );

  it("are refused when they do not exist", async () => {
    const { service, file, send, text } = await aLane();
    const answer = await send(text("Look."), file("missing.txt"));
    expect([answer.status, answer.json()]).toMatchObject([
      404,
      { data: { message: expect.stringContaining("missing.txt") } },
    ]);
    expect(service.sent).toEqual([]);
  });
});
