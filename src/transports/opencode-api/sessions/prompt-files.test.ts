import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import { fileWorkspace } from "../../../../test/support/files/file-workspace.ts";
import { png, sha256 } from "../../../../test/support/files/sample-files.ts";

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

const picture = {
  type: "file",
  mime: "image/png",
  filename: "shot.png",
  url: `data:image/png;base64,${png.toString("base64")}`,
};
const attachment = { id: sha256(png), name: "shot.png", mimeType: "image/png", size: png.length };
const text = (words: string) => ({ type: "text", text: words });

function aPrompt() {
  const { ask, service } = anApi();
  const send = (...parts: object[]) =>
    ask("/opencode/session/ses_demo/prompt_async", { method: "POST", json: { messageID: "msg_1", parts } });
  return { service, send };
}

describe("a file included in a prompt", () => {
  it("becomes an attachment of its message, and may be sent again", async () => {
    const { service, send } = aPrompt();
    for (let time = 0; time < 2; time++) expect((await send(text("What is this?"), picture)).status).toBe(204);
    expect(service.sent).toMatchObject([{ text: "What is this?", attachments: [attachment] }]);
    expect(await service.attachment(attachment.id)).toMatchObject(attachment);
  });

  it("is named in the text if there is no other text", async () => {
    const { service, send } = aPrompt();
    expect((await send(picture)).status).toBe(204);
    expect(service.sent).toMatchObject([{ text: "Files: shot.png", attachments: [attachment] }]);
  });

  it("may be text without base64 encoding", async () => {
    const { service, send } = aPrompt();
    const notes = { type: "file", mime: "text/plain", url: "data:text/plain;charset=utf-8,h%C3%A9ron" };
    expect((await send(text("Read."), notes)).status).toBe(204);
    expect(service.sent).toMatchObject([{ attachments: [{ name: "file", mimeType: "text/plain", size: 6 }] }]);
  });

  it.each([
    [409, "attachments_not_supported", { ...picture, mime: "application/zip", url: "data:;base64,UEsDBA==" }],
    [400, undefined, { ...picture, url: "data:image/png;base64" }],
    [400, undefined, { ...picture, url: "data:text/plain,%zz" }],
    [413, "attachment_too_large", { ...picture, url: `data:,${"x".repeat(2000)}` }],
  ])("is refused with %i if it cannot be delivered, and nothing is sent", async (status, code, part) => {
    const { service, send } = aPrompt();
    const answer = await send(text("Look."), part);
    expect(answer.status).toBe(status);
    if (code !== undefined) expect(answer.json()).toMatchObject({ data: { code } });
    expect(service.sent).toEqual([]);
  });
});
