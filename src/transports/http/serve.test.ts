import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { anApi, rawExchange, served, token } from "../../../test/support/daemon/http-api.ts";
import { testService } from "../../../test/support/daemon/test-service.ts";
import { listen, listenError } from "./serve.ts";

const authorization = `Authorization: Bearer ${token}`;
const head = (listening: { port: number }, line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${listening.port}`, ...headers, "", ""].join("\r\n");
const json = "Content-Type: application/json";
const codeIn = (answer: string) => /"code":"(\w+)"/.exec(answer)?.[1];

describe("listening", () => {
  it("answers at its URL on the free port that it picked", async () => {
    const { listening } = await served();
    const answer = await fetch(`${listening.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ to: { lane: "demo" }, text: "hello" }),
    });
    expect(answer.status).toBe(202);
  });

  it("accepts several requests on one connection", async () => {
    const { listening } = await served();
    const requests = [head(listening, "GET /health"), head(listening, "GET /health", "Connection: close")];
    const answers = await rawExchange(listening, requests);
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(answers).toContain("Keep-Alive: timeout=5");
  });

  it("names a port that is in use, and what to do about it", async () => {
    const { listening } = await served();
    const second = listen({ app: anApi().app, port: listening.port });
    await expect(second).rejects.toMatchObject({
      code: "port_in_use",
      message: expect.stringContaining(String(listening.port)),
      hint: expect.stringContaining("PORT"),
    });
  });

  it("names a port that is not allowed, and an address that is not ours", async () => {
    const denied = Object.assign(new Error("denied"), { code: "EACCES" });
    expect(listenError(denied, { host: "127.0.0.1", port: 80 })).toMatchObject({ code: "port_not_allowed" });
    const elsewhere = listen({ app: anApi().app, host: "203.0.113.1", port: 0 });
    await expect(elsewhere).rejects.toMatchObject({ code: "cannot_listen" });
  });
});

