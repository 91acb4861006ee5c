import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { anApi, rawExchange, served, token } from "../../../test/support/daemon/http-api.ts";

const hello = "hello";
const id = createHash("sha256").update(hello).digest("hex");
const file = { id, name: "hello.txt", mimeType: "text/plain", size: 5 };
const path = "/v1/attachments?name=hello.txt";
const plain = { method: "POST", headers: { "content-type": "text/plain; charset=utf-8" }, body: hello };

describe("storing a file", () => {
  it("returns the attachment that a message can name, and may be repeated", async () => {
    const { ask } = anApi();
    for (let time = 0; time < 2; time++) {
      const answer = await ask(path, plain);
      expect([answer.status, answer.json()]).toEqual([201, file]);
    }
    const message = { to: { lane: "demo" }, text: "Look.", attachments: [file] };
    const sent = await ask("/v1/messages", { method: "POST", json: { ...message, messageId: "m1" } });
    expect(sent.status).toBe(202);
    expect((await ask("/v1/messages")).json()).toMatchObject({ messages: [{ id: "m1", attachments: [file] }] });
  });

  it("accepts any bytes, including ones that look like JSON, and an empty file", async () => {
    const { ask } = anApi();
    const headers = { "content-type": "application/json" };
    expect((await ask("/v1/attachments?name=a.json", { ...plain, headers, body: "{" })).json()).toMatchObject({
      ...{ mimeType: "application/json", size: 1 },
    });
    const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0xff);
    expect((await ask("/v1/attachments?name=a", { method: "POST", body: bytes })).json()).toMatchObject({
      ...{ mimeType: "image/png", size: 7 },
    });
    expect((await ask("/v1/attachments?name=a", { method: "POST" })).json()).toMatchObject({ size: 0 });
  });

  it("requires a name, the token, and an allowed origin", async () => {
    const { ask } = anApi();
    expect((await ask("/v1/attachments", plain)).json()).toMatchObject({ error: { code: "invalid_request" } });
    expect((await ask(path, { ...plain, headers: { authorization: null } })).status).toBe(401);
    expect((await ask(path, { ...plain, headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await ask(path, { ...plain, headers: { host: "evil.example" } })).status).toBe(403);
    expect((await ask(`/v1/attachments/${id}`)).status).toBe(404);
  });

  it("answers 413 to a file that is too large while the client is still sending it", async () => {
    const { listening } = await served();
    const size = 5_000_000;
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\nAuthorization: Bearer ${token}\r\n`;
    const received = await rawExchange(
      listening,
      [`${head}Content-Length: ${size}\r\nConnection: close\r\n\r\n`, Buffer.alloc(size)],
      /attachment_too_large/,
    );
    expect(received).toMatch(/^HTTP\/1.1 413 /);
  });

  it("keeps nothing of a request that ends early", async () => {
    const { listening, ask } = await served();
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\nAuthorization: Bearer ${token}\r\n`;
    const { connect } = await import("node:net");
    const socket = connect(listening.port, "127.0.0.1");
    await new Promise((resolve) => socket.write(`${head}Content-Length: 10\r\n\r\nhello`, resolve));
    socket.destroy();
    expect((await ask(`/v1/attachments/${id}`)).status).toBe(404);
  });
});

describe("a stored file", () => {
  it("is served as a download that no browser renders as a page", async () => {
    const { ask } = anApi();
    const body = "<script>alert(1)</script>";
    const headers = { "content-type": "text/html" };
    const stored = await ask(`/v1/attachments?name=${encodeURIComponent("Bericht (1) – 'ä'.html")}`, {
      ...{ method: "POST", headers, body },
    });
    const answer = await ask(`/v1/attachments/${(stored.json() as { id: string }).id}`);
    expect(answer.body).toBe(body);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(body.length),
      "content-disposition": "attachment; filename*=UTF-8''Bericht%20%281%29%20%E2%80%93%20%27%C3%A4%27.html",
      "x-content-type-options": "nosniff",
    });
  });

  it("answers HEAD without its bytes", async () => {
    const { ask } = anApi();
    await ask(path, plain);
    const answer = await ask(`/v1/attachments/${id}`, { method: "HEAD" });
    expect([answer.status, answer.body, answer.headers.get("content-length")]).toEqual([200, "", "5"]);
  });
});

describe("a message", () => {
  it.each([
    ["attachment_unknown", 404, { ...file, id: "0".repeat(64) }],
    ["attachment_mismatch", 400, { ...file, size: 6 }],
    ["attachments_not_supported", 409, { ...file, mimeType: "application/zip" }],
  ])("that names an invalid file is refused with %s", async (code, status, attachment) => {
    const { ask } = anApi();
    await ask(path, plain);
    const json = { to: { lane: "demo" }, text: "Look.", attachments: [attachment] };
    const answer = await ask("/v1/messages", { method: "POST", json });
    expect([answer.status, answer.json()]).toMatchObject([status, { error: { code } }]);
  });
});
