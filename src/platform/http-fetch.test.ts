import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { httpFetch } from "./http-fetch.ts";

const never = new AbortController().signal;

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a request arrives unchanged, and its response comes back", async () => {
  const url = await serving((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end(`${request.method} ${request.url} ${request.headers.authorization}: ${body}`);
    });
  });
  const headers = { authorization: "Basic secret" };
  const answer = await httpFetch(`${url}/a?b=c`, { method: "POST", headers, body: "grüezi", signal: never });
  expect(answer).toMatchObject({ status: 404, ok: false, contentType: "text/plain" });
  expect(await answer.text()).toBe("POST /a?b=c Basic secret: grüezi");
});

/** Answers the first request of a connection and closes the connection at the second. */
function servingOnce(): Promise<string> {
  const known = new WeakSet<object>();
  return serving(({ socket }, response) => {
    if (known.has(socket)) return void socket.resetAndDestroy();
    known.add(socket);
    response.end("answered");
  });
}

async function ask(url: string, method: string): Promise<string> {
  const answer = await httpFetch(url, { method, headers: {}, signal: never });
  return answer.text();
}

test("a read is repeated when a kept-alive connection was closed", async () => {
  const url = await servingOnce();
  expect([await ask(url, "GET"), await ask(url, "GET"), await ask(url, "GET")]).toEqual(Array(3).fill("answered"));
});

test("a change is not sent a second time", async () => {
  const url = await servingOnce();
  expect(await ask(url, "POST")).toBe("answered");
  await expect(ask(url, "POST")).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("an abort ends a request, and a response that is being read", async () => {
  const url = await serving((request, response) => {
    if (request.url === "/begun") response.write("begun");
  });
  const [waiting, reading] = [new AbortController(), new AbortController()];
  const unanswered = httpFetch(url, { method: "GET", headers: {}, signal: waiting.signal });
  waiting.abort();
  await expect(unanswered).rejects.toMatchObject({ name: "AbortError" });
  const begun = await httpFetch(`${url}/begun`, { method: "GET", headers: {}, signal: reading.signal });
  const text = begun.text();
  reading.abort();
  await expect(text).rejects.toThrow();
});
