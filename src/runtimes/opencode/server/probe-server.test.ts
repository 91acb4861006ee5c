import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { basicAuthorization, probe } from "./probe-server.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (url: string, deadlineMs = 5000) => probe(url, { authorization: null, deadlineMs });

describe("a probe", () => {
  test("finds a healthy server, and sends it the password", async () => {
    const asked: unknown[] = [];
    const url = await serving((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      response.end('{"healthy":true,"version":"1.18.33","more":1}');
    });
    const authorization = basicAuthorization("opencode", "pass word");
    expect(await probe(`${url}/`, { authorization, deadlineMs: 5000 })).toEqual({ is: "healthy", version: "1.18.33" });
    expect(asked).toEqual([["/global/health", authorization]]);
  });

  test.each([401, 403])("is refused with %d", async (status) => {
    expect(await ask(await serving((_, response) => response.writeHead(status).end()))).toEqual({ is: "refused" });
  });

  test.each<[string, RequestListener]>([
    ["a page", (_, response) => response.setHeader("content-type", "text/html").end("<html></html>")],
    ["an empty answer", (_, response) => response.end()],
    ["other JSON", (_, response) => response.end('{"status":"ok"}')],
    ["an unhealthy server", (_, response) => response.end('{"healthy":false,"version":"1.18.33"}')],
    ["an error", (_, response) => response.writeHead(500).end('{"healthy":true,"version":"1.18.33"}')],
    ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end()],
  ])("takes %s for another program", async (_what, listener) => {
    expect(await ask(await serving(listener))).toMatchObject({ is: "foreign" });
  });

  test("gives up on a server that never answers", async () => {
    expect(await ask(await serving(() => {}), 50)).toEqual({ is: "silent" });
  });

  test("gives up on a server that starts to answer and then stalls", async () => {
    expect(await ask(await serving((_, response) => void response.write('{"healthy":')), 50)).toEqual({ is: "silent" });
  });

  test.each(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])(
    "takes a server that has just ended (%s) for silent",
    async (code) => {
      const failed = vi
        .spyOn(globalThis, "fetch")
        .mockRejectedValue(new TypeError("fetch failed", { cause: { code } }));
      onTestFinished(() => failed.mockRestore());
      expect(await ask("http://127.0.0.1:9")).toEqual({ is: "silent" });
    },
  );

  test("sees that nothing listens", async () => {
    const url = await serving(() => {});
    server?.close();
    expect(await ask(url)).toEqual({ is: "unreachable", why: "ECONNREFUSED" });
  });
});