describe("bad requests on the wire", () => {
  it("a body of unknown length is refused once it is too large", async () => {
    const { listening } = await served({ bodyBytes: 1000 });
    const start = head(listening, "POST /v1/messages", authorization, json, "Transfer-Encoding: chunked");
    const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
    const answer = await rawExchange(listening, [start, chunk, chunk, "0\r\n\r\n"], /"\}\}/);
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
    expect(codeIn(answer)).toBe("too_large");
  });

  it("a client that sends too large a body still gets the response", async () => {
    const { listening } = await served();
    const body = new Uint8Array(4 * 1024 * 1024);
    const start = head(listening, "POST /v1/messages", authorization, json, `Content-Length: ${body.length}`);
    const answer = await rawExchange(listening, [start, body], /"\}\}/);
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  it("a slow body is cut off with 408", async () => {
    const { listening, service, errors } = await served({ bodyMs: 30 });
    const start = head(listening, "POST /v1/messages", authorization, json, "Content-Length: 100");
    const answer = await rawExchange(listening, [start, '{"to":']);
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
    expect(codeIn(answer)).toBe("request_timeout");
    expect([service.sent, errors]).toEqual([[], []]);
  });

  it("slow headers are cut off with 408", async () => {
    const { listening } = await served({ server: { headersMs: 50 } });
    const answer = await rawExchange(listening, ["GET /health HTTP/1.1\r\nHost: "]);
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
    expect(codeIn(answer)).toBe("request_timeout");
  });

  it("a trickling body is cut off with 408, even if the app would wait longer", async () => {
    const { listening } = await served({ bodyMs: 600_000, server: { headersMs: 50, requestMs: 100 } });
    const start = head(listening, "POST /v1/messages", authorization, json, "Content-Length: 1000000");
    const answer = await trickled(listening, start);
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
    expect(codeIn(answer)).toBe("request_timeout");
  });

  it("slow headers of a later request on the same connection are also cut off", async () => {
    const { listening } = await served({ server: { headersMs: 50, keepAliveMs: 600_000 } });
    const answer = await trickled(listening, `${head(listening, "GET /health")}GET /health HTTP/1.1\r\nX-Slow: `);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .+HTTP\/1\.1 408/s);
  });

  it("a keep-alive connection that waits for its next request is not cut off", async () => {
    const { listening } = await served({ server: { headersMs: 20, requestMs: 20, keepAliveMs: 600_000 } });
    const socket = connect(listening.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const answered = () => new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.write(head(listening, "GET /health"));
    expect(await answered()).toMatch(/^HTTP\/1\.1 200/);
    await wait(100);
    socket.write(head(listening, "GET /health"));
    expect(await answered()).toMatch(/^HTTP\/1\.1 200/);
  });

  it("data that is not HTTP still gets a response", async () => {
    const { listening } = await served();
    const answer = await rawExchange(listening, ["hello there\r\n\r\n"]);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(codeIn(answer)).toBe("malformed_request");
  });

  it("headers that are too large are refused", async () => {
    const { listening } = await served();
    const answer = await rawExchange(listening, [head(listening, "GET /health", `X-Long: ${"x".repeat(20_000)}`)]);
    expect(answer).toMatch(/^HTTP\/1\.1 431/);
    expect(codeIn(answer)).toBe("headers_too_large");
  });

  it.each([
    ["GET /health HTTP/1.1\r\nHost: evil.example", 403],
    ["GET /health HTTP/1.1\r\nHost: a b/c", 400],
    ["GET /health HTTP/1.1", 400],
    ["GET http://evil.example/v1/lanes HTTP/1.1\r\nHost: evil.example", 403],
    ["GET http://evil.example/health HTTP/1.1\r\nHost: HERE", 400],
    ["GET http://HERE/health HTTP/1.1\r\nHost: HERE", 200],
    ["OPTIONS * HTTP/1.1\r\nHost: HERE", 400],
    ["GET //evil.example/health HTTP/1.1\r\nHost: HERE", 401],
    ["GET /%c0%af HTTP/1.1\r\nHost: HERE", 401],
    ["TRACE /health HTTP/1.1\r\nHost: HERE", 401],
    ["POST /health HTTP/1.1\r\nHost: HERE\r\nContent-Length: 5", 401],
  ])("%j is answered with %d", async (start, status) => {
    const { listening, errors } = await served();
    const request = start.replaceAll("HERE", `127.0.0.1:${listening.port}`);
    const answer = await rawExchange(listening, [`${request}\r\nConnection: close\r\n\r\n`]);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    expect(codeIn(answer) === undefined).toBe(status === 200);
    expect(errors).toEqual([]);
  });

  it("a client that disconnects mid-body causes no error", async () => {
    const { listening, errors, service } = await served();
    const socket = connect(listening.port, "127.0.0.1");
    const start = head(listening, "POST /v1/messages", authorization, json, "Content-Length: 100");
    await new Promise<void>((resolve) => socket.write(`${start}{"to":`, () => resolve()));
    const health = await fetch(`${listening.url}/health`);
    socket.destroy();
    expect(health.status).toBe(200);
    expect((await fetch(`${listening.url}/health`)).status).toBe(200);
    expect([errors, service.sent]).toEqual([[], []]);
  });
});

/** Sends the beginning of a request and then one byte at a time, until the server closes the connection. */
async function trickled({ port }: { port: number }, beginning: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => {});
  socket.write(beginning);
  const trickle = setInterval(() => socket.write("x"), 5);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(trickle);
  return answer;
}

describe("closing", () => {
  /** A service whose list of lanes waits until it is released. */
  function slowService() {
    const service = testService();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let asked = false;
    const lanes = service.lanes.bind(service);
    service.lanes = async () => {
      asked = true;
      await held;
      return lanes();
    };
    return { service, letGo: () => letGo(), wasAsked: async () => expect.poll(() => asked).toBe(true) };
  }
  const headers = { authorization: `Bearer ${token}` };

  it("lets a running request finish, and accepts no new one", async () => {
    const { service, letGo, wasAsked } = slowService();
    const { listening } = await served({ service, server: { closeMs: 600_000, keepAliveMs: 600_000 } });
    const running = rawExchange(listening, [head(listening, "GET /v1/lanes", authorization)]);
    await wasAsked();
    const closed = listening.close();
    await expect(rawExchange(listening, [head(listening, "GET /health")])).rejects.toThrow("ECONNREFUSED");
    letGo();
    expect(await running).toMatch(/^HTTP\/1\.1 200/);
    await closed;
  });

  it("does not wait forever", async () => {
    const { service, wasAsked } = slowService();
    const { listening } = await served({ service, server: { closeMs: 20 } });
    const running = fetch(`${listening.url}/v1/lanes`, { headers });
    const ended = expect(running).rejects.toThrow();
    await wasAsked();
    await listening.close();
    await ended;
  });

  it("closes idle connections, whether or not they have had a request", async () => {
    const { listening } = await served({ server: { closeMs: 600_000 } });
    const silent = connect(listening.port, "127.0.0.1");
    await new Promise((resolve) => silent.once("connect", resolve));
    await (await fetch(`${listening.url}/health`)).text();
    const ended = new Promise((resolve) => silent.once("close", resolve));
    await Promise.all([listening.close(), listening.close()]);
    await ended;
    expect(silent.destroyed).toBe(true);
    await expect(fetch(`${listening.url}/health`)).rejects.toThrow();
  });

  it("a restart happens after its response", async () => {
    const { listening, service } = await served();
    const answer = await fetch(`${listening.url}/v1/restart`, { method: "POST", headers });
    expect(answer.status).toBe(202);
    await expect.poll(() => service.restarts).toBe(1);
  });
});
