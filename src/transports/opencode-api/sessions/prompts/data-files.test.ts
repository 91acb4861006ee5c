import { describe, expect, it } from "vitest";
import { anApi } from "../../../../../test/support/daemon/http-api.ts";
import { png, sha256 } from "../../../../../test/support/files/sample-files.ts";

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
